// Streamlit follows the colour scheme that the browser prefers. This answers its question with the theme of the address,
// and makes it ask again: it does so after each print.

const QUERY = "(prefers-color-scheme: dark)";

/** A media query of our own answer, which listens as the browser's does. */
const answer = (list, dark) =>
  new Proxy(list, {
    get: (
      _,
      name,
    ) => (name === "matches" ? dark : typeof list[name] === "function" ? list[name].bind(list) : list[name]),
  });

/** Streamlit's entry: called when the theme of the address changes. */
export default function render({ data }) {
  const shared = (/** @type {any} */ (window).alibiVizTheme ??= { theme: "auto", ask: window.matchMedia.bind(window) });
  if (shared.theme === data.theme) return;
  shared.theme = data.theme;
  window.matchMedia = (query) => {
    const list = shared.ask(query);
    return shared.theme === "auto" || query !== QUERY ? list : answer(list, shared.theme === "dark");
  };
  window.dispatchEvent(new Event("afterprint"));
}
