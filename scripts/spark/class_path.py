"""The class path of Beam's Spark job server, made once by Maven and kept in the cache (beam.md 9.1)."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from pipelines.spark_cluster import (
    BEAM_JOB_SERVICE_VERSION,
    BEAM_SPARK_VERSION,
    EMPTY_JAR,
    SPARK_VERSION,
    THIN_JAR,
    class_path_folder,
)

POM = Path(__file__).with_name("pom.xml")
MAIN_CLASS = "org.apache.beam.runners.spark.SparkJobServerDriver"
MAVEN_SECONDS = 600.0
"""Limit of the one call of Maven: about a minute from an empty repository on a good line, and five on a bad one."""

NEWER_THAN_SPARKS = frozenset({"guava", "failureaccess"})
"""What Spark ships too, but so old that the job server does not start with it; Maven's stands in front."""


class SparkUnavailableError(Exception):
    """What a Spark cluster needs is not on this machine; one line that says what, and how to get it."""


def find_java() -> str:
    """The `java` program of $JAVA_HOME or the PATH. Raises SparkUnavailableError without one."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=f"{home}/bin") if home else shutil.which("java")
    if java is None:
        raise SparkUnavailableError("no Java: install a JDK or JRE of version 11 or 17, or set JAVA_HOME")
    return java


def find_spark_home() -> Path:
    """The Spark that pyspark brings along. Raises SparkUnavailableError when it is absent or of another version."""
    package = importlib.util.find_spec("pyspark")
    if package is None or package.origin is None:
        raise SparkUnavailableError(f"no pyspark: pip install pyspark=={SPARK_VERSION} (make spark)")
    version = metadata.version("pyspark")
    if version != SPARK_VERSION:
        raise SparkUnavailableError(
            f"pyspark {version}: the job server needs {SPARK_VERSION}: pip install pyspark=={SPARK_VERSION}"
        )
    return Path(package.origin).parent


def make_class_path(seconds: float = MAVEN_SECONDS) -> Path:
    """The folder with the job server's jars; Maven is called only when the cache does not have it.

    Raises:
        SparkUnavailableError: Maven is absent, fails, or takes longer than `seconds`.
    """
    folder = class_path_folder()
    if (folder / THIN_JAR).is_file():
        return folder
    spark_jars = find_spark_home() / "jars"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".making-") as making:
        resolved, ready = Path(making) / "resolved", Path(making) / "ready"
        _call_maven(resolved, seconds)
        (ready / "launch").mkdir(parents=True)
        for jar in chosen_jars(resolved.iterdir(), spark_jars.iterdir()):
            shutil.move(jar, ready / jar.name)
        jars = [folder / jar.name for jar in sorted(ready.glob("*.jar"))] + sorted(spark_jars.glob("*.jar"))
        write_jar(ready / THIN_JAR, {"Main-Class": MAIN_CLASS, "Class-Path": " ".join(jar.as_uri() for jar in jars)})
        write_jar(ready / EMPTY_JAR, {})
        # Whole or not at all; of two that make it at the same time one is enough.
        if not folder.exists():
            ready.rename(folder)
    return folder


def chosen_jars(resolved: Iterable[Path], shipped: Iterable[Path]) -> list[Path]:
    """The jars of Maven that Spark does not ship itself: two versions of one library on a class path end in missing methods."""
    known = {artifact(jar) for jar in shipped} - NEWER_THAN_SPARKS
    return sorted(jar for jar in resolved if jar.suffix == ".jar" and artifact(jar) not in known)


def artifact(jar: Path) -> str:
    """The name of a jar without its version.

    >>> artifact(Path("kafka-clients-3.4.1.jar")), artifact(Path("guava-33.1.0-jre.jar"))
    ('kafka-clients', 'guava')
    """
    return re.sub(r"-\d+(\.[\w.+-]*)?$", "", jar.stem)


def write_jar(path: Path, attributes: dict[str, str]) -> None:
    """A jar that holds nothing but a manifest. Its lines have 72 bytes at most, a space marks that one goes on."""
    text = ""
    for name, value in {"Manifest-Version": "1.0", **attributes}.items():
        line = f"{name}: {value}"
        text += line[:70] + "".join(f"\n {line[start : start + 69]}" for start in range(70, len(line), 69)) + "\n"
    with zipfile.ZipFile(path, "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", f"{text}\n")


def _call_maven(target: Path, seconds: float) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise SparkUnavailableError(
            "no Maven: install it (the command mvn), or copy the class path folder from a machine that has it"
        )
    command = [
        maven, "--batch-mode", "--quiet", f"--file={POM}", "dependency:copy-dependencies", "-DincludeScope=runtime",
        f"-DoutputDirectory={target}", f"-Dbeam.spark.version={BEAM_SPARK_VERSION}",
        f"-Dbeam.job-service.version={BEAM_JOB_SERVICE_VERSION}",
    ]  # fmt: skip
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=seconds, stdin=subprocess.DEVNULL, check=False)
    except subprocess.TimeoutExpired:
        raise SparkUnavailableError(f"Maven did not fetch the job server within {seconds:.0f} s") from None
    if result.returncode:
        said = [line for line in result.stdout.splitlines() if "[ERROR]" in line] or [f"exit status {result.returncode}"]
        raise SparkUnavailableError(f"Maven could not fetch the job server: {said[0].removeprefix('[ERROR] ')[:300]}")
