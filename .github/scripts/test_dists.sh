#!/usr/bin/env bash
# Install each wheel into an empty environment and run the suite that the sdist carries on it:
#   test_dists.sh PYTHON DIRECTORY_OF_DISTS
set -euo pipefail

python=$1
dist=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$python" -m venv "$work/venv"
mkdir "$work/sdist"
tar -xzf "$dist"/longturn-*.tar.gz -C "$work/sdist" --strip-components=1
cd "$work/sdist"
"$work/venv/bin/pip" install --quiet --upgrade pip
"$work/venv/bin/pip" install --quiet --group test
rm -r python  # the installed package must be what is tested

for wheel in "$dist"/*.whl; do
    case $wheel in
        *-none-any.whl) backend=python ;;
        *) backend=rust ;;
    esac
    echo "== $(basename "$wheel"), backend $backend"
    "$work/venv/bin/pip" install --quiet --no-deps --force-reinstall "$wheel"
    # Searching for counterexamples is for the code; here the package is in question.
    LONGTURN_BACKEND=$backend "$work/venv/bin/python" -m pytest tests \
        --quiet --benchmark-disable --numprocesses auto --dist loadfile -m "not slow and not hypothesis" -k "not stateful"
done
