"""Values that a rule of the vault does not allow, where one that it allows is meant."""

from collections.abc import Iterator
from difflib import SequenceMatcher

from bridge.changes.requests.edit_note import SetProperties
from bridge.features.gardener.finding import GardenFinding
from bridge.features.gardener.garden import Garden
from bridge.notebook.plan_note import code_words, plan_link
from bridge.text.closest import find_closest
from bridge.text.fold import fold_case
from bridge.text.series import step_between

ALIKE = 0.8
"""Similarity of a value and the allowed one that is meant."""


class ViolatedConventions:
    """Finds values that are misspelt, by schema notes and by what most notes of a folder have."""

    name = "conventions"
    sentence = "Values that a schema note or the other notes of a folder do not allow, where a similar one is."

    def look(self, garden: Garden) -> Iterator[GardenFinding]:
        """Yield each misspelt value."""
        from bridge.schema.conventions import infer_rules
        from bridge.schema.violations import find_violations

        notes = list(garden.notes.values())
        fresh = list(garden.fresh())
        inferred = [rule for rule in infer_rules(notes, 0.9) if rule.kind == "values"]
        stated = [rule for rule in garden.stated if rule.kind == "values"]
        for rule, note, found in find_violations(fresh, stated, inferred):
            garden.budget.pause()
            wanted = find_closest(found, rule.expected)
            name = next((own for own in note.properties if fold_case(own) == fold_case(rule.name)), None)
            if wanted is None or name is None or note.properties[name] != found:
                continue
            alike = SequenceMatcher(None, fold_case(found), fold_case(wanted)).ratio()
            if alike < ALIKE or step_between(found, wanted):
                continue
            source = f"{plan_link(rule.source)} allows it" if rule.source else f"{rule.share:.0%} keep to such values"
            yield GardenFinding(
                check=self.name,
                notes=(note.path,),
                text=f"In {plan_link(note.path)}, change {code_words(name)} from {code_words(found)} to"
                f" {code_words(wanted)}",
                why=source,
                confidence=round(min(0.95, alike) if rule.source else min(0.9, alike * rule.share), 2),
                request=SetProperties(path=note.path, digest=note.digest, properties={name: wanted}),
                key=rule.name,
                kind="violation",
            )
