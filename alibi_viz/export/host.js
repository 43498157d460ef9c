// The page around pictures that move by themselves: it mounts every part, answers the sliders as Python would, and
// follows the reader's theme. Each copy on a page is an element of its own.

/** Kind of part -> { mount, css }: the modules that follow fill it. @type {Map<string, { mount: Function, css: string }>} */
const kinds = Reflect.get(globalThis, "alibiVizKinds") ?? new Map();

class Part {
  constructor(root, { kind, place, bytes, data }) {
    const { mount, css } = /** @type {{ mount: Function, css: string }} */ (kinds.get(kind));
    this.mount = mount;
    this.frame = document.createElement("div");
    this.frame.className = place === "controls" ? "control" : "picture-frame";
    root.querySelector(place === "stage" ? ".pictures" : ".side").append(this.frame);
    const shadow = this.frame.attachShadow({ mode: "open" }), sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    shadow.adoptedStyleSheets = [sheet];
    this.data = data ?? Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0));
    this.component = {
      parentElement: shadow,
      setStateValue: (name, value) => this.answer(name, value),
      setTriggerValue() {},
    };
    if (data) this.showNumber(root);
    this.update();
  }

  update() {
    this.mount({ ...this.component, data: this.data });
  }

  /** What a slider reports is what Python would have set; its number comes back, so that the next report may go. */
  answer(name, value) {
    if (name !== "report" || this.data instanceof Uint8Array) return;
    const { value: now, sequence } = value;
    this.data = { ...this.data, value: now, sequence };
    queueMicrotask(() => this.update());
  }

  /** The number beside a slider. */
  showNumber(root) {
    const output = document.createElement("output"), { channel, places } = this.data;
    const show = (value) => { output.textContent = value.toLocaleString("en", { maximumFractionDigits: places }); };
    show(this.data.value);
    const row = document.createElement("div");
    row.className = "control";
    this.frame.replaceWith(row);
    row.append(this.frame, output);
    root.addEventListener("alibi-viz:drag", ({ detail }) => { if (detail.channel === channel) show(detail.value); });
  }
}

function start(root) {
  if (root.dataset.alone === "live") return;
  root.dataset.alone = "live";
  const parts = JSON.parse(root.querySelector("script.parts").textContent).map((part) => new Part(root, part));
  root.addEventListener("alibi-viz:drag", () => { root.querySelector(".note").hidden = true; }); // its numbers hold no more
  const again = () => parts.forEach((part) => part.update());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
}

Object.assign(globalThis, { alibiVizKinds: kinds, alibiVizStart: start });
