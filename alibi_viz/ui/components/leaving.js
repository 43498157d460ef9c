// Nobody leaves a page that is being drawn: Streamlit would put what is still on its way into the page that follows, fail
// (“Bad delta path”) and show nothing. A key and a link wait until the run has ended. And a window that shows nothing all
// the same loads its page again, as it was framed. The document loads this file (shell/document.py).

const LINKS = "a[data-testid=stSidebarNavLink], a[data-testid=stPageLink-NavLink]";
const FRAMING = ["present", "lang", "room"];
const LOOK = 50, CALM = 2; // ms between two looks; so many in a row see no run, since one may follow another
const PATIENCE = 10_000; // ms after which a run that does not end is left
const EMPTY = 3000; // ms

const isDrawn = () => {
  const app = /** @type {HTMLElement | null} */ (document.querySelector("[data-testid=stApp]"));
  return app?.dataset.testScriptState === "notRunning";
};
let waiting = 0; // the timer of who wants to leave: the last one counts
let goes = false; // whether what was held is let through

/** Call this when no run is on its way. @param {() => void} then */
export function whenDrawn(then) {
  if (isDrawn()) return then();
  const last = performance.now() + PATIENCE;
  let calm = 0;
  clearInterval(waiting);
  waiting = setInterval(() => {
    calm = isDrawn() ? calm + 1 : 0;
    if (calm < CALM && performance.now() < last) return;
    clearInterval(waiting);
    then();
  }, LOOK);
}

/** Hold an event back, and do it again later. @param {Event} event @param {() => void} again */
function hold(event, again) {
  if (goes || isDrawn()) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  whenDrawn(() => {
    goes = true;
    again();
    goes = false;
  });
}

function watch() {
  addEventListener("click", (event) => {
    const link = event.target instanceof Element
      ? /** @type {HTMLAnchorElement | null} */ (event.target.closest(LINKS))
      : null;
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const now = () =>
      [...document.querySelectorAll(LINKS)].find((other) =>
        /** @type {HTMLAnchorElement} */ (other).href === link.href
      );
    hold(event, () => /** @type {HTMLElement} */ (link.isConnected ? link : now())?.click());
  }, { capture: true });
  const root = document.getElementById("root");
  let framing = new URLSearchParams(), filled = Infinity; // Infinity: it has shown nothing yet
  setInterval(() => {
    if (root?.childElementCount) filled = performance.now();
    if (isDrawn()) framing = new URLSearchParams(location.search);
    if (performance.now() - filled < EMPTY || filled === Infinity) return;
    filled = Infinity;
    const here = new URL(location.href);
    for (const key of FRAMING) if (framing.has(key)) here.searchParams.set(key, framing.get(key) ?? "");
    history.replaceState(null, "", here);
    location.reload();
  }, 250);
}

watch();
