#!/usr/bin/env bash
# Build the sdist, the wheel for this machine from that sdist, and the pure wheel:
#   build_dists.sh DIRECTORY_OF_MATURIN_AND_PIP OUTPUT
set -euo pipefail

bin=$(realpath "$1")
out=$(realpath --canonicalize-missing "$2")
root=$(cd "$(dirname "$0")/../.." && pwd)
unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT

rm -rf "$out"
cd "$root"
"$bin/maturin" sdist --out "$out"

# From the archive, not from the checkout: a file forgotten in `include` shows up here.
tar -xzf "$out"/longturn-*.tar.gz -C "$unpacked" --strip-components=1
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
(cd "$unpacked" && "$bin/maturin" build --release --quiet --interpreter "$bin/python" --out "$out")

"$bin/pip" wheel --quiet --no-deps --wheel-dir "$out" "$root/packaging/pure"
ls -l "$out"
