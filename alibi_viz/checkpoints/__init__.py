"""Published models: what a `config.json` says about positions (`config`, `table`), and models of a local folder (`local`).

Everything here comes from outside: sizes are bounded before anything is read, no code of a model is run, and nothing is
asked of another host. `transformers` and `tokenizers` are an extra, imported when a model is opened.
"""
