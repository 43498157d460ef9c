// Keys of the whole page: tells Python when one of them is pressed where no control wants it.

const WANTS_KEYS = "input, textarea, select, [contenteditable], [role=application], [role=listbox], [role=slider]";

class Keys {
  constructor(host) {
    this.host = host;
    this.off = new AbortController();
    window.addEventListener("keydown", (event) => this.onKey(event), { signal: this.off.signal });
  }

  close() { this.off.abort(); }

  update({ data, setTriggerValue }) {
    this.names = data.names;
    this.trigger = setTriggerValue;
  }

  onKey(event) {
    const name = this.names?.[event.key === " " ? "Space" : event.key];
    if (!name || event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    // A component's own elements stand in a shadow tree: the path knows them, the target does not.
    const path = event.composedPath().filter((node) => node instanceof Element);
    if (path.some((element) => element.matches(WANTS_KEYS))) return;
    if (event.key === " " && path.some((element) => element.matches("button, a, summary"))) return;
    event.preventDefault();
    this.trigger("pressed", name);
  }
}

export default mounting(Keys);
