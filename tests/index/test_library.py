import subprocess
import sys

LOOK = """
import sys
from bridge.index.library import load_lancedb
load_lancedb()
client = "lance_namespace_urllib3_client"
services = ("urllib3", f"{client}.api", f"{client}.models.create_table_request")
print("lancedb" in sys.modules, *(name for name in services if name in sys.modules))
import overrides
print(overrides.__file__ is not None)
"""


def test_what_talks_to_a_service_is_not_loaded() -> None:
    ended = subprocess.run([sys.executable, "-c", LOOK], capture_output=True, text=True, check=True)
    assert (ended.stdout.split(), ended.stderr) == (["True", "True"], "")


AT_ONCE = """
import threading
from bridge.index.library import load_lancedb
begin, failures = threading.Barrier(4), []

def load():
    begin.wait()
    try:
        load_lancedb()
    except Exception as error:
        failures.append(repr(error))

threads = [threading.Thread(target=load) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(failures)
"""


def test_vaults_opened_at_once_load_it_together() -> None:
    ended = subprocess.run([sys.executable, "-c", AT_ONCE], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]", ended.stdout
