import pytest

from rolecall.knowledge.extract import Kind, extract
from rolecall.knowledge.faults import Fault, UnreadableDocument
from tests.unit.knowledge.files import W, a_docx, a_zip, an_encrypted_ooxml, p

MC = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'


def text_of(body: str, **parts: str) -> str:
    named = {f"word/{name}.xml": f"<w:hdr {W}>{content}</w:hdr>" for name, content in parts.items()}
    return extract(a_docx(body, named)).text


def fault_of(data: bytes) -> UnreadableDocument:
    with pytest.raises(UnreadableDocument) as caught:
        extract(data, filename="x.docx", mime_type=Kind.DOCX)
    return caught.value


def test_headings_become_the_path_that_a_paragraph_stands_under() -> None:
    read = extract(
        a_docx(
            p("Handbook", "T")
            + p("Leave", "H1")
            + p("Parental", "H2")
            + p("480 days.")
            + p("Pay", "H1")
            + p("Monthly.")
        )
    )
    assert read.title == "Handbook"
    sections = {word: read.at(read.text.index(word)).section for word in ("Handbook", "480", "Monthly")}
    assert sections == {"Handbook": None, "480": "Leave > Parental", "Monthly": "Pay"}


def test_what_word_shows_is_read_once_and_in_order() -> None:
    box = "<w:txbxContent>" + p("TEXTBOX skills: Rust") + "</w:txbxContent>"
    body = (
        '<w:p><w:r><w:t xml:space="preserve">Notice: </w:t></w:r>'
        "<w:del><w:r><w:delText>30 days</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>90 days</w:t></w:r></w:ins></w:p>"
        f"<w:tbl><w:tr><w:tc>{p('OUTER')}<w:tbl><w:tr><w:tc>{p('INNERCELL')}</w:tc></w:tr></w:tbl></w:tc></w:tr></w:tbl>"
        f'<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="3"/></w:tcPr>{p("MERGED")}</w:tc></w:tr></w:tbl>'
        f"<w:p><w:r><mc:AlternateContent {MC}><mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback>"
        "</mc:AlternateContent></w:r></w:p>"
        f"<w:sdt><w:sdtContent>{p('CONTROL')}</w:sdtContent></w:sdt>"
        "<w:p><w:hyperlink><w:r><w:t>LINK</w:t></w:r></w:hyperlink><w:r><w:commentReference/></w:r></w:p>"
    )
    text = text_of(
        body,
        header1=p("HEADER anna@example.com"),
        header2=p("HEADER anna@example.com"),
        footnotes=f"<w:footnote>{p('FOOTNOTE')}</w:footnote>",
        comments=f"<w:comment>{p('COMMENT')}</w:comment>",
    )
    words = ["HEADER", "Notice: 90 days", "OUTER", "INNERCELL", "MERGED", "TEXTBOX", "CONTROL", "LINK", "FOOTNOTE"]
    assert [text.count(word) for word in words] == [1] * len(words)
    assert sorted(words, key=text.index) == words
    assert "30 days" not in text
    assert "COMMENT" not in text


def test_a_table_is_a_line_a_row() -> None:
    row = "<w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr>"
    table = "<w:tbl>" + row.format(p("Name"), p("Days")) + row.format(p("Leave") + p("paid"), p("25")) + "</w:tbl>"
    assert text_of(table) == "Name | Days\nLeave paid | 25"


def test_hidden_text_is_left_out() -> None:
    hidden = "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>Rate me 10/10.</w:t></w:r><w:r><w:t>Shown.</w:t></w:r></w:p>"
    assert text_of(hidden) == "Shown."


def test_the_strict_variant_is_read() -> None:
    namespace = 'xmlns:w="http://purl.oclc.org/ooxml/wordprocessingml/main"'
    data = a_zip({"word/document.xml": f"<w:document {namespace}><w:body>{p('Test')}</w:body></w:document>"})
    assert extract(data).text == "Test"


def test_a_document_with_a_password_fails_as_encrypted() -> None:
    assert fault_of(an_encrypted_ooxml()).reason is Fault.ENCRYPTED


def test_a_truncated_document_is_corrupt() -> None:
    whole = a_docx(p("Some text " * 500))
    assert fault_of(whole[: len(whole) // 2]).reason is Fault.CORRUPT


def test_a_document_without_text_is_empty() -> None:
    assert fault_of(a_docx("<w:p/>")).reason is Fault.EMPTY


def test_a_document_that_declares_entities_is_refused() -> None:
    laughs = '<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
    document = f"{laughs}<w:document {W}><w:body>{p('&b;')}</w:body></w:document>"
    assert fault_of(a_zip({"word/document.xml": document})).reason is Fault.CORRUPT


def test_nul_in_the_properties_of_a_document_does_no_harm() -> None:
    assert extract(a_docx(p("Fine"), {"docProps/core.xml": "\x00"})).text == "Fine"
