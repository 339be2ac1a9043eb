"""The one compiled module; all else about the package is in pyproject.toml."""

from setuptools import Extension, setup

setup(ext_modules=[Extension("transforms.html._nesting", ["transforms/html/_nesting.c"])])
