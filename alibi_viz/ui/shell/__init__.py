"""The frame around every page: navigation, sidebar, logo."""
