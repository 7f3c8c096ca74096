"""What others use of properties."""

from bridge.features.properties.census import PropertyCount, ValueKind, count_properties, kind_of_value
from bridge.features.properties.rules import NAME_PATTERNS, Rule, RuleScope, applies_to, find_violations, infer_rules
from bridge.features.properties.schema_note import TYPE, find_templates, read_schemas, without_templates
