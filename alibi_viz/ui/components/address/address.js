// Keeps the query string of the address line in step with the page's controls, without a new entry in the history.
// Texts that are too long for it are kept by the tab, beside the address that they belong to, and given back after a reload.

const NAME = "alibi-viz:texts";
/** @type {string | null} null as soon as the page that was loaded has been asked for */
let loaded = location.search;

/** Streamlit's entry: called when the query changes. */
export default function render({ data, setStateValue }) {
  const { pathname, search, hash } = window.location;
  // A late update of a page that the reader has left must not write into the next page's address.
  const here = pathname.replace(/\/+$/, "").split("/").pop();
  if (here !== data.page && !(data.page === "" && here === data.first)) return;
  const wanted = data.query ? `?${data.query}` : "";
  if (wanted !== search) window.history.replaceState(window.history.state, "", pathname + wanted + hash);
  const texts = loaded === null ? null : textsOf(data.page, loaded);
  loaded = null;
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
