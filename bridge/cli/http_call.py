"""Sends one request to a running bridge on this machine.

It speaks HTTP/1.0, in which an answer ends with its connection: loading `http.client`, which also loads what email and
TLS need, would take longer than the answer.
"""

import socket
from collections.abc import Mapping
from urllib.parse import urlsplit

CONNECT_S = 5.0
CHUNK = 1 << 16


def post(url: str, headers: Mapping[str, str], body: bytes, patience: float | None) -> tuple[int, bytes]:
    """Post a body, and return the status and the body of the answer."""
    place = urlsplit(url)
    lines = {"Host": place.netloc, **headers, "Content-Length": str(len(body))}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    with socket.socket() as connection:
        connection.settimeout(CONNECT_S)
        connection.connect((place.hostname, place.port))
        connection.settimeout(patience)
        connection.sendall(f"POST {place.path} HTTP/1.0\r\n{head}\r\n".encode() + body)
        answer = b"".join(iter(lambda: connection.recv(CHUNK), b""))
    return split_answer(answer)


def split_answer(answer: bytes) -> tuple[int, bytes]:
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    protocol, status, *_ = first.split(" ", 2)
    lengths = [int(line[15:]) for line in lines if line[:15].lower() == "content-length:"]
    if not protocol.startswith("HTTP/") or lengths != [len(body)]:
        raise ValueError(first)
    return int(status), body
