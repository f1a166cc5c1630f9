"""Small files of every kind, made from scratch."""

import hashlib
import io
import zipfile
from collections.abc import Mapping, Sequence

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_PADDING = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")
_STYLES = f"""<w:styles {W}>
<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/></w:style>
<w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/></w:style>
</w:styles>"""


# PDF -------------------------------------------------------------------------------------------------------


def a_pdf(*pages: str, password: str | None = None, image: bool = False) -> bytes:
    """A PDF with a line of text for each line of a page; with a password: RC4, an owner's password always set."""
    contents = [_content(page, image=image) for page in pages]
    kids = " ".join(f"{4 + 2 * i} 0 R" for i in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for i, content in enumerate(contents):
        number = 5 + 2 * i
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {number} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        body = content if password is None else _rc4(_object_key(_file_key(password), number), content)
        objects.append(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(body), body))
    trailer = b""
    if password is not None:
        owner, user = _owner_entry(password), _rc4(_file_key(password), _PADDING)
        objects.append(
            b"<< /Filter /Standard /V 1 /R 2 /P -4 /O <%b> /U <%b> >>" % (owner.hex().encode(), user.hex().encode())
        )
        trailer = b" /Encrypt %d 0 R /ID [<00> <00>]" % len(objects)
    return _written(objects, trailer)


def _content(page: str, *, image: bool) -> bytes:
    lines = "".join(f"({line}) Tj 0 -14 Td\n" for line in page.splitlines())
    drawn = b"q 100 0 0 100 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI Q\n" if image else b""
    return drawn + (f"BT /F1 12 Tf 72 770 Td\n{lines}ET".encode("latin-1") if lines else b"")


def _written(objects: Sequence[bytes], trailer: bytes) -> bytes:
    out, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer << /Size %d /Root 1 0 R%b >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, start)
    return bytes(out)


def _padded(password: str) -> bytes:
    return (password.encode() + _PADDING)[:32]


def _owner_entry(password: str) -> bytes:
    return _rc4(hashlib.md5(_padded("owner")).digest()[:5], _padded(password))


def _file_key(password: str) -> bytes:
    permissions = (-4).to_bytes(4, "little", signed=True)
    return hashlib.md5(_padded(password) + _owner_entry(password) + permissions + b"\0").digest()[:5]


def _object_key(key: bytes, number: int) -> bytes:
    return hashlib.md5(key + number.to_bytes(3, "little") + b"\0\0").digest()[:10]


def _rc4(key: bytes, data: bytes) -> bytes:
    state, j = list(range(256)), 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


# DOCX ------------------------------------------------------------------------------------------------------


def a_zip(parts: Mapping[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            package.writestr(name, content)
    return buffer.getvalue()


def a_docx(body: str, parts: Mapping[str, str | bytes] | None = None) -> bytes:
    """A DOCX with this inside w:body."""
    document = f"<w:document {W}><w:body>{body}</w:body></w:document>"
    return a_zip({"word/document.xml": document, "word/styles.xml": _STYLES, **(parts or {})})


def p(text: str, style: str = "") -> str:
    """A paragraph."""
    named = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{named}<w:r><w:t>{text}</w:t></w:r></w:p>"


def an_encrypted_ooxml() -> bytes:
    """The container that Office writes when a password is set."""
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + "EncryptedPackage\0".encode("utf-16-le") + bytes(512)


def an_old_word_document() -> bytes:
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + "WordDocument\0".encode("utf-16-le") + bytes(512)
