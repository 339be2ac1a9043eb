"""Which jars the job server gets, and what is said when something is missing (beam.md 9.1)."""

from __future__ import annotations

import importlib.metadata
import zipfile
from pathlib import Path

import pytest

from pipelines.spark_cluster import THIN_JAR, class_path_folder
from scripts.spark import class_path
from scripts.spark.class_path import (
    SparkUnavailableError,
    artifact,
    chosen_jars,
    find_java,
    find_spark_home,
    make_class_path,
    write_jar,
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("beam-runners-spark-3-2.70.0.jar", "beam-runners-spark-3"),
        ("guava-33.1.0-jre.jar", "guava"),
        ("scala-library-2.12.18.jar", "scala-library"),
        ("netty-transport-native-epoll-4.1.96.Final-linux-x86_64.jar", "netty-transport-native-epoll"),
        ("jul-to-slf4j-2.0.7.jar", "jul-to-slf4j"),
        ("javax.inject-1.jar", "javax.inject"),
        ("unversioned.jar", "unversioned"),
    ],
)
def test_an_artifact_is_a_jar_without_its_version(name: str, expected: str) -> None:
    assert artifact(Path(name)) == expected


def test_what_spark_ships_is_left_out_but_for_guava() -> None:
    resolved = [Path(f"m/{name}") for name in ("beam-2.70.0.jar", "avro-1.8.2.jar", "guava-33.1.0-jre.jar", "notes-1.txt")]
    shipped = [Path(f"s/{name}") for name in ("avro-1.11.2.jar", "guava-14.0.1.jar")]
    assert chosen_jars(resolved, shipped) == [Path("m/beam-2.70.0.jar"), Path("m/guava-33.1.0-jre.jar")]


def test_a_long_manifest_line_is_folded_as_java_wants_it(tmp_path: Path) -> None:
    value = " ".join(f"file:/jars/{number}.jar" for number in range(50))
    write_jar(tmp_path / "a.jar", {"Main-Class": "a.B", "Class-Path": value})
    with zipfile.ZipFile(tmp_path / "a.jar") as jar:
        text = jar.read("META-INF/MANIFEST.MF").decode()
    lines = text.split("\n")
    assert lines[:2] == ["Manifest-Version: 1.0", "Main-Class: a.B"]
    assert lines[-2:] == ["", ""]
    assert all(len(line) <= 70 for line in lines)
    assert text.replace("\n ", "").splitlines()[2] == f"Class-Path: {value}"


@pytest.fixture
def empty_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with pyspark and nothing else; gives the folder on its PATH."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (tmp_path / "pyspark/jars").mkdir(parents=True)
    (tmp_path / "pyspark/jars/avro-1.11.2.jar").touch()
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(class_path, "find_spark_home", lambda: tmp_path / "pyspark")
    return programs


def add_maven(programs: Path, script: str) -> None:
    (programs / "mvn").write_text(f"#!/bin/sh\nPATH=/bin:/usr/bin\n{script}\n")
    (programs / "mvn").chmod(0o755)


FETCH = (
    'for a in "$@"; do case $a in -DoutputDirectory=*) d=${a#*=};; esac; done; mkdir $d; touch $d/beam-2.70.0.jar $d/avro-1.8.2.jar'
)


def test_maven_is_called_once_and_its_jars_are_kept(empty_machine: Path) -> None:
    add_maven(empty_machine, FETCH)
    folder = make_class_path()
    assert folder == class_path_folder()
    assert [jar.name for jar in folder.glob("*.jar")] == ["beam-2.70.0.jar"]
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    add_maven(empty_machine, "exit 1")
    assert make_class_path() == folder
    with zipfile.ZipFile(folder / THIN_JAR) as jar:
        manifest = jar.read("META-INF/MANIFEST.MF").decode().replace("\n ", "")
    assert manifest.index("beam-2.70.0.jar") < manifest.index("avro-1.11.2.jar")


@pytest.mark.parametrize(
    ("maven", "said"),
    [
        (None, "no Maven: install it"),
        ("echo '[ERROR] Could not find artifact x'; exit 1", "Maven could not fetch the job server: Could not find artifact x"),
        ("exit 7", "exit status 7"),
        ("exec sleep 20", "did not fetch the job server within 0 s"),
    ],
)
def test_what_maven_cannot_do_is_one_line_and_leaves_no_half_class_path(empty_machine: Path, maven: str | None, said: str) -> None:
    if maven is not None:
        add_maven(empty_machine, maven)
    with pytest.raises(SparkUnavailableError, match=said) as raised:
        make_class_path(seconds=0.3)
    assert "\n" not in str(raised.value)
    assert not class_path_folder().exists()
    assert list(class_path_folder().parent.iterdir()) == []


def test_a_machine_without_java_is_told_what_to_install(empty_machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(empty_machine))
    with pytest.raises(SparkUnavailableError, match="install a JDK or JRE of version 11 or 17"):
        find_java()


def test_another_spark_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A job server of one Spark and executors of another end in an InvalidClassException."""
    (tmp_path / "pyspark").mkdir()
    (tmp_path / "pyspark/__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "4.0.0")
    with pytest.raises(SparkUnavailableError, match=r"pyspark 4.0.0: the job server needs 3.5.0"):
        find_spark_home()
