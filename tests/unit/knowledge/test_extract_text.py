import pytest

from rolecall.knowledge.extract import extract

WORDS = "Räksmörgås på Åland: 5 €"


@pytest.mark.parametrize(
    "data",
    [
        WORDS.encode(),
        WORDS.encode("utf-8-sig"),
        WORDS.encode("utf-16"),
        b"\xfe\xff" + WORDS.encode("utf-16-be"),
        WORDS.encode("utf-16-le"),
        WORDS.encode("utf-32"),
        WORDS.encode("cp1252"),
    ],
    ids=["utf-8", "utf-8 bom", "utf-16", "utf-16-be", "utf-16-le without bom", "utf-32", "cp1252"],
)
def test_text_is_read_in_its_encoding(data: bytes) -> None:
    assert extract(data, filename="x.txt").text == WORDS


def test_nul_is_removed_and_the_rest_is_kept() -> None:
    assert extract(b"a\x00b", filename="x.txt").text == "ab"


def test_headings_of_markdown_become_sections_except_inside_a_fence() -> None:
    source = "# Guide\n\nIntro.\n\n```sh\n# no heading\n```\n\n## Setup\n\nRun it.\n\nUsage\n-----\nCall it.\n"
    read = extract(source.encode(), filename="guide.md")
    assert read.title == "Guide"
    sections = {word: read.at(read.text.index(word)).section for word in ("Intro", "no heading", "Run it", "Call it")}
    assert sections == {
        "Intro": "Guide",
        "no heading": "Guide",
        "Run it": "Guide > Setup",
        "Call it": "Guide > Usage",
    }
    assert "```sh" in read.text


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_a_row_of_csv_names_its_columns(delimiter: str) -> None:
    rows = [["Name", "City"], ["Ada", "Luleå"], ["Bo", "Umeå"]]
    data = "\n".join(delimiter.join(row) for row in rows).encode()
    assert extract(data, filename="x.csv").text == "Name | City\nName: Ada | City: Luleå\nName: Bo | City: Umeå"


def test_a_title_above_the_columns_of_csv_is_kept() -> None:
    data = b'Recipients by State,,\nState,Total,Share\nALABAMA,"19,582",3%\nALASKA,"2,204",1%\n'
    assert extract(data, filename="x.csv").text == (
        "Recipients by State\nState | Total | Share\n"
        "State: ALABAMA | Total: 19,582 | Share: 3%\nState: ALASKA | Total: 2,204 | Share: 1%"
    )


def test_csv_without_column_names_stays_as_it_is() -> None:
    assert extract(b"1,2\n3,4\n", filename="x.csv").text == "1,2\n3,4"


def test_a_very_long_cell_and_quoted_line_breaks_are_no_error() -> None:
    cell = "x" * 200_000
    text = extract(f'Key,Text\nA,"two\nlines"\nB,{cell}\n'.encode(), filename="x.csv").text
    assert "Key: A | Text: two lines" in text
    assert cell in text
