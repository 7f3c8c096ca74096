import subprocess
import sys
from pathlib import Path

import pytest

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


@pytest.mark.process(brief=True)
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


@pytest.mark.process
def test_vaults_opened_at_once_load_it_together() -> None:
    ended = subprocess.run([sys.executable, "-c", AT_ONCE], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]", ended.stdout


TOKENIZER = """
import sys
from bridge.index.library import load_compiled, load_lancedb
tokenize = load_compiled().tokenize
options = {"base_tokenizer": "icu/split", "stem": False, "remove_stop_words": False}
print(*(token.text for token in tokenize("Größe, naïve/会议记录", **options)))
print(sorted({"lancedb", "pyarrow"} & sys.modules.keys()))
load_lancedb()
import lancedb
print(*(token.text for token in lancedb.tokenize("Größe, naïve/会议记录", **options)))
print(len(lancedb.connect(sys.argv[1]).create_table("made", [{"number": 1}])))
"""


@pytest.mark.process(brief=True)
def test_a_process_that_only_tokenizes_loads_no_more(tmp_path: Path) -> None:
    command = [sys.executable, "-c", TOKENIZER, str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines() == ["grosse naive 会议 记录", "[]", "grosse naive 会议 记录", "1"]
