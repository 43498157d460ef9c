// The meaning of a term beside its link: on hover and focus at once, on a touch screen at the first tap. The document itself
// loads this file (shell/document.py): it needs nothing of the run of a page.

import { clamp, make } from "../../pictures/shared.js";

const LINK = 'a[href*="glossary"][href*="#"]';
const LEAVING = 200; // ms in which the pointer may go from the link to its meaning
const GAP = 6; // pixels between the two
const EDGE = 16; // pixels to the window's edges

class Terms {
  /** @type {HTMLAnchorElement | null} the link whose meaning is shown */ link = null;
  leaving = 0; // the timer
  touched = false; // whether the last pointer was a finger
  box = make("div", "term", { popover: "manual", "aria-hidden": "true" });

  listen() {
    const listen = (kind, listener) => document.addEventListener(kind, listener, { capture: true });
    listen("pointerover", (event) => this.onOver(event));
    listen("focusin", ({ target }) => this.showFor(linkAt(target)));
    listen("focusout", () => this.hide());
    listen("click", (event) => this.onClick(event));
    listen("keydown", ({ key }) => key === "Escape" && this.hide());
    listen("scroll", () => this.hide());
  }

  onOver({ target, pointerType }) {
    this.touched = pointerType === "touch";
    if (this.touched) return;
    const link = linkAt(target), stays = link === this.link || this.box.matches(":hover");
    clearTimeout(this.leaving);
    if (link) this.showFor(link);
    else if (this.link && !stays) {
      this.leaving = window.setTimeout(() => this.box.matches(":hover") || this.hide(), LEAVING);
    }
  }

  /** A finger's first tap shows the meaning, its second one follows the link. */
  onClick(event) {
    const link = linkAt(event.target);
    if (this.touched && link && link !== this.tapped) {
      event.preventDefault();
      event.stopPropagation();
      this.showFor(link);
      this.tapped = link;
    } else this.hide();
  }

  showFor(link) {
    if (!link || link === this.link) return;
    this.hide();
    this.link = link;
    this.meaning = link.title;
    link.title = ""; // no second box of the browser's own
    link.setAttribute("aria-description", this.meaning);
    this.box.textContent = this.meaning;
    (link.closest("[data-testid=stApp]") ?? document.body).append(this.box); // it has the theme
    this.box.showPopover();
    const { left, top, bottom } = link.getBoundingClientRect(), { offsetWidth: width, offsetHeight: height } = this.box;
    const below = bottom + GAP + height < window.innerHeight;
    this.box.style.left = `${clamp(left, EDGE, window.innerWidth - width - EDGE)}px`;
    this.box.style.top = `${below ? bottom + GAP : top - GAP - height}px`;
  }

  hide() {
    clearTimeout(this.leaving);
    if (!this.link) return;
    this.link.title = this.meaning;
    this.link = this.tapped = null;
    this.box.hidePopover();
  }
}

function linkAt(target) {
  return target instanceof Element ? target.closest(LINK) : null;
}

new Terms().listen();
