// Keeps the query string of the address line in step with the page's controls. What Python counts as a step of the reader's is
// a new entry in the history; everything else replaces the entry that is there.
// Texts that are too long for it are kept by the tab, beside the address that they belong to, and given back after a reload,
// and after a sleep in which the server has forgotten them.

const NAME = "alibi-viz:texts";
let session = ""; // of the server: a new one has been told no text yet

const PATIENCE = 3000; // ms in which Python answers Back
/** @type {{ data: any, tell: (name: string, value: string) => void } | null} the last update */ let last = null;
/** @type {{ search: string, until: number } | null} where Back led, not yet answered */ let gone = null;

const searchOf = ({ query }) => (query ? `?${query}` : "");

/** Whether the address line is that of this page: a late update of a page that was left must not write into another's. */
function isHere({ page, first }) {
  const here = window.location.pathname.replace(/\/+$/, "").split("/").pop();
  return here === page || (page === "" && here === first);
}

/** Back and Forward within a page: Python takes the values. Streamlit would open the page anew, with those of its session. */
window.addEventListener("popstate", (event) => {
  const { search } = window.location;
  if (!last || last.data.entry === null || !isHere(last.data) || search === searchOf(last.data)) return;
  event.stopImmediatePropagation();
  gone = { search, until: performance.now() + PATIENCE };
  last.tell("went", search);
}, { capture: true });

/** Streamlit's entry: called when the query changes. */
export default function render({ data: sent, setStateValue, setTriggerValue }) {
  const data = JSON.parse(sent), { pathname, search, hash } = window.location, wanted = searchOf(data), before = last?.data;
  if (!isHere(data)) return;
  last = { data, tell: setTriggerValue };
  if (gone && gone.search !== wanted && performance.now() < gone.until) return; // a run that began before Back
  const isStep = !gone && before?.page === data.page && before.entry !== data.entry;
  gone = null;
  if (wanted !== search) window.history[isStep ? "pushState" : "replaceState"](window.history.state, "", pathname + wanted + hash);
  const texts = session === data.session ? null : textsOf(data.page, search);
  session = data.session;
  if (texts && !Object.keys(data.texts).length) setStateValue("texts", texts);
  else keep(data.page, wanted, data.texts);
}

/** The texts that the tab has kept for this address, or null. */
function textsOf(page, search) {
  try {
    const kept = JSON.parse(sessionStorage.getItem(NAME) ?? "null");
    return kept?.page === page && kept.search === search ? kept.texts : null;
  } catch {
    return null;
  }
}

/** A browser that keeps nothing is no error: the text is then in the session alone. */
function keep(page, search, texts) {
  try {
    if (Object.keys(texts).length) sessionStorage.setItem(NAME, JSON.stringify({ page, search, texts }));
    else sessionStorage.removeItem(NAME);
  } catch { /* full, or forbidden */ }
}
