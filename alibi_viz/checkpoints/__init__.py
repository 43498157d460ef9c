"""Published models: what a `config.json` says about positions (`config`), and local checkpoints (`checkpoint`).

Everything here comes from outside: sizes are bounded before anything is read, no code of a checkpoint is run, and nothing
is asked of another host. `transformers` and `tokenizers` are an extra, and imported when a
checkpoint is opened (`build`, `checkpoint`).
"""
