"""The frame around every page: the menu, what stands around a page, presenting, the document."""
