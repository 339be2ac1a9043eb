#!/usr/bin/env bash
# Builds lmplz and build_binary, which kenlm's package has as source only, for scripts/train_perplexity_model.py.
#
#   scripts/build_kenlm_tools.sh FOLDER        ->   FOLDER/bin/lmplz, FOLDER/bin/build_binary
#
# Needs a C++ compiler, cmake, zlib and Boost with headers. On Debian:
#   apt-get install cmake g++ zlib1g-dev libboost-program-options-dev libboost-system-dev libboost-thread-dev libboost-test-dev
set -euo pipefail
folder=${1:?usage: scripts/build_kenlm_tools.sh FOLDER}
python=${PYTHON:-.venv/bin/python}
version=$("$python" -c 'from importlib.metadata import version; print(version("kenlm"))')
mkdir -p "$folder"
"$python" -m pip download --quiet --no-deps --no-binary kenlm --dest "$folder" "kenlm==$version"
tar -xzf "$folder/kenlm-$version.tar.gz" -C "$folder"
cmake -S "$folder/kenlm-$version" -B "$folder" -DCMAKE_BUILD_TYPE=Release
cmake --build "$folder" --target lmplz build_binary --parallel
