"""Tells Streamlit's browser where its server is: where the document is, since all pages stand beside each other.

Without it: opened at the address of a page, /slopes, it asks for /slopes/_stcore/health and /slopes/_stcore/host-config
first. Both answer 404: two requests and two errors in the console, before anything is shown.
Versions: 1.67, which reads `window.__streamlit` once, before its first request.
Public ways tried: `server.baseUrlPath` names a path that the app stands below, and ours stands below none. An answer
other than 404 is worse: the browser may then take /slopes for its server.
"""

SCRIPT = '<script>window.__streamlit ??= {BACKEND_BASE_URL: new URL(".", location.href).href}</script>'
