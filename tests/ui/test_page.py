"""What pages hand out."""

import csv
import io

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.ui import page

#: What a reader may write, often with what spreadsheets take for the beginning of a formula.
TEXTS = st.text(st.sampled_from("=+-@ab1,;\t\"' "), max_size=12)


@given(st.lists(TEXTS, min_size=1, max_size=4), TEXTS)
def test_no_cell_of_a_saved_table_is_computed_by_a_spreadsheet(words, about):
    saved = page.csv(pd.DataFrame({"token": words, "bias": -1.5}), f"# text: {about}").decode("utf-8-sig")
    for separator in ",;\t":  # of English, of most European, and of pasted tables
        cells = [cell.strip() for row in csv.reader(io.StringIO(saved), delimiter=separator) for cell in row]
        computed = [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
        assert not computed or {cell.split(separator)[-1] for cell in computed} == {"-1.5"}, "a number"


def test_numbers_stay_numbers_and_excel_reads_the_letters_of_every_language():
    saved = page.csv(pd.DataFrame({"token": ["-a", "b"], "bias": [-1.5, 2.0]}), "# about").decode("utf-8-sig")
    read = pd.read_csv(io.StringIO(saved), comment="#")
    assert read["bias"].tolist() == [-1.5, 2.0]
    assert read["token"].tolist() == ["'-a", "b"]
    assert page.csv(pd.DataFrame({"方法": ["正弦"]}), "# 关于").startswith(b"\xef\xbb\xbf#")
