// What the components share: elements, numbers for reading, and their entry.

/**
 * An element with a class, attributes and what is in it: elements, and texts, which go in as text, never as HTML.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {(Node | string)[]} content
 */
export function make(tag, name = "", attributes = {}, ...content) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...content.filter(Boolean));
  return setAttributes(element, attributes);
}

/** A table's own value. @template T @param {Record<string, T>} table @param {string} name @returns {T | undefined} */
export const lookUp = (table, name) => (Object.hasOwn(table, name) ? table[name] : undefined);

/**
 * What is asked for under a name, once. Where that fails, the next one who wants it asks again.
 * @template T @param {Map<string, Promise<T>>} kept @param {string} name @param {() => Promise<T>} ask
 */
export function askedOnce(kept, name, ask) {
  const answer = kept.get(name) ?? ask();
  if (!kept.has(name)) answer.catch(() => kept.delete(name));
  kept.set(name, answer);
  return answer;
}

/** @template {Element} E @param {E} element @returns {E} */
export function setAttributes(element, attributes) {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

/** The pen of a canvas. @type {(canvas: HTMLCanvasElement, options?: object) => CanvasRenderingContext2D} */
export const penOf = (canvas, options) => /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", options));

export const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

/** The element of the page in which a component stands. @type {(part: Element) => Element} */
export const hostOf = (part) => /** @type {ShadowRoot} */ (part.getRootNode()).host ?? part;

/** The place of a pointer in an element, in pixels. @type {(element: Element, event: MouseEvent) => [number, number]} */
export function pointIn(element, { clientX, clientY }) {
  const { left, top } = element.getBoundingClientRect();
  return [clientX - left, clientY - top];
}

/** Whether a key is pressed together with one that makes it the browser's. @type {(event: KeyboardEvent) => boolean} */
export const isCombined = ({ altKey, ctrlKey, metaKey }) => altKey || ctrlKey || metaKey;

const WANTS_KEYS =
  "input, textarea, select, [contenteditable], [role=application], [role=listbox], [role=slider], [role=dialog]";

/** Whether a key is the browser's, or that of a control under it: then it means nothing to the page. @param {KeyboardEvent} event */
export function isWanted(event) {
  // A component's own elements stand in a shadow tree: the path knows them, the target does not.
  const path = event.composedPath().filter((node) => node instanceof Element);
  const isOn = (selector) => path.some((element) => element.matches(selector));
  return isCombined(event) || event.defaultPrevented || isOn(WANTS_KEYS) ||
    (event.key === " " && isOn("button, a, summary"));
}

/** A key means something here: neither the browser nor Streamlit, which has single-key commands of its own, hears of it. */
export function claim(event) {
  event.preventDefault();
  event.stopPropagation();
}

/** Whether the reader has asked for no motion. */
export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** A whole number as an exponent: ⁻¹². */
export const raised = (power) => String(power).replace(/./g, (sign) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)]);

/** A number for reading. The same rules as format_number in Python (ui/format.py); a test compares the two. */
export function formatNumber(value, digits = 3) {
  if (Number.isNaN(value) || value === null || value === undefined) return "–";
  const size = Math.abs(value), sign = value < 0 ? "−" : "";
  if (size === Infinity) return `${sign}∞`;
  if (size !== 0 && (size >= 1e9 || size < 1e-4)) {
    const [mantissa, power] = size.toExponential(digits - 2).split("e");
    return `${sign}${Number(mantissa)} × 10${raised(Number(power))}`;
  }
  const rounded = size >= 10 ** (digits - 1) ? Math.round(size) : Number(size.toPrecision(digits));
  return sign + GROUPED.format(rounded);
}

const GROUPED = new Intl.NumberFormat("en", { maximumFractionDigits: 20 }); // made once: making one takes as long as a small picture

/** A share for reading: 52%. */
export const wholePercent = (share) => `${Math.round(100 * share)}%`;

/** A number of a picture: one digit more than in a sentence. */
export const formatExact = (value) => formatNumber(value, 4);

/** What a picture tells the page, and in an exported file its scene: that it is "painted". @type {(root: Element, what: string, detail: object) => void} */
export const emit = (root, what, detail) => {
  root.dispatchEvent(new CustomEvent(`alibi-viz:${what}`, { detail, bubbles: true, composed: true }));
};

/** Without a server the element that holds all parts of a page; null in the app. @type {(part: Element) => Element | null} */
export const aloneIn = (part) => hostOf(part).closest("[data-alone]");

/**
 * The address of a lesson, with what is open there and of a term in it (glossary#head), from a picture: in the app, in the language of the page; on the site,
 * which says in `data-alone` where its lessons are. "": in a file of its own no link leads anywhere.
 * @param {Element} part @param {string} lesson
 */
export function addressOf(part, lesson) {
  const [, path, asked, anchor] = /^([^?#]*)([^#]*)(.*)/.exec(lesson) ?? [], query = new URLSearchParams(asked);
  const alone = aloneIn(part), folder = alone?.getAttribute("data-alone");
  const language = new URLSearchParams(location.search).get("lang");
  if (language && !alone) query.set("lang", language);
  const rest = `${query.size ? `?${query}` : ""}${anchor}`;
  if (alone) return folder ? `${folder}${path}/index.html${rest}` : "";
  return `${path}${rest}`;
}

/** The function that Streamlit calls at every update: one instance of `Kind` an element, closed when the element goes. */
export function mounting(Kind) {
  const instances = new WeakMap();
  return (component) => {
    const host = component.parentElement;
    if (!instances.has(host)) instances.set(host, new Kind(host));
    instances.get(host).update(component);
    return () => {
      instances.get(host)?.close();
      instances.delete(host);
    };
  };
}
