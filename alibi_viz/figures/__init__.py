"""Numbers to pictures: NumPy in, plotly.graph_objects.Figure out. Pure; one module a page."""
