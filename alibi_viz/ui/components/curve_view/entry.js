// The module's entry.

export default mounting(View);
