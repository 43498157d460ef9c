"""Every place where this app reaches into Streamlit, or works around it: a file each, which says what breaks without it,
which versions of Streamlit need it, and which public ways were tried.

A test in tests/ui/streamlit_patches/ (tests/browser/test_streamlit_patches.py, if it takes a browser) fails when
Streamlit alone does as well. `make next` runs them against the newest Streamlit and says which files can go. No other
folder imports Streamlit's inner modules: `make lint` sees to that.
"""
