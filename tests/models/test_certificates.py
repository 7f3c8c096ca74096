import shutil
import ssl
import subprocess
import sys
from pathlib import Path

import pytest

from tests.models.hub import Hub, serving

FETCH = """
import sys
from pathlib import Path
from bridge.errors import ModelUnusable
from bridge.models.catalogue import ModelSpec
from bridge.models.install import download

async def at_once(_seconds): ...

spec = ModelSpec("some-model", "Some model", 256, "English", "MIT", "download", dimensions=384, url=sys.argv[1])
try:
    print(download(spec, Path(sys.argv[2]), lambda *_: None, at_once).path.read_bytes())
except ModelUnusable:
    print("refused")
"""


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    if (openssl := shutil.which("openssl")) is None:
        pytest.skip("OpenSSL makes the certificate, and is not installed.")
    words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=hub"
    words += " -addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out certificate.pem"
    subprocess.run([openssl, *words.split()], cwd=tmp_path, check=True, capture_output=True)
    return tmp_path / "certificate.pem"


@pytest.mark.parametrize("trusted", [True, False])
def test_downloads_trust_the_certificates_of_the_system(
    certificate: Path, tmp_path: Path, *, trusted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, certificate.with_name("key.pem"))
    if trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with serving(Hub(b"the model"), tls) as hub:
        ran = subprocess.run(
            [sys.executable, "-c", FETCH, hub.url, str(tmp_path)], capture_output=True, text=True, check=True
        )
    assert ran.stdout.strip() == ("b'the model'" if trusted else "refused")
