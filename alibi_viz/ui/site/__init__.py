"""The site: each page of the app runs once a language and a state, as its tests run it, and what it has sent to the browser
becomes a page of the site. page.py says what that page is, states.py in which states it runs, files.py what is written.
"""
