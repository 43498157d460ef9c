// Keeps the query string of the address line in step with the page's controls, without a new entry in the history.

/** Streamlit's entry: called when the query changes. */
export default function render({ data }) {
  const { pathname, search, hash } = window.location;
  // A late update of a page that the reader has left must not write into the next page's address.
  const here = pathname.replace(/\/+$/, "").split("/").pop();
  if (here !== data.page && !(data.page === "" && here === "story")) return;
  const wanted = data.query ? `?${data.query}` : "";
  if (wanted !== search) window.history.replaceState(window.history.state, "", pathname + wanted + hash);
}
