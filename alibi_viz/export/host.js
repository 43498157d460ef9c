// The page around pictures that move by themselves: it mounts every part, and follows the reader's theme. A page has one scene or several, a tab each.

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

class Scene {
  /** @type {Part[]} */ parts = [];

  constructor(root) {
    this.root = root;
    for (const kind of ["input", "click"]) root.addEventListener(kind, (event) => this.onHand(event));
  }

  show(seen) {
    this.root.hidden = !seen;
    if (seen && !this.parts.length) {
      this.parts = JSON.parse(this.root.querySelector("script.parts").textContent).map((
        part,
      ) => (part.kind === "chart" ? new Chart(this.root, part.data) : new Part(this.root, part)));
    }
  }

  /** A hand of a picture has moved: what was written for the first setting holds no more. */
  onHand(event) {
    const isHand = event.composedPath().some((node) =>
      node instanceof Element && node.matches(".hands, .presets, .chips")
    );
    if (isHand) {
      for (const written of [this.root.querySelector(".note"), document.querySelector(".settings")]) {
        written.hidden = true;
      }
    }
  }
}

function start() {
  const scenes = [...document.querySelectorAll("[data-alone]")].map((root) => new Scene(root));
  const buttons = scenes.length < 2 ? [] : scenes.map(({ root }, at) => {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: root.dataset.name });
    button.onclick = () => choose(at);
    return button;
  });
  document.querySelector(".tabs")?.append(...buttons);
  let open = 0;
  const choose = (chosen) => {
    open = chosen;
    scenes.forEach((scene, at) => scene.show(at === chosen));
    buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(at === chosen)));
  };
  choose(0);
  window.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -1, PageDown: 1 }[event.key], chosen = open + (step ?? 0);
    const path = event.composedPath().filter((node) => node instanceof Element);
    if (!step || !scenes[chosen] || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    if (!path.some((node) => node.matches("input, [role=application], [role=slider]"))) choose(chosen);
  });
  const again = () => scenes.forEach(({ parts }) => parts.forEach((part) => part.update()));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
}

Object.assign(globalThis, { alibiVizKinds: kinds, alibiVizStart: start });
