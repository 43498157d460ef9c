// The empty frame of a page that has not run: it stands where the picture will be, and goes when that is painted. The
// document itself loads this file (shell/document.py).

const DRAWN = ".main-svg, .stCode"; // our own pictures say when they are painted
const LEAST = 120; // pixels of a place that has its height
const COMING = "[data-testid=stSkeleton]"; // Streamlit's mark for a chart whose script is on its way
const PATIENCE = 8000; // ms after a run that has drawn none

const frame = /** @type {HTMLElement} */ (document.getElementById("frame")), page = location.pathname;
const places = String(frame.dataset.places), start = frame.getBoundingClientRect();
let isPainted = false;
let ended = Infinity; // when the page was seen to have run

function look(now) {
  const place = [...document.querySelectorAll(places)].find((one) => one.getBoundingClientRect().height > LEAST);
  if (place) {
    const { left, top, width, bottom } = place.getBoundingClientRect();
    const height = Math.min(bottom, innerHeight) - top; // as much as is in sight
    const transform = `translate(${left - start.left}px, ${top - start.top}px)`; // nothing on the page moves for it
    Object.assign(frame.style, { transform, width: `${width}px`, height: `${height}px`, bottom: "auto" });
    isPainted ||= place.querySelector(DRAWN) !== null;
  }
  const isRunning = !document.querySelector("[data-test-script-state=notRunning] h1") || place?.querySelector(COMING);
  ended = isRunning ? Infinity : Math.min(ended, now);
  const isOver = isPainted || now > ended + PATIENCE || location.pathname !== page || document.querySelector(".failed");
  return isOver ? frame.remove() : requestAnimationFrame(look);
}

/** A picture is there, or the sentence that stands in its place. @param {Event} event */
const seen = ({ target }) => isPainted ||= target instanceof Element && target.closest(places) !== null;
addEventListener("alibi-viz:painted", seen);
addEventListener("alibi-viz:refused", seen);
requestAnimationFrame(look);
