// A window that shows nothing any more loads its page again, as it was framed. The document loads this file
// (shell/document.py).

const FRAMING = ["present", "lang", "room"];
const EMPTY = 3000; // ms

const root = document.getElementById("root");
let framing = new URLSearchParams(), filled = Infinity; // Infinity: it has shown nothing yet

setInterval(() => {
  if (document.querySelector("[data-test-script-state=notRunning]")) framing = new URLSearchParams(location.search);
  if (root?.childElementCount) filled = performance.now();
  if (performance.now() - filled < EMPTY || filled === Infinity) return;
  filled = Infinity;
  const here = new URL(location.href);
  for (const key of FRAMING) if (framing.has(key)) here.searchParams.set(key, framing.get(key) ?? "");
  history.replaceState(null, "", here);
  location.reload();
}, 250);
