"""What doctor looks at of journals."""

from bridge.api.finding import Finding, make_finding
from bridge.engine.host import Host
from bridge.features.sessions.settings import SessionSettings
from bridge.notebook.folder import agents_folder


def check_journals(host: Host) -> Finding:
    settings, folder = host.settings, agents_folder(host.settings).sessions
    mode = settings.section(SessionSettings).journals
    if mode == "off" or not host.is_set_up:
        return make_finding("journals", "ok", "No journals of sessions are kept.")
    if host.files.rules.keeps(f"{folder}/Journal.md"):
        text = f"Journals cannot be written: `readonly` or `deny` covers `{folder}`."
        return make_finding("journals", "warn", text, "Change these settings, or set `sessions.journals` to `off`.")
    if not settings.notebook_clients:
        return make_finding("journals", "ok", "No client may have a journal: `notebook_clients` is empty.")
    return make_finding("journals", "ok", f"Journals of sessions are kept in `{folder}`.")
