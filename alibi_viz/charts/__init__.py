"""What the charts of several lessons share: palette, lines, colour maps. NumPy in, Plotly out; no torch, no Streamlit."""
