// What the address of a page of the site asks for, as the app reads it (ui/controls/params.py), and how it is written.

/** Key -> { label, said, kind, low, high, titles, default }: the controls of the page. @type {Map<string, any>} */
export const controls = new Map();

export const queryNow = () => new URLSearchParams(location.search);

/** The query that the page shows. */
export const written = { search: location.search };

/** Write the address; Back undoes a step. From the disk some browsers let none be written. */
export function setQuery(query, isStep = false) {
  const search = query.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  const url = `${location.pathname}${search && `?${search}`}${location.hash}`;
  try {
    if (isStep) history.pushState(null, "", url);
    else history.replaceState(null, "", url);
  } catch { /* file: */ }
  written.search = location.search;
}

const FLAGS = new Map(Object.entries({ true: true, 1: true, yes: true, false: false, 0: false, no: false }));

/** What a text of the address says of a control; undefined: nothing that the page can show. */
export function bounded({ kind, low, high, titles }, text) {
  if (kind === "flag") return FLAGS.get(text.trim().toLowerCase());
  if (kind === "int" || kind === "float") {
    const plain = text.trim().replace(/^0[box].*/i, "").replace(/inf(inity)?$/i, "Infinity"); // as Python reads it
    const value = Math.min(high, Math.max(low, Number(plain || NaN)));
    return Number.isNaN(value) ? undefined : kind === "int" ? Math.trunc(value) : value;
  }
  if (kind === "choice") return Object.hasOwn(titles, text) ? text : undefined;
  if (kind === "choices") {
    const words = text.split(",").map((word) => word.trim());
    return Object.keys(titles).filter((choice) => words.includes(choice)).join(",") || undefined;
  }
  if (kind === "cell") {
    return /^\s*\d{1,8}\s*,\s*\d{1,8}\s*$/.test(text) ? text.split(",").map(Number).join(",") : undefined;
  }
  return text.length <= 2000 ? text : undefined;
}

/** The name of the state that a query asks for: what is not at its default (ui/site/page.py). */
export function stateOf(query) {
  const pairs = [...query].filter(([key]) => controls.has(key))
    .map(([key, text]) => [key, String(bounded(controls.get(key), text) ?? text)])
    .filter(([key, text]) => text !== controls.get(key).default);
  return new URLSearchParams(pairs.sort(([first], [second]) => (first < second ? -1 : 1))).toString();
}

/**
 * Of these states the one that has most of what is wanted, and nothing else; and what was chosen, which is a state too.
 * @param {string[]} states @param {string} wanted @param {string} chosen
 */
export function nearest(states, wanted, chosen = "") {
  const pairsOf = (state) => state.split("&").filter(Boolean), pairs = pairsOf(wanted);
  const fitting = states.filter((state) =>
    pairsOf(state).every((pair) => pairs.includes(pair)) &&
    pairsOf(chosen).every((pair) => pairsOf(state).includes(pair))
  );
  return fitting.reduce((best, state) => (pairsOf(state).length > pairsOf(best).length ? state : best), chosen);
}
