"""Everything that imports Streamlit: controls, state, the matrix view and the drag slider."""
