from rolecall.knowledge.extract import extract


def text_of(html: str) -> str:
    return extract(html.encode(), filename="x.html").text


def test_only_what_a_reader_sees_is_read() -> None:
    html = (
        "<html><head><title>T</title><style>p{}</style><script>bad()</script></head><body><p>Shown <b>bold</b>.</p>"
        "<p hidden>h1dden</p><div style='color:red; display : none'>h1dden</div><!-- h1dden -->"
        "<template>h1dden</template>"
        "<noscript>h1dden</noscript><img src='data:image/png;base64,AAAA'><p>End</p></body></html>"
    )
    assert text_of(html) == "Shown bold.\n\nEnd"
    assert extract(html.encode(), filename="x.html").title == "T"


def test_headings_become_sections() -> None:
    read = extract(b"<html><h1>A</h1><p>one</p><h2>B</h2><p>two</p><h1>C</h1><p>three</p>", filename="x.html")
    sections = [read.at(read.text.index(word)).section for word in ("one", "two", "three")]
    assert sections == ["A", "A > B", "C"]


def test_a_row_of_a_table_is_a_line() -> None:
    html = "<html><table><tr><th>Name<th>Days</tr><tr><td><p>Leave</p><td>25</tr></table><p>after</p>"
    assert text_of(html) == "Name | Days\nLeave | 25\n\nafter"


def test_a_table_that_lays_the_page_out_is_no_row() -> None:
    html = "<html><table><tr><td><h1>News</h1><p>one</p><p>two</p><td>side</tr></table>"
    assert text_of(html) == "News\n\none\n\ntwo\n\nside"


def test_white_space_is_kept_in_code_alone() -> None:
    assert text_of("<html><p>a\n   b</p><pre>x\n  y</pre>") == "a b\n\nx\n  y"


def test_deep_nesting_loses_nothing() -> None:
    assert text_of("<html>" + "<div>" * 5000 + "DEEP" + "</div>" * 5000) == "DEEP"


def test_a_declared_character_set_is_believed() -> None:
    html = '<html><meta charset="windows-1251"><p>Привет'.encode("cp1251")
    assert extract(html, filename="x.html").text == "Привет"
