"""Components of our own: plain JavaScript without a build step, mounted by Streamlit."""
