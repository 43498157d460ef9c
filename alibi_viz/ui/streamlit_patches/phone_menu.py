"""Closes the menu of a phone that lies on its side, until its reader opens it.

Without it: the menu takes 300 of 844 pixels, and titles and controls, now in more lines, half of the height.
Versions: 1.67, which reads `stSidebarCollapsed-` of the local storage when the menu comes.
Public ways tried: `initial_sidebar_state` is the server's, which does not know the height of a window; "auto" asks for the
width alone.
"""

SCRIPT = """<script>
if (matchMedia("(max-height: 500px) and (pointer: coarse)").matches) localStorage["stSidebarCollapsed-"] ??= true;
</script>"""
