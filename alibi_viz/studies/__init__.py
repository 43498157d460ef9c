"""What each page computes: one module a page, a frozen set of controls in, plain numbers (NumPy) out.

A page reads its controls, hands them to one `study` function of this room, and hands the result to one figure function.
Nothing here draws and nothing here knows Streamlit.
"""
