"""The typed configuration of a run: YAML files and `--set` overrides become one frozen `Config`, or one clear line of error.

The dataclasses that hold the keys live beside the code that reads them; this module composes them. A key's default is the
field's default, its meaning the field's `help`.

    >>> load_config(None, ["rules.document.words.min=20"]).rules["document.words"].min
    20.0
"""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, Literal, Union

import yaml

from filters.measures.language import normalize_language
from filters.rules import RULES, RuleConfig, rules_from_config
from transforms.archives import ReadSettings, TableConfig
from transforms.archives.formats import FormatChoice
from transforms.archives.select import SelectConfig
from transforms.documents.assemble import DocumentsConfig
from transforms.documents.extract import ExtractConfig
from transforms.images.validate import ImageLimits
from transforms.sizes import parse_size

SIZE_KEYS = frozenset({"bytes", "memory"})
"""Keys that take sizes such as 8MiB, as do those that end in `_bytes`."""


class ConfigError(ValueError):
    """A configuration that cannot be used; the text names file and line or override, the key, and what is allowed."""


def _at_least_one(key: str, value: int | str) -> None:
    if isinstance(value, int) and value < 1:
        raise ValueError(f"{key}: {value} is not allowed; allowed: auto, or a whole number of at least 1")


@dataclass(frozen=True)
class InputConfig:
    """What the input is, and how it is cut into units of work."""

    def __post_init__(self) -> None:
        _at_least_one("range_bytes", self.range_bytes)
        if self.sample is not None and not 0 < self.sample <= 1:
            raise ValueError(f"sample: {self.sample} is not allowed; allowed: null, or a fraction above 0 and at most 1")

    format: FormatChoice = field(
        default="auto", metadata={"help": "of all input files; auto: told apart by their first bytes, then by their names"}
    )
    url_column: str = field(default="url", metadata={"help": "column of tables with the URL of each page"})
    html_column: str = field(default="html", metadata={"help": "column of tables with the HTML, as text or bytes"})
    date_column: str | None = field(default="date", metadata={"help": "column with the capture date, where a table has it"})
    content_type_column: str | None = field(
        default="content_type", metadata={"help": "column with the HTTP header Content-Type, where a table has it"}
    )
    language_column: str | None = field(
        default="language", metadata={"help": "column with the language that the page says it has, where a table has it"}
    )
    sample: float | None = field(
        default=None, metadata={"help": "share of the pages to read, chosen by a hash of the URL; null: all"}
    )

    range_bytes: int | Literal["auto"] = field(
        default="auto",
        metadata={
            "help": "bytes of an archive that one shard covers; auto: total input / 64, between 1 MiB and 64 MiB",
        },
    )

    def read_settings(self) -> ReadSettings:
        """The section as the readers take it."""
        table = TableConfig(self.url_column, self.html_column, self.date_column, self.content_type_column, self.language_column)
        return ReadSettings(self.format, table)


@dataclass(frozen=True)
class ImagesConfig:
    """Where image bytes come from and which are refused."""

    source: Literal["archive"] = field(default="archive", metadata={"help": "archive: `image/*` records of the same input files"})
    limits: ImageLimits = field(default_factory=ImageLimits, metadata={"help": "what a stored image may be"})


@dataclass(frozen=True)
class LanguageConfig:
    """Which languages a document may be in; decided by the rule `document.language` (filters.md 2.2)."""

    allowed: tuple[str, ...] | Literal["any"] = field(default="any", metadata={"help": "ISO 639 codes, or any"})
    unknown: Literal["keep", "drop"] = field(default="keep", metadata={"help": "documents whose language is not known"})

    def __post_init__(self) -> None:
        if self.allowed != "any":
            object.__setattr__(self, "allowed", tuple(normalize_language(code) for code in self.allowed))


@dataclass(frozen=True)
class OutputConfig:
    """What the dataset looks like."""

    def __post_init__(self) -> None:
        _at_least_one("shards", self.shards)

    shards: int | Literal["auto"] = field(
        default="auto", metadata={"help": "dataset files; auto: one for each 256 MiB of input, at least one, at most one a range"}
    )
    blocks: bool = field(default=False, metadata={"help": "add the blocks of each page to its row, as JSON"})
    markdown: bool = field(default=False, metadata={"help": "add each page's blocks as Markdown to its row"})
    inline_images: bool = field(default=False, metadata={"help": "put image bytes into the rows instead of references"})


