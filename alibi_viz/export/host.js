// The page around pictures that move by themselves: it mounts every part, and follows the reader's theme. A file has one
// stage; the site (site/site.js) has parts among its sentences.

/** Kind of part -> { mount, css }. @type {Map<string, { mount: Function, css: string }>} */
export const kinds = new Map();
/** read: what models need, from its address (fileOf of pictures/lm_worker.js). @type {Record<string, (address: string) => Promise<ArrayBuffer>>} */
export const files = {};

/** A Plotly figure. recolour: gives the figure in the colours of the theme. */
export class Chart {
  constructor(frame, part, recolour = (light) => light) {
    this.frame = frame;
    this.recolour = recolour;
    frame.classList.add("chart");
    this.take(part);
  }

  take({ data: { figure, alt, config } }) {
    this.figure = figure;
    this.config = { ...config, responsive: true };
    Object.assign(this.frame, { role: "figure", ariaLabel: alt });
    this.update();
  }

  update() {
    const { data, layout } = this.recolour(this.figure);
    Reflect.get(globalThis, "Plotly").react(this.frame, data, layout, this.config);
  }

  close() {
    Reflect.get(globalThis, "Plotly").purge(this.frame);
  }
}

/** A picture of ours. */
export class Part {
  /**
   * @param {HTMLElement} frame @param {any} part
   * @param {object} [values] what its hands say at first
   * @param {(values: object, isStep: boolean) => void} [report] what they say when they let go, and whether Back undoes it
   */
  constructor(frame, part, values, report) {
    const { mount, css } = /** @type {{ mount: Function, css: string }} */ (kinds.get(part.kind));
    this.mount = mount;
    const shadow = frame.attachShadow({ mode: "open" }), sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    shadow.adoptedStyleSheets = [sheet];
    this.component = {
      parentElement: shadow,
      file: files.read,
      setTriggerValue: (name, sent) => name === "hands" && report?.(sent.values, sent.is_step),
    };
    this.take(part, values);
  }

  /** A message of Python's, or the same one with other values. */
  take({ bytes, has_presets: hasPresets = true }, values) {
    Object.assign(this.component, { data: bytesOf(bytes).slice(), hasPresets, values });
    this.update();
  }

  update() {
    this.close = this.mount(this.component);
  }
}

/** @param {string | Uint8Array<ArrayBuffer>} sent base64, or the bytes */
export const bytesOf = (sent) => (typeof sent === "string" ? bytesIn(atob(sent)) : sent);

/** @param {string} letters each of them is a byte */
export function bytesIn(letters) {
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at); // a tenth of the time of `from`
  return bytes;
}

/** A hand of a picture has moved: what was written for the first setting holds no more. */
function onHand(root, event) {
  const isHand = event.composedPath().some((node) =>
    node instanceof Element && node.matches(".hands, .presets, .chips")
  );
  if (!isHand) return;
  for (const written of [root.querySelector(".note"), document.querySelector(".settings")]) written.hidden = true;
}

/** Tell the page around this frame how high it is. */
export function tellHeight() {
  new ResizeObserver(() => parent.postMessage({ alibiViz: document.body.offsetHeight }, "*")).observe(document.body);
}

/** What a script has compressed. @param {string | Uint8Array<ArrayBuffer>} sent */
export const unzipped = (sent) =>
  new Response(new Blob([bytesOf(sent)]).stream().pipeThrough(new DecompressionStream("gzip")));

/** @param {Record<string, any>} views name -> { mount, css } */
export default function mountFile(views) {
  for (const [name, view] of Object.entries(views)) kinds.set(name, view);
  const root = /** @type {HTMLElement} */ (document.querySelector("[data-alone]"));
  const sent = JSON.parse(root.querySelector("script.files")?.textContent ?? "{}");
  files.read = (address) => unzipped(sent[address]).arrayBuffer();
  const place = () => {
    const frame = Object.assign(document.createElement("div"), { className: "picture-frame" });
    root.querySelector(".stage")?.append(frame);
    return frame;
  };
  const parts = JSON.parse(root.querySelector("script.parts")?.textContent ?? "[]").map((part) =>
    part.kind === "chart" ? new Chart(place(), part) : new Part(place(), part)
  );
  for (const kind of ["input", "click"]) root.addEventListener(kind, (event) => onHand(root, event));
  if (parent !== window) tellHeight();
  const again = () => parts.forEach((part) => part.update());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
}
