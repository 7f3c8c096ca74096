import subprocess
import sys

LOOK = """
import sys
from bridge.index.open import load_lancedb
load_lancedb()
print("urllib3" in sys.modules, "lance_namespace_urllib3_client.api" in sys.modules, "lancedb" in sys.modules)
"""


def test_what_talks_to_a_service_is_not_loaded() -> None:
    ended = subprocess.run([sys.executable, "-c", LOOK], capture_output=True, text=True, check=True)
    assert (ended.stdout.split(), ended.stderr) == (["False", "False", "True"], "")
