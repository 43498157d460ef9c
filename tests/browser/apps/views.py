"""What the browser tests of the views drive, on one server: matrices, curves, and a slider in a fragment."""

import streamlit as st

from alibi_viz.ui.components import modules

if __name__ == "__main__":
    # By the query: Streamlit alone asks for its server below the path of a page (test_streamlit_patches.py).
    st.navigation([st.Page(f"{st.query_params.get('view', 'demo')}.py", default=True)]).run()
else:
    app = st.App(__file__, routes=modules.routes())
