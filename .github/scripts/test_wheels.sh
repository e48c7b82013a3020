#!/usr/bin/env bash
# Run the suite on the wheels in a folder, once per Python; uv brings the Pythons that are not here:
#   test_wheels.sh FOLDER 3.11 3.14t ...
set -euo pipefail

uv=${UV:-uv}
folder=$1
shift
for python in "$@"; do
    echo "== $python"
    $uv venv --quiet --clear --python "$python" .wheel-venv
    if [ -d .wheel-venv/Scripts ]; then bin=.wheel-venv/Scripts; else bin=.wheel-venv/bin; fi
    # The group comes from the registry, longturn from the folder and from nowhere else.
    $uv pip install --quiet --python "$bin/python" --group test
    $uv pip install --quiet --python "$bin/python" --no-deps --no-index --find-links "$folder" longturn
    LONGTURN_BACKEND=rust "$bin/python" -m pytest tests --quiet --benchmark-disable
done
