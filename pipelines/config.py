"""The typed configuration of a run: YAML files and `--set` overrides become one frozen `Config`, or one clear line of error.

The dataclasses that hold the keys live beside the code that reads them; this module composes them. A key's default is the
field's default, its meaning the field's `help`.

    >>> load_config(None, ["rules.document.words.min=20"]).rules["document.words"].min
    20.0
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, Literal, TypeVar

from filters.language_codes import normalize_language
from filters.measures.nsfw import OPENNSFW
from filters.measures.perplexity import PerplexityConfig
from filters.pii import load_finder
from filters.rules import RULES, GuardConfig, RuleConfig, rules_from_config
from filters.word_lists import ListsConfig
from pipelines.typed_yaml import (
    ConfigError,
    Located,
    Reader,
    apply_override,
    build,
    locate_plain,
    overlay,
    plain,
    read_yaml,
    strip_places,
)
from transforms.archives import ReadSettings, TableConfig
from transforms.archives.formats import FormatChoice
from transforms.archives.select import SelectConfig
from transforms.dataset.inline_images import InlineCaps
from transforms.dataset.write import WriteSettings
from transforms.documents.assemble import DocumentsConfig
from transforms.documents.config import ExtractConfig
from transforms.images.mentions import ReferenceConfig
from transforms.images.network.config import NetworkConfig
from transforms.images.prepare import StoredImageConfig
from transforms.images.wanted import LookUpConfig
from transforms.stored_path import StoredPath, stored_path

__all__ = ["Config", "ConfigError", "config_from_dict", "find_config", "load_config"]


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


Part = TypeVar("Part")


@dataclass(frozen=True)
class ImagesConfig(LookUpConfig, StoredImageConfig, ReferenceConfig):
    """Which references are looked for, where image bytes come from and which are refused."""

    source: Literal["archive", "network", "both", "off"] = field(
        default="archive",
        metadata={
            "help": "archive: `image/*` records of the same input files; network: asked for now; both: the archive first, then the "
            "network for what is missing; off: no images"
        },
    )
    nsfw_model: str = field(
        default=OPENNSFW,
        metadata={"help": "what scores images where the rule image.nsfw is on: opennsfw, or the path of such an ONNX file"},
    )
    network: NetworkConfig = field(default_factory=NetworkConfig, metadata={"help": "how images are asked for"})

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.uses_network and self.network.user_agent_contact is None:
            raise ValueError(
                f"network.user_agent_contact: must be set with source: {self.source}; give the URL of a page that says what you "
                "fetch and why, it is sent with every request"
            )

    @property
    def uses_network(self) -> bool:
        """Whether images may be asked for over the network."""
        return self.source in ("network", "both")

    def references(self) -> ReferenceConfig:
        """The keys that decide while a page is read."""
        return self._part(ReferenceConfig)

    def stored(self) -> StoredImageConfig:
        """The keys that decide what is stored of an image."""
        return self._part(StoredImageConfig)

    def _part(self, part: type[Part]) -> Part:
        return part(**{f.name: getattr(self, f.name) for f in dataclasses.fields(part)})  # type: ignore[arg-type]


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
        for name in ("inline_max_images", "inline_max_bytes"):
            value = getattr(self, name)
            if value is not None and value < 0:
                raise ValueError(f"{name}: {value} is not allowed; allowed: null, or a whole number of at least 0")
        if self.pii is not None:
            load_finder(self.pii)

    shards: int | Literal["auto"] = field(
        default="auto", metadata={"help": "dataset files; auto: one for each 256 MiB of input, at least one, at most one a range"}
    )
    blocks: bool = field(default=False, metadata={"help": "add the blocks of each page to its row, as JSON"})
    markdown: bool = field(default=False, metadata={"help": "add each page's blocks as Markdown to its row"})
    inline_images: bool = field(default=False, metadata={"help": "put image bytes into the rows instead of references"})
    inline_max_images: int | None = field(
        default=50, metadata={"help": "images in one row at most; those over it stay references, and the row is flagged; null: all"}
    )
    inline_max_bytes: int | None = field(
        default=64 * 2**20, metadata={"help": "bytes of images in one row at most, as inline_max_images; null: all"}
    )
    pii: str | None = field(
        default=None,
        metadata={"help": "mark personal data: datatrove (e-mail, public IP addresses), or MODULE:FUNCTION; null: no"},
    )


@dataclass(frozen=True)
class Config:
    """Everything a run may set; one attribute a section of the YAML file."""

    input: InputConfig = field(default_factory=InputConfig)
    select: SelectConfig = field(default_factory=SelectConfig)
    extract: ExtractConfig = field(default_factory=ExtractConfig)
    images: ImagesConfig = field(default_factory=ImagesConfig)
    rules: Mapping[str, RuleConfig] = field(default_factory=lambda: rules_from_config({}))
    guard: GuardConfig = field(default_factory=GuardConfig)
    documents: DocumentsConfig = field(default_factory=DocumentsConfig)
    language: LanguageConfig = field(default_factory=LanguageConfig)
    lists: ListsConfig = field(default_factory=ListsConfig)
    perplexity: PerplexityConfig = field(default_factory=PerplexityConfig)
    output: OutputConfig = field(default_factory=OutputConfig)

    def __post_init__(self) -> None:
        # One key decides; the profile reads it where a page without images need not go any further.
        extract = dataclasses.replace(self.extract, references=self.images.references())
        object.__setattr__(self, "extract", extract)
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

    @property
    def asked_nsfw_model(self) -> str | None:
        """The model that scores images; None where no rule asks for it."""
        return None if self.rules["image.nsfw"].off else self.images.nsfw_model

    @property
    def keep_blocks(self) -> bool:
        """Whether the blocks of the pages are stored beside the nodes."""
        return self.output.blocks or self.output.markdown

    def write_settings(self) -> WriteSettings:
        """The settings of the stage that judges and writes."""
        output = self.output
        caps = InlineCaps(output.inline_max_images, output.inline_max_bytes) if output.inline_images else None
        return WriteSettings(self.effective_rules(), self.documents, output.blocks, output.markdown, caps, output.pii)

    def as_dict(self) -> dict[str, Any]:
        """The resolved configuration as plain lists, dicts and scalars; equal configurations give equal dicts.

        Written as YAML it is a configuration file again.
        """
        tree: dict[str, Any] = json.loads(json.dumps(plain(self)))
        for rule, limits in tree["rules"].items():
            default = RULES[rule].default
            # A limit that a rule does not have is no key of it; one that it has and that is null was taken away.
            tree["rules"][rule] = {k: v for k, v in limits.items() if v is not None or getattr(default, k) is not None}
        return tree


def load_config(path: str | Path | None, overrides: Sequence[str] = ()) -> Config:
    """Reads a YAML file over the defaults and applies `--set` overrides (`a.b.c=VALUE`, VALUE as YAML).

    path: a file, the name of a shipped configuration (`default`, `demo`), or None for `default`. A file need not name every key:
    others have the value of the shipped `default.yaml`.

    Raises:
        ConfigError: unreadable file, unknown key, wrong type or value; one line that names the place and what is allowed.
    """
    tree = read_yaml(find_config("default"))
    if path not in (None, "default"):
        overlay(tree, read_yaml(find_config(path)))
    for override in overrides:
        apply_override(tree, override, dotted={"rules"})
    return build(Config, Located(tree, str(path or "default")), _READERS)


def config_from_dict(tree: Mapping[str, Any], where: str) -> Config:
    """The configuration of `Config.as_dict`. where: named in errors."""
    return build(Config, locate_plain(dict(tree), where), _READERS)


def override_config(tree: Mapping[str, Any], overrides: Sequence[str], where: str) -> Config:
    """The configuration of `Config.as_dict` with `--set` overrides. where: named in errors.

    As everywhere, a rule that is given a limit is on unless the same override says otherwise.
    """
    located = locate_plain(dict(tree), where).value
    for override in overrides:
        section, _, key = override.partition("=")[0].strip().rpartition(".")
        rule = located["rules"].value.get(section.removeprefix("rules."))
        if rule is not None and isinstance(rule.value, dict) and key != "enabled":
            rule.value.pop("enabled", None)
        apply_override(located, override, dotted={"rules"})
    return build(Config, Located(located, where), _READERS)


def find_config(name: str | Path) -> StoredPath:
    """The file a `--config` value names: a path that exists, else a configuration shipped in the package `configs`."""
    path = stored_path(name)
    if path.is_file():
        return path
    shipped = resources.files("configs")
    for candidate in (str(name), f"{name}.yaml"):
        packaged = Path(str(shipped.joinpath(candidate)))
        if "/" not in str(name) and packaged.is_file():
            return packaged
    names = ", ".join(sorted(Path(str(f)).stem for f in shipped.iterdir() if str(f).endswith(".yaml")))
    raise ConfigError(f"{name}: no such configuration file; give a path, or one of the shipped ones: {names}")


def _rules(item: Located) -> dict[str, RuleConfig]:
    if not isinstance(item.value, dict):
        raise ConfigError(f"{item.where}: rules: must be a mapping of rule id to limits, e.g. document.words: {{min: 10}}")
    rules = rules_from_config({})
    for rule, limits in item.value.items():
        # One at a time, so that the message can name the line of the rule at fault.
        try:
            rules[rule] = rules_from_config({rule: strip_places(limits)})[rule]
        except ValueError as error:
            raise ConfigError(f"{limits.where}: {error}") from None
    return rules


_READERS: Mapping[str, Reader] = {"rules": _rules}
"""Keys whose values are not described by the type of a field."""