@dataclass(frozen=True)
class Config:
    """Everything a run may set; one attribute a section of the YAML file."""

    input: InputConfig = field(default_factory=InputConfig)
    select: SelectConfig = field(default_factory=SelectConfig)
    extract: ExtractConfig = field(default_factory=ExtractConfig)
    images: ImagesConfig = field(default_factory=ImagesConfig)
    rules: Mapping[str, RuleConfig] = field(default_factory=lambda: rules_from_config({}))
    documents: DocumentsConfig = field(default_factory=DocumentsConfig)
    language: LanguageConfig = field(default_factory=LanguageConfig)
    output: OutputConfig = field(default_factory=OutputConfig)

    def __post_init__(self) -> None:
        # One key decides; the profile reads it where a page without images need not go any further.
        extract = self.extract
        if extract.profile == "obelics" and extract.obelics.require_image is None:
            obelics = dataclasses.replace(extract.obelics, require_image=self.documents.require_image)
            object.__setattr__(self, "extract", dataclasses.replace(extract, obelics=obelics))

    def effective_rules(self) -> dict[str, RuleConfig]:
        """The rules with the section `language` in them."""
        language = self.language
        rule = dataclasses.replace(
            self.rules["document.language"],
            allowed=None if language.allowed == "any" else language.allowed,
            on_skip=language.unknown,
        )
        return {**self.rules, "document.language": rule}

    def as_dict(self) -> dict[str, Any]:
        """The resolved configuration as plain lists, dicts and scalars; equal configurations give equal dicts.

        Written as YAML it is a configuration file again.
        """
        plain: dict[str, Any] = json.loads(json.dumps(_plain(self)))
        for rule, limits in plain["rules"].items():
            default = RULES[rule].default
            # A limit that a rule does not have is no key of it; one that it has and that is null was taken away.
            plain["rules"][rule] = {k: v for k, v in limits.items() if v is not None or getattr(default, k) is not None}
        return plain


def load_config(path: str | Path | None, overrides: Sequence[str] = ()) -> Config:
    """Reads a YAML file over the defaults and applies `--set` overrides (`a.b.c=VALUE`, VALUE as YAML).

    path: a file, the name of a shipped configuration (`default`, `demo`), or None for `default`. A file need not name every key:
    others have the value of the shipped `default.yaml`.

    Raises:
        ConfigError: unreadable file, unknown key, wrong type or value; one line that names the place and what is allowed.
    """
    tree = _read_yaml(find_config("default"))
    if path not in (None, "default"):
        _overlay(tree, _read_yaml(find_config(path)))
    for override in overrides:
        _apply_override(tree, override)
    return typing.cast(Config, _build(Config, _Located(tree, str(path or "default")), ""))


def config_from_dict(plain: Mapping[str, Any], where: str) -> Config:
    """The configuration of `Config.as_dict`. where: named in errors."""
    return typing.cast(Config, _build(Config, _locate_plain(dict(plain), where), ""))


def find_config(name: str | Path) -> Path:
    """The file a `--config` value names: a path that exists, else a configuration shipped in the package `configs`."""
    path = Path(name)
    if path.is_file():
        return path
    shipped = resources.files("configs")
    for candidate in (str(name), f"{name}.yaml"):
        packaged = Path(str(shipped.joinpath(candidate)))
        if "/" not in str(name) and packaged.is_file():
            return packaged
    names = ", ".join(sorted(Path(str(f)).stem for f in shipped.iterdir() if str(f).endswith(".yaml")))
    raise ConfigError(f"{name}: no such configuration file; give a path, or one of the shipped ones: {names}")


@dataclass(frozen=True)
class _Located:
    """A YAML value and where it was written, `FILE:LINE` or the override. Mappings hold `_Located` values."""

    value: Any
    where: str


def _read_yaml(path: Path) -> dict[str, Any]:
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


def _overlay(tree: dict[str, Any], over: Mapping[str, Any]) -> None:
    """Lays one file over another: mappings are merged key by key, anything else is replaced."""
    for key, item in over.items():
        below = tree.get(key)
        if below is not None and isinstance(below.value, dict) and isinstance(item.value, dict):
            _overlay(below.value, item.value)
            tree[key] = _Located(below.value, item.where)
        else:
            tree[key] = item


