"""YAML files and `KEY=VALUE` overrides as nested dataclasses, checked by their type hints; each error names file, line and key.

Nothing here knows which keys there are.
"""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, Union

import yaml

from transforms.sizes import parse_size
from transforms.stored_path import StoredPath

SIZE_KEYS = frozenset({"bytes", "memory", "bytes_in_flight"})
"""Keys that take sizes such as 8MiB, as do those that end in `_bytes`."""


class ConfigError(ValueError):
    """A configuration that cannot be used; the text names file and line or override, the key, and what is allowed."""


@dataclass(frozen=True)
class Located:
    """A YAML value and where it was written, `FILE:LINE` or the override. Mappings hold `Located` values."""

    value: Any
    where: str


def read_yaml(path: StoredPath) -> dict[str, Any]:
    """The sections of a YAML file, each with its place; raises ConfigError."""
    try:
        text = path.read_text(encoding="utf-8")
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from None
    if node is None:
        return {}
    located = _locate(node, str(path))
    if not isinstance(located.value, dict):
        raise ConfigError(
            f"{located.where}: a configuration is a mapping of sections, e.g. `extract:`; found {_kind(located.value)}"
        )
    return located.value


def overlay(tree: dict[str, Any], over: Mapping[str, Any]) -> None:
    """Lays one file over another: mappings are merged key by key, anything else is replaced."""
    for key, item in over.items():
        below = tree.get(key)
        if below is not None and isinstance(below.value, dict) and isinstance(item.value, dict):
            overlay(below.value, item.value)
            tree[key] = Located(below.value, item.where)
        else:
            tree[key] = item


def _locate(node: yaml.Node, file: str) -> Located:
    where = f"{file}:{node.start_mark.line + 1}"
    if isinstance(node, yaml.MappingNode):
        mapping: dict[str, Located] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value)
            if key in mapping:
                raise ConfigError(f"{file}:{key_node.start_mark.line + 1}: {key}: given twice; remove one")
            value = _locate(value_node, file)
            mapping[key] = Located(value.value, f"{file}:{key_node.start_mark.line + 1}")
        return Located(mapping, where)
    if isinstance(node, yaml.SequenceNode):
        return Located([_locate(item, file).value for item in node.value], where)
    return Located(yaml.SafeLoader("").construct_object(node), where)


def apply_override(tree: dict[str, Any], override: str, dotted: Collection[str] = ()) -> None:
    """Sets one key of `tree`. override: `a.b.c=VALUE`, VALUE as YAML. dotted: sections whose keys hold one dot themselves."""
    where = f"--set {override}"
    path, equals, text = override.partition("=")
    if not equals or not path.strip():
        raise ConfigError(f"{where}: must have the form KEY=VALUE, e.g. rules.document.words.min=20")
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError(f"{where}: the value is not valid YAML: {' '.join(str(error).split())}") from None
    keys = path.strip().split(".")
    if keys[0] in dotted and len(keys) > 2:
        # rules.document.words.min is rules -> document.words -> min.
        keys[1:3] = [".".join(keys[1:3])]
    section = tree
    for key in keys[:-1]:
        inner = section.get(key)
        below = inner.value if inner is not None and isinstance(inner.value, dict) else {}
        section[key] = Located(below, where)
        section = below
    section[keys[-1]] = locate_plain(value, where)


def locate_plain(value: Any, where: str) -> Located:
    """A plain value, `where` as the place of all of it."""
    if isinstance(value, dict):
        return Located({str(k): locate_plain(v, where) for k, v in value.items()}, where)
    return Located(value, where)


def config_fields(cls: type[Any]) -> list[dataclasses.Field[Any]]:
    """The fields of a dataclass that are keys. One with `decided_by` in its metadata is none: another section decides its value."""
    return [f for f in dataclasses.fields(cls) if "decided_by" not in f.metadata]


Reader = Callable[[Located], Any]
"""Reads a section that no type hint describes; raises ConfigError."""

Section = TypeVar("Section")


def build(cls: type[Section], located: Located, readers: Mapping[str, Reader], path: str = "") -> Section:
    """A dataclass from a mapping, its fields by their type hints.

    readers: by the dotted path of a key, what reads it instead. path: of `located` itself; empty at the top.

    Raises:
        ConfigError: unknown key, wrong type, or a ValueError of the dataclass.
    """
    if not isinstance(located.value, dict):
        names = ", ".join(f.name for f in config_fields(cls))
        raise ConfigError(f"{located.where}: {path or 'configuration'}: must be a mapping with keys of: {names}")
    hints = typing.get_type_hints(cls)
    fields = {f.name: f for f in config_fields(cls)}
    values: dict[str, Any] = {}
    for key, item in located.value.items():
        key_path = f"{path}.{key}" if path else key
        if key not in fields:
            raise ConfigError(f"{item.where}: {key_path}: unknown key; allowed here: {', '.join(fields)}")
        reader = readers.get(key_path)
        values[key] = reader(item) if reader is not None else _value(hints[key], item, readers, key_path)
    try:
        return cls(**values)
    except ValueError as error:
        raise ConfigError(f"{located.where}: {path}: {error}") from None


