// The still of a page stands where its picture will be, and goes when that is painted. The document itself loads this file
// (shell/stills.py): it is there before the page has run.

const DRAWN = ".main-svg, .stCode"; // our own pictures say when they are painted
const LEAST = 120; // pixels of a place that has its height
const COMING = "[data-testid=stSkeleton]"; // Streamlit's mark for a chart whose script is on its way
const PATIENCE = 8000; // ms after a run that has drawn none
const FADE = 250; // ms

const still = /** @type {HTMLElement} */ (document.getElementById("still"));
const frame = /** @type {HTMLElement} */ (still.lastElementChild), page = location.pathname;
const places = String(still.dataset.place);
let isPainted = false;
let ended = Infinity; // when the page was seen to have run

function look(now) {
  const place = document.querySelector(places), box = place?.getBoundingClientRect();
  if (place && box && box.height > LEAST) {
    const seen = Math.min(box.bottom, innerHeight) - box.top; // as much as the still shows
    const from = still.getBoundingClientRect();
    const sides = [box.left - from.left, box.top - from.top, box.width, seen];
    const [left, top, width, height] = sides.map((side) => `${side}px`);
    Object.assign(frame.style, { left, top, width, height, right: "auto" });
    isPainted ||= place.querySelector(DRAWN) !== null;
  }
  if (isPainted) return leave();
  const isRunning = !document.querySelector("[data-test-script-state=notRunning] h1") || place?.querySelector(COMING);
  ended = isRunning ? Infinity : Math.min(ended, now);
  return now > ended + PATIENCE || location.pathname !== page ? still.remove() : requestAnimationFrame(look);
}

async function leave() {
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  await still.animate([{ opacity: 1 }, { opacity: 0 }], isStill ? 0 : FADE).finished;
  still.remove();
}

addEventListener("alibi-viz:painted", ({ target }) => {
  isPainted ||= target instanceof Element && target.closest(places) !== null;
});
requestAnimationFrame(look);
