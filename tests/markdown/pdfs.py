"""Minimal PDFs for tests."""

import zlib


def pdf(*pages: str, protected: bool = False) -> bytes:
    """Generate a PDF with one line of Helvetica for each line of a page."""
    kids = " ".join(f"{4 + 2 * index} 0 R" for index in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for index, page in enumerate(pages):
        words = " ".join(f"({line}) Tj T*" for line in page.split("\n"))
        content = f"BT /F1 12 Tf 14 TL 72 720 Td {words} ET"
        font = "/Resources << /Font << /F1 3 0 R >> >>"
        objects.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] {font} /Contents {5 + 2 * index} 0 R >>")
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    trailer = f"<< /Size {len(objects) + 1 + protected} /Root 1 0 R >>"
    if protected:
        objects.append(f"<< /Filter /Standard /V 1 /R 2 /O <{'11' * 32}> /U <{'22' * 32}> /P -4 >>")
        trailer = trailer.replace(">>", f"/Encrypt {len(objects)} 0 R /ID [<{'00' * 16}> <{'00' * 16}>] >>")
    return _written(objects, trailer)


def _written(objects: list[str], trailer: str) -> bytes:
    text = "%PDF-1.4\n"
    table = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n"
    for number, body in enumerate(objects, 1):
        table += f"{len(text):010d} 00000 n \n"
        text += f"{number} 0 obj\n{body}\nendobj\n"
    return f"{text}{table}trailer\n{trailer}\nstartxref\n{len(text)}\n%%EOF".encode("latin-1")


def packed_pdf(content: bytes, pages: int) -> bytes:
    """Generate a PDF of one page that claims to have this many."""
    packed = zlib.compress(content)
    page = (
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R >>"
    )
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [3 0 R] /Count {pages} >>".encode(),
        page.encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< /Length {len(packed)} /Filter /FlateDecode >>\nstream\n".encode() + packed + b"\nendstream",
    ]
    written = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(written))
        written += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    end = (
        f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\n"
    )
    return written + f"{end}startxref\n{len(written)}\n%%EOF".encode()
