// Keeps the query string of the address line in step with the page's controls, in place.
// Who goes back while a run is on its way goes to where the run before it had been: Python cannot tell that address from one
// that is behind the times, so it is told. The document says in which language the page is, and links in sentences, which
// open a tab of their own, carry the language that was chosen.

let shown = null; // what the last run has sent
/** Tells Python that the reader went back to this address. @type {(search: string) => void} */
let send = () => {};

for (const kind of ["pointerdown", "focusin"]) document.addEventListener(kind, carryLanguage);
window.addEventListener("popstate", () => {
  const { search } = window.location;
  if (shown && isHere(shown) && search === searchOf(shown)) send(search);
});

function carryLanguage({ target }) {
  const link = target instanceof Element ? target.closest("a") : null,
    chosen = new URLSearchParams(window.location.search).get("lang");
  if (!link || !chosen || link.origin !== window.location.origin) return;
  const query = new URLSearchParams(link.search);
  query.set("lang", chosen);
  link.search = query.toString();
}

const searchOf = ({ query }) => (query ? `?${query}` : "");

/** Whether the address line is that of this page: a late update of a page that was left must not write into another's. */
function isHere({ page }) {
  return window.location.pathname.replace(/\/+$/, "").split("/").pop() === page;
}

/** Streamlit's entry: called when the query changes. Its data is a message without arrays (alibi_viz/pictures/message.py). */
export default function render({ data: sent, setTriggerValue }) {
  const data = JSON.parse(new TextDecoder().decode(sent.subarray(4))),
    { pathname, search, hash } = window.location,
    wanted = searchOf(data);
  if (!isHere(data)) return;
  const isNew = !shown && !hash && performance.getEntriesByType("navigation")[0].toJSON().type === "navigate";
  if (isNew) document.querySelector('[class*="_open_"] details[open]')?.scrollIntoView(); // a link to this section
  shown = data;
  send = (went) => setTriggerValue("went", went);
  document.documentElement.lang = data.language;
  const presenting = /** @type {HTMLStyleElement} */ (document.getElementById("presenting")); // its sheet (document.py)
  presenting.media = data.presented ? "all" : "not all";
  const skip = document.querySelector('[data-testid="stSkipToContent"]'); // Streamlit has it in English alone
  if (skip) skip.textContent = data.skip;
  document.documentElement.style.setProperty("--upload", JSON.stringify(data.upload)); // for style.css, for the same reason
  if (wanted !== search) window.history.replaceState(window.history.state, "", pathname + wanted + hash);
}
