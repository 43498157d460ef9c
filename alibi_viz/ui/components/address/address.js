// Keeps the query string of the address line in step with the page's controls, in place.
// Texts that are too long for it are kept by the tab, beside the address that they belong to, and given back after a reload,
// and after a sleep in which the server has forgotten them. Who goes back while a run is on its way goes to where the run
// before it had been: Python cannot tell that address from one that is behind the times, so it is told. The document says in
// which language the page is, and links in sentences, which open a tab of their own, carry the language that was chosen.

const NAME = "alibi-viz:texts";
let session = ""; // of the server: a new one has been told no text yet
let shown = null; // what the last run has sent
/** Tells Python that the reader went back to this address. @type {(search: string) => void} */
let tell = () => {};

for (const kind of ["pointerdown", "focusin"]) document.addEventListener(kind, carryLanguage);
window.addEventListener("popstate", () => {
  const { search } = window.location;
  if (shown && isHere(shown) && search === searchOf(shown)) tell(search);
});

function carryLanguage({ target }) {
  const link = target instanceof Element ? target.closest("a") : null, chosen = new URLSearchParams(window.location.search).get("lang");
  if (!link || !chosen || link.origin !== window.location.origin) return;
  const query = new URLSearchParams(link.search);
  query.set("lang", chosen);
  link.search = query.toString();
}

const searchOf = ({ query }) => (query ? `?${query}` : "");

/** Whether the address line is that of this page: a late update of a page that was left must not write into another's. */
function isHere({ page, first }) {
  const here = window.location.pathname.replace(/\/+$/, "").split("/").pop();
  return here === page || (page === "" && here === first);
}

/** Streamlit's entry: called when the query changes. */
export default function render({ data: sent, setStateValue, setTriggerValue }) {
  const data = JSON.parse(sent), { pathname, search, hash } = window.location, wanted = searchOf(data);
  if (!isHere(data)) return;
  shown = data;
  tell = (went) => setTriggerValue("went", went);
  document.documentElement.lang = data.language;
  if (wanted !== search) window.history.replaceState(window.history.state, "", pathname + wanted + hash);
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
