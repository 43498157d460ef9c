"""Everything that lessons share and that imports Streamlit."""
