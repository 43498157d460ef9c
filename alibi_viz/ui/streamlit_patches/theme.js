// Streamlit follows the colour scheme that the browser prefers. This answers its question with the theme of the address,
// and makes it ask again: it does so after each print.

const QUERY = "(prefers-color-scheme: dark)";

/** A media query of our own answer, which listens as the browser's does. */
function answer(list, dark) {
  const bound = (name) => list[name].bind(list);
  const names = ["addEventListener", "removeEventListener", "addListener", "removeListener", "dispatchEvent"];
  return { matches: dark, media: list.media, onchange: null, ...Object.fromEntries(names.map((name) => [name, bound(name)])) };
}

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