def _value(hint: Any, item: Located, readers: Mapping[str, Reader], path: str) -> Any:
    """`item` as the type `hint`, or ConfigError."""
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return build(hint, item, readers, path)
    is_size = takes_size(path)
    for option in _options(hint):
        converted = _convert(option, item.value, is_size)
        if converted is not _NO:
            return converted
    raise ConfigError(f"{item.where}: {path}: {_kind(item.value)} is not allowed; allowed: {describe_type(hint, path)}")


def describe_type(hint: Any, path: str) -> str:
    """What a key may be set to, such as `a size such as 8MiB or null`. path: of the key, dotted."""
    return " or ".join(_describe(hint, takes_size(path)))


def takes_size(path: str) -> bool:
    """Whether the key at a dotted path takes sizes such as 8MiB."""
    key = path.rpartition(".")[2]
    return key in SIZE_KEYS or key.endswith("_bytes")


def strip_places(located: Any) -> Any:
    """The plain value again."""
    value = located.value if isinstance(located, Located) else located
    if isinstance(value, dict):
        return {key: strip_places(item) for key, item in value.items()}
    return value


_NO = object()


def _options(hint: Any) -> Iterator[Any]:
    if typing.get_origin(hint) in (Union, types.UnionType):
        for argument in typing.get_args(hint):
            yield from _options(argument)
    else:
        yield hint


def _convert(option: Any, value: Any, is_size: bool) -> Any:
    origin = typing.get_origin(option)
    if option is type(None):
        return None if value is None else _NO
    if origin is Literal:
        for word in ("off", "no"):
            if value is False and word in typing.get_args(option):
                return word  # YAML reads a bare one as false
        return value if any(value == a and type(value) is type(a) for a in typing.get_args(option)) else _NO
    if option is bool:
        return value if isinstance(value, bool) else _NO
    if isinstance(value, bool):
        return _NO
    if option is int:
        if is_size and isinstance(value, str):
            try:
                return parse_size(value)
            except ValueError:
                return _NO
        return value if isinstance(value, int) else _NO
    if option is float:
        return float(value) if isinstance(value, int | float) else _NO
    if option is str:
        return value if isinstance(value, str) else _NO
    if origin is tuple:
        return _convert_list(typing.get_args(option), value)
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        if not isinstance(value, dict):
            return _NO
        key_type, value_type = typing.get_args(option)
        converted = {_convert(key_type, k, False): _first(value_type, strip_places(v)) for k, v in value.items()}
        return _NO if _NO in converted.values() or _NO in converted else converted
    return _NO


def _convert_list(types_: tuple[Any, ...], value: Any) -> Any:
    """A YAML list as a tuple: of any length for `tuple[X, ...]`, of the stated one for `tuple[X, Y]`."""
    if not isinstance(value, list):
        return _NO
    if types_[-1] is Ellipsis:
        types_ = (types_[0],) * len(value)
    if len(types_) != len(value):
        return _NO
    items = tuple(_first(hint, item) for hint, item in zip(types_, value, strict=True))
    return _NO if any(item is _NO for item in items) else items


def _first(hint: Any, value: Any) -> Any:
    return next((c for option in _options(hint) if (c := _convert(option, value, False)) is not _NO), _NO)


_TYPE_NAMES = {int: "a whole number", float: "a number", bool: "true or false", str: "a text", type(None): "null"}


def _describe(hint: Any, is_size: bool) -> Iterator[str]:
    for option in _options(hint):
        origin = typing.get_origin(option)
        if origin is Literal:
            yield from (str(argument) for argument in typing.get_args(option))
        elif option is int and is_size:
            yield "a size such as 8MiB"
        elif origin is tuple:
            first, *rest = typing.get_args(option)
            of = {int: "whole numbers", str: "texts"}.get(first, "values")
            yield f"a list of {of}" if rest[-1:] == [Ellipsis] else f"a list of {1 + len(rest)} {of}"
        elif origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
            yield f"a mapping of names to {'numbers' if typing.get_args(option)[1] is float else 'values'}"
        else:
            yield _TYPE_NAMES.get(option, "a mapping")


def _kind(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping"
    return json.dumps(value, default=str, ensure_ascii=False)


def plain(value: Any) -> Any:
    """Dataclasses, mappings and sequences as dicts with sorted keys and lists."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in config_fields(type(value))}
    if isinstance(value, Mapping):
        return {str(k): plain(value[k]) for k in sorted(value, key=str)}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return value