def _locate(node: yaml.Node, file: str) -> _Located:
    where = f"{file}:{node.start_mark.line + 1}"
    if isinstance(node, yaml.MappingNode):
        mapping: dict[str, _Located] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value)
            if key in mapping:
                raise ConfigError(f"{file}:{key_node.start_mark.line + 1}: {key}: given twice; remove one")
            value = _locate(value_node, file)
            mapping[key] = _Located(value.value, f"{file}:{key_node.start_mark.line + 1}")
        return _Located(mapping, where)
    if isinstance(node, yaml.SequenceNode):
        return _Located([_locate(item, file).value for item in node.value], where)
    return _Located(yaml.SafeLoader("").construct_object(node), where)


def _apply_override(tree: dict[str, Any], override: str) -> None:
    where = f"--set {override}"
    path, equals, text = override.partition("=")
    if not equals or not path.strip():
        raise ConfigError(f"{where}: must have the form KEY=VALUE, e.g. rules.document.words.min=20")
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError(f"{where}: the value is not valid YAML: {' '.join(str(error).split())}") from None
    keys = path.strip().split(".")
    if keys[0] == "rules" and len(keys) > 2:
        # A rule id contains a dot: rules.document.words.min is rules -> document.words -> min.
        keys[1:3] = [".".join(keys[1:3])]
    section = tree
    for key in keys[:-1]:
        inner = section.get(key)
        below = inner.value if inner is not None and isinstance(inner.value, dict) else {}
        section[key] = _Located(below, where)
        section = below
    section[keys[-1]] = _locate_plain(value, where)


def _locate_plain(value: Any, where: str) -> _Located:
    if isinstance(value, dict):
        return _Located({str(k): _locate_plain(v, where) for k, v in value.items()}, where)
    return _Located(value, where)


def _build(cls: type[Any], located: _Located, path: str) -> Any:
    if not isinstance(located.value, dict):
        names = ", ".join(f.name for f in dataclasses.fields(cls))
        raise ConfigError(f"{located.where}: {path or 'configuration'}: must be a mapping with keys of: {names}")
    hints = typing.get_type_hints(cls)
    fields = {f.name: f for f in dataclasses.fields(cls)}
    values: dict[str, Any] = {}
    for key, item in located.value.items():
        key_path = f"{path}.{key}" if path else key
        if key not in fields:
            raise ConfigError(f"{item.where}: {key_path}: unknown key; allowed here: {', '.join(fields)}")
        values[key] = _value(hints[key], item, key_path, is_size=key in SIZE_KEYS or key.endswith("_bytes"))
    try:
        return cls(**values)
    except ValueError as error:
        raise ConfigError(f"{located.where}: {path}: {error}") from None


def _value(hint: Any, item: _Located, path: str, is_size: bool) -> Any:
    """`item` as the type `hint`, or ConfigError. is_size: the key takes sizes such as 8MiB."""
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _build(hint, item, path)
    if path == "rules":
        return _rules(item)
    for option in _options(hint):
        converted = _convert(option, item.value, is_size)
        if converted is not _NO:
            return converted
    raise ConfigError(f"{item.where}: {path}: {_kind(item.value)} is not allowed; allowed: {' or '.join(_describe(hint, is_size))}")


def _rules(item: _Located) -> dict[str, RuleConfig]:
    if not isinstance(item.value, dict):
        raise ConfigError(f"{item.where}: rules: must be a mapping of rule id to limits, e.g. document.words: {{min: 10}}")
    rules = rules_from_config({})
    for rule, limits in item.value.items():
        # One at a time, so that the message can name the line of the rule at fault.
        try:
            rules[rule] = rules_from_config({rule: _strip(limits)})[rule]
        except ValueError as error:
            raise ConfigError(f"{limits.where}: {error}") from None
    return rules


def _strip(located: Any) -> Any:
    value = located.value if isinstance(located, _Located) else located
    if isinstance(value, dict):
        return {key: _strip(item) for key, item in value.items()}
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
        if value is False and "off" in typing.get_args(option):
            return "off"  # YAML reads a bare `off` as false
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
        converted = {_convert(key_type, k, False): _first(value_type, _strip(v)) for k, v in value.items()}
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


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(k): _plain(value[k]) for k in sorted(value, key=str)}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value
