// The meaning of a term beside its link, on hover, focus and click; from there “more” leads to the glossary, where the term is
// marked. The document itself loads this file (shell/document.py): it needs nothing of the run of a page.

import { clamp, hostOf, make } from "../../pictures/shared.js";

/** A link to a term; in a file that moves it leads nowhere. Its title is the meaning, and in a second line “more”. */
const LINK = 'a[href*="glossary"][href*="#"], a.meaning';
const LEAVING = 200; // ms in which the pointer may go from the link to its meaning
const GAP = 6; // pixels between the two
const EDGE = 16; // pixels to the window's edges

class Terms {
  /** @type {HTMLAnchorElement | null} the link whose meaning is shown */ link = null;
  title = ""; // of it
  isHeld = false; // by a click: the pointer may leave
  leaving = 0; // the timer
  roots = new WeakSet(); // that are listened in
  box = make("div", "term", { popover: "manual", role: "note" });

  listen() {
    this.listenIn(document);
    const listen = (kind, listener) => document.addEventListener(kind, listener, { capture: true });
    listen("click", (event) => this.onClick(event));
    listen("keydown", (event) => this.onKey(event));
    listen("scroll", () => this.place());
  }

  /** Moves from one element of a picture's root to another one do not leave it. @param {Document | ShadowRoot} root */
  listenIn(root) {
    if (this.roots.has(root)) return;
    this.roots.add(root);
    const listen = (kind, listener) =>
      root.addEventListener(kind, (event) => {
        for (const node of event.composedPath()) if (node instanceof ShadowRoot) this.listenIn(node);
        listener(event);
      }, { capture: true });
    listen("pointerover", (event) => this.onOver(event));
    listen("focusin", (event) => this.showFor(linkOf(event)));
    listen("focusout", (event) => this.box.contains(event.relatedTarget) || this.hide());
  }

  onOver(event) {
    if (event.pointerType === "touch") return;
    const link = linkOf(event), stays = link === this.link || this.isHeld || this.isIn(event);
    clearTimeout(this.leaving);
    if (link) this.showFor(link);
    else if (this.link && !stays) {
      this.leaving = window.setTimeout(() => this.box.matches(":hover") || this.hide(), LEAVING);
    }
  }

  /** A click shows the meaning and leaves nothing; with a key held it opens the glossary beside this page. */
  onClick(event) {
    if (this.isIn(event)) return;
    const link = linkOf(event);
    if (!link) return this.hide();
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.showFor(link);
    this.isHeld = true;
    if (!event.detail) this.box.querySelector("a")?.focus(); // by a key
  }

  onKey(event) {
    const { link } = this;
    if (event.key === "Enter" && linkOf(event)?.matches(":not([href])")) this.onClick(event);
    if (event.key !== "Escape" || !link) return;
    if (this.isIn(event)) link.focus();
    this.hide();
  }

  isIn(event) {
    return event.composedPath().includes(this.box);
  }

  showFor(link) {
    if (!link || link === this.link || this.box.contains(link)) return;
    this.hide();
    const [meaning, more] = link.title.split("\n");
    Object.assign(this, { link, title: link.title });
    link.title = ""; // no second box of the browser's own
    link.setAttribute("aria-description", meaning);
    const { href, target } = link;
    this.box.replaceChildren(meaning, ...(href && more ? [" ", make("a", "", { href, target }, more)] : []));
    (hostOf(link).closest("[data-testid=stApp], [data-alone]") ?? document.body).append(this.box); // it has the theme
    this.box.showPopover();
    this.place();
  }

  /** Beside its link, also while the page scrolls (a focus by Tab scrolls to its link); it goes where the link goes out. */
  place() {
    const { link, box } = this;
    if (!link) return;
    const { left, top, bottom } = link.getBoundingClientRect(), { offsetWidth: width, offsetHeight: height } = box;
    if (bottom < 0 || top > window.innerHeight) return this.hide();
    const below = bottom + GAP + height < window.innerHeight;
    box.style.left = `${clamp(left, EDGE, window.innerWidth - width - EDGE)}px`;
    box.style.top = `${below ? bottom + GAP : top - GAP - height}px`;
  }

  hide() {
    clearTimeout(this.leaving);
    this.isHeld = false;
    if (!this.link) return;
    this.link.title = this.title;
    this.link = null;
    this.box.hidePopover();
  }
}

function linkOf(event) {
  return event.composedPath().find((node) => node instanceof Element && node.matches(LINK)) ?? null;
}

/** Mark the term that the address names, also where it comes later than the address (`:target` would not). */
function markNamed() {
  const name = CSS.escape(decodeURIComponent(location.hash.slice(1)));
  named.replaceSync(name && `#${name} { background: color-mix(in srgb, var(--accent, orange) 22%, transparent); }`);
}

const named = new CSSStyleSheet();
document.adoptedStyleSheets.push(named);
addEventListener("hashchange", markNamed);
markNamed();
new Terms().listen();
