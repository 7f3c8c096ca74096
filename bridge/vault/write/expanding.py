"""Makes a plan whole before it is written down: the folders that it needs, and where removed files go."""

from dataclasses import replace

from bridge.steps import Plan, Step
from bridge.types import VaultPath
from bridge.vault.paths import parents
from bridge.vault.vault import Vault
from bridge.vault.write.hands import Hands
from bridge.vault.write.trash import Trash, in_trash


def expanded(hands: Hands, vault: Vault, plan: Plan) -> Plan:
    """Return a plan with a step for each folder that has to be made and a place for each file that is removed.

    Raises:
        OSError: The system refuses.
    """
    steps: list[Step] = []
    made: set[str] = set()
    trash = Trash(hands, vault)
    for step in plan.steps:
        target = named(step) if step.kind in {"put", "move"} else None
        for folder in parents(target or ""):
            if folder not in made and not any(inside(folder, s.to) for s in steps) and not is_folder(hands, folder):
                steps.append(Step("make_folder", VaultPath(folder)))
                made.add(folder)
        if step.kind == "make_folder":
            made.add(step.path)
        steps.append(trash.takes(step, plan) if step.kind == "remove" else step)
    return replace(plan, steps=tuple(steps))


def inside(folder: str, target: str | None) -> bool:
    """Say whether an earlier step moves a folder to where this one is."""
    return target is not None and (folder == target or folder.startswith(f"{target}/"))


def is_folder(hands: Hands, path: str) -> bool:
    """Say whether a folder is there."""
    try:
        with hands.at(path) as place:
            return place.is_folder
    except FileNotFoundError:
        return False


def named(step: Step) -> str | None:
    """Return the path that a step gives to something new."""
    match step.kind:
        case "put" if step.before is None:
            return step.path
        case "make_folder":
            return step.path
        case "move":
            return step.to if step.to is not None and not in_trash(step.to) else None
        case _:
            return None
