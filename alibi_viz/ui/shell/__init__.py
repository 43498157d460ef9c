"""The frame around every page: navigation, the row at the top, sidebar, logo."""
