"""Controls: what may be set, the widgets that set it, and the address that remembers it."""
