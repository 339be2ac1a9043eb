"""Every key of the configuration with its type, default and meaning, taken from the typed configuration itself."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from filters.measures.meanings import MEANINGS
from filters.rules import RULES, Rule
from filters.rules.config import rule_keys
from pipelines.config import Config, load_config
from pipelines.errors import UsageError
from pipelines.typed_yaml import config_fields, describe_type, plain, takes_size

_OF_RULE = {
    "enabled": (
        "true or false",
        "whether the rule judges; a rule that is named with other keys does, null instead of its keys switches it off",
    ),
    "min": ("a number or null", "least value that passes; null: no limit"),
    "max": ("a number or null", "greatest value that passes; null: no limit"),
    "allowed": ("a list of texts or any", "names that pass"),
    "on_skip": (
        "keep or drop",
        "what becomes of a thing that cannot be judged, for want of a word list, a model, a known language, length",
    ),
    "min_tokens": ("a whole number or null", "a shorter text is not judged"),
}


@dataclass(frozen=True)
class Key:
    """One key of the configuration. path: dotted, as `--set` takes it. default: the shipped default.yaml's, as YAML."""

    path: str
    allowed: str
    default: str
    meaning: str


def configuration_keys() -> Iterator[Key]:
    """Every key, in the order of the configuration; raises LookupError for one that has no description."""
    yield from _section(Config, load_config(None), "")


def _section(cls: type[Any], values: Any, above: str) -> Iterator[Key]:
    hints = typing.get_type_hints(cls)
    for field in config_fields(cls):
        path, value = f"{above}{field.name}", getattr(values, field.name)
        if path == "rules":
            for rule_id, rule in RULES.items():
                yield from _rule(f"rules.{rule_id}", rule, value[rule_id])
        elif dataclasses.is_dataclass(hints[field.name]):
            yield from _section(typing.cast(type, hints[field.name]), value, f"{path}.")
        else:
            meaning = field.metadata.get("help", "")
            if not meaning:
                raise LookupError(f"{path}: the field {cls.__name__}.{field.name} has no `help` in its metadata")
            yield Key(path, describe_type(hints[field.name], path), _as_yaml(value, takes_size(path)), meaning)


def _rule(path: str, rule: Rule, limits: Any) -> Iterator[Key]:
    for key in rule_keys(rule):
        allowed, meaning = _OF_RULE[key]
        about = rule.category if key == "allowed" else rule.length if key == "min_tokens" else rule.measure
        subject = f" ({about}: {_meaning(path, about)})" if key in ("min", "max", "allowed") and about else ""
        value = getattr(limits, key)
        yield Key(f"{path}.{key}", allowed, "any" if key == "allowed" and value is None else _as_yaml(value), meaning + subject)


def _meaning(path: str, measure: str) -> str:
    if measure not in MEANINGS:
        raise LookupError(f"{path}: the measure {measure} has no line in filters.measures.meanings")
    return MEANINGS[measure]


def _as_yaml(value: Any, is_size: bool = False) -> str:
    if is_size and isinstance(value, int) and value and value % 2**20 == 0:
        return f"{value >> 20}MiB"
    text: str = yaml.safe_dump(plain(value), default_flow_style=True, allow_unicode=True, width=10_000)
    return text.removesuffix("\n").removesuffix("\n...")


def describe_keys(prefix: str = "") -> str:
    """The keys that begin with `prefix` (a section, a rule, a key) as text to read; raises UsageError where there is none."""
    keys = [key for key in configuration_keys() if not prefix or key.path == prefix or key.path.startswith(f"{prefix}.")]
    if not keys:
        sections = ", ".join(field.name for field in dataclasses.fields(Config))
        raise UsageError(f"{prefix}: no such key; the sections are: {sections}")
    return "\n".join(f"{key.path}: {key.default}\n    {key.meaning}\n    allowed: {key.allowed}" for key in keys) + "\n"
