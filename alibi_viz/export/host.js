// The page around pictures that move by themselves: it mounts every part, and follows the reader's theme.

/** Kind of part -> { mount, css }: the modules that follow fill it. @type {Map<string, { mount: Function, css: string }>} */
const kinds = new Map();

/** A Plotly figure. It draws itself, and follows nothing. */
class Chart {
  constructor(root, { figure, alt, name }) {
    this.figure = figure;
    this.frame = Object.assign(document.createElement("div"), {
      className: "picture-frame chart",
      role: "figure",
      ariaLabel: alt,
    });
    root.querySelector(".pictures").append(this.frame);
    this.options = {
      displaylogo: false,
      responsive: true,
      modeBarButtons: [["toImage"]],
      toImageButtonOptions: { filename: name, scale: 2 },
    };
    this.update();
  }

  update() {
    Reflect.get(globalThis, "Plotly").react(this.frame, this.figure.data, this.figure.layout, this.options);
  }
}

class Part {
  constructor(root, { kind, bytes }) {
    const { mount, css } = /** @type {{ mount: Function, css: string }} */ (kinds.get(kind));
    this.mount = mount;
    this.frame = document.createElement("div");
    this.frame.className = "picture-frame";
    root.querySelector(".pictures").append(this.frame);
    const shadow = this.frame.attachShadow({ mode: "open" }), sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    shadow.adoptedStyleSheets = [sheet];
    this.component = {
      parentElement: shadow,
      data: Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0)),
      setTriggerValue() {},
    };
    this.update();
  }

  update() {
    this.mount(this.component);
  }
}

function start() {
  const root = /** @type {HTMLElement} */ (document.querySelector("[data-alone]"));
  const parts = JSON.parse(root.querySelector("script.parts")?.textContent ?? "[]").map((part) =>
    part.kind === "chart" ? new Chart(root, part.data) : new Part(root, part)
  );
  for (const kind of ["input", "click"]) root.addEventListener(kind, (event) => onHand(root, event));
  const again = () => parts.forEach((part) => part.update());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
}

/** A hand of a picture has moved: what was written for the first setting holds no more. */
function onHand(root, event) {
  const isHand = event.composedPath().some((node) =>
    node instanceof Element && node.matches(".hands, .presets, .chips")
  );
  if (!isHand) return;
  for (const written of [root.querySelector(".note"), document.querySelector(".settings")]) written.hidden = true;
}

Object.assign(globalThis, { alibiVizKinds: kinds, alibiVizStart: start });
