"""
Turn what was measured into tables: ``python -m benches.table measured.json [lanes.txt]``.

The first file is pytest-benchmark's, the second what the Rust bench printed about its lanes.

Writes ``results/latest.md`` and ``latest.json``, and ``readme.md`` with the few lines that the README
shows.  Times are the best of many, because whatever else a machine does only ever adds to them; steps
are medians, because there the occasional cut belongs to the cost.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from benches.shown import MILLISECOND, Row, Rows, best, known, ratio, seconds, section, table
from benches.targets import targets

RESULTS: Final = Path(__file__).parent / "results"
SCRIPTS: Final = ("English", "Russian", "Chinese", "logs", "code", "JSON")
SIZES: Final = ("100 B", "10 kB", "10 MB")
LENGTHS: Final = (100, 1_000, 10_000)
_LANE: Final = re.compile(r"(?P<lane>\w+) +(?P<name>[\w ]+?) +(?P<speed>[\d.]+) GB/s, sum +(?P<limit>[\d.]+) GB/s")


def main(arguments: Sequence[str]) -> None:
    measured = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    rows = grouped(measured["benchmarks"]) | {"lanes": lanes(arguments[1:])}
    page = document(measured, rows)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "latest.md").write_text(page, encoding="utf-8")
    (RESULTS / "latest.json").write_text(summary(measured, rows), encoding="utf-8")
    (RESULTS / "readme.md").write_text(readme(rows), encoding="utf-8")
    print(page)


def grouped(benchmarks: Iterable[dict[str, Any]]) -> Rows:
    rows: Rows = {}
    for benchmark in benchmarks:
        stats = {key: benchmark["stats"][key] for key in ("min", "median", "mean", "max", "rounds", "iterations")}
        rows.setdefault(benchmark["group"], []).append({**benchmark["extra_info"], **stats})
    return rows


def lanes(paths: Sequence[str]) -> list[Row]:
    """Return gigabytes a second by lane, as the Rust bench printed them."""
    lines = (line for path in paths if Path(path).exists() for line in Path(path).read_text("utf-8").splitlines())
    return [
        {"lane": found["lane"], "name": found["name"], "speed": float(found["speed"]), "limit": float(found["limit"])}
        for found in filter(None, map(_LANE.match, lines))
    ]


def summary(measured: dict[str, Any], rows: Rows) -> str:
    machine = measured["machine_info"]
    about = {
        "date": measured["datetime"],
        "commit": measured["commit_info"].get("id"),
        **{
            key: machine[key]
            for key in ("cpu_model", "cores", "caches", "system", "backend", "translations", "command")
        },
        "versions": machine["versions"],
    }
    return json.dumps({"about": about, "seconds": rows}, indent=1, ensure_ascii=False) + "\n"


# ---------------------------------------------------------------------- the page


def document(measured: dict[str, Any], rows: Rows) -> str:
    parts = (
        about(measured),
        targets(rows),
        *(text_table(rows, size) for size in SIZES),
        short_table(rows),
        large_table(rows),
        lanes_table(rows),
        column_table(rows),
        *(history_table(rows, shape) for shape in ("openai-chat", "anthropic")),
        step_table(rows),
        cold_table(rows),
        start_table(rows),
        *(simulation_table(rows, budget) for budget in (400_000, 100_000, 20_000)),
    )
    return "\n\n".join(part for part in parts if part) + "\n"


def about(measured: dict[str, Any]) -> str:
    machine = measured["machine_info"]
    caches = ", ".join(f"{level} {size}" for level, size in machine["caches"].items())
    versions = ", ".join(f"{name} {found}" for name, found in sorted(machine["versions"].items()))
    return "\n".join(
        (
            f"Measured on {measured['datetime'][:10]} by `{machine['command']}`.",
            f"Machine: {machine['cpu_model']}, {machine['cores']} cores, {caches}; {machine['system']}.",
            f"Versions: {versions}.",
            f"Russian and Chinese are {machine['translations']}.",
        )
    )


def text_table(rows: Rows, size: str) -> str:
    columns = {script: {row["name"]: row for row in rows.get(f"text/{script}/{size}", ())} for script in SCRIPTS}
    names = list(dict.fromkeys(name for column in columns.values() for name in column))

    def cell(script: str, name: str) -> str:
        if name not in columns[script]:
            return "–"
        time, ours = columns[script][name]["min"], columns[script]["longturn"]["min"]
        return seconds(time) if name == "longturn" else f"{seconds(time)} ({ratio(time / ours)})"

    body = [[name, *(cell(script, name) for script in SCRIPTS)] for name in names]
    lead = "Time to count, and how many times longturn's that is."
    return section(f"A text of {size}", lead, table(["", *SCRIPTS], body)) if names else ""


def short_table(rows: Rows) -> str:
    if not (found := rows.get("short")):
        return ""
    empty = best(rows, "short", "an empty Python function")
    body = [[row["name"], seconds(row["min"]), seconds(row["min"] - empty)] for row in (*found, *rows.get("ascii", ()))]
    lead = "`longturn.estimate`, beside a Python function that does nothing."
    return section("Short strings, and ASCII of any length", lead, table(["", "time", "beyond the empty call"], body))


def large_table(rows: Rows) -> str:
    body = []
    for lane in ("1-byte", "2-byte", "4-byte"):
        if group := rows.get(f"large/{lane}"):
            ours, limit = (best(rows, f"large/{lane}", name) for name in ("longturn", "plain sum"))
            size = group[0]["bytes"] / 1e9
            body.append([lane, f"{size / ours:.1f} GB/s", f"{size / limit:.1f} GB/s", f"{limit / ours:.2f}"])
    lead = "Beside NumPy's sum over the same memory, eight bytes at a time."
    shown = table(["characters", "longturn", "plain sum", "share"], body)
    return section("Strings of 512 MB, larger than any cache", lead, shown) if body else ""


def lanes_table(rows: Rows) -> str:
    body = [
        [
            row["lane"],
            row["name"],
            f"{row['speed']:.1f} GB/s",
            f"{row['limit']:.1f} GB/s",
            f"{row['speed'] / row['limit']:.2f}",
        ]
        for row in rows["lanes"]
    ]
    lead = "The Rust core alone, beside a plain sum over the same memory in Rust."
    shown = table(["characters", "function", "longturn", "plain sum", "share"], body)
    return section("The same without Python", lead, shown) if body else ""


def column_table(rows: Rows) -> str:
    columns = {script: {row["name"]: row for row in rows.get(f"column/{script}", ())} for script in SCRIPTS}
    names = list(dict.fromkeys(name for column in columns.values() for name in column))
    scripts = [script for script in SCRIPTS if columns[script]]

    def cell(script: str, name: str) -> str:
        if name not in columns[script]:
            return "–"
        limit, time = columns[script]["plain sum"]["min"], columns[script][name]["min"]
        return f"{columns[script][name]['bytes'] / time / 1e9:.2f} ({limit / time:.2f})"

    body = [[name, *(cell(script, name) for script in scripts)] for name in names]
    lead = (
        "Texts of 200 characters, 100 MB of them: GB/s, and the share of a plain sum over the same bytes in one thread."
    )
    return section("Columns", lead, table(["", *scripts], body)) if names else ""


def history_table(rows: Rows, shape: str) -> str:
    if not (found := rows.get(f"history/{shape}")):
        return ""
    cold = best(rows, f"history/{shape}", "longturn, cold")
    body = [
        [
            row["name"],
            seconds(row["min"]),
            seconds(row["min"] / row["messages"]),
            ratio(row["min"] / cold),
            f"{row['tokens']:,}" if row.get("tokens") else "",
        ]
        for row in found
    ]
    shown = table(["", "time", "a message", "of longturn cold", "tokens"], body)
    return section(f"A history of {found[0]['messages']} messages ({shape})", "Half of its text is not ASCII.", shown)


def step_table(rows: Rows) -> str:
    columns = {length: {row["name"]: row for row in rows.get(f"step/{length}", ())} for length in LENGTHS}
    names = list(dict.fromkeys(name for column in columns.values() for name in column))

    def cell(length: int, name: str) -> str:
        return seconds(columns[length][name]["median"]) if name in columns[length] else "–"

    body = [[name, *(cell(length, name) for length in LENGTHS)] for name in names]
    lead = "Median, at a budget of 400,000 tokens, by the messages there are."
    shown = table(["", *(f"{length:,}" for length in LENGTHS)], body)
    return section("One more round on a run that was fitted before", lead, shown) if names else ""


def cold_table(rows: Rows) -> str:
    body = [
        [shape, *(seconds(best(rows, f"cold/{length}", shape)) for length in LENGTHS)]
        for shape in (row["name"] for row in rows.get(f"cold/{LENGTHS[0]}", ()))
    ]
    lead = "As after a restart; texts and dicts are new to every cache."
    shown = table(["", *(f"{length:,}" for length in LENGTHS)], body)
    return section("A history never seen before, fitted", lead, shown) if body else ""


def start_table(rows: Rows) -> str:
    body = [[f"`{row['name']}`", seconds(row["min"])] for row in rows.get("import", ())]
    body += [
        [f"remembered beside a message ({row['name']})", f"{row['bytes_per_message']:.0f} bytes"]
        for row in rows.get("memory", ())
    ]
    lead = "A new interpreter with and without the import; memory at 10,000 messages."
    return section("What it takes to be there", lead, table(["", ""], body)) if body else ""


def simulation_table(rows: Rows, budget: int) -> str:
    if not (found := rows.get(f"simulation/{budget}")):
        return ""
    head = [
        "", "prefix breaks", "cache hits", "cost", "context", "results whole", "over budget", "invalid",
        "task lost", "step",
    ]  # fmt: skip
    body = [
        [
            row["name"],
            f"{row['breaks']:.0f}",
            f"{100 * row['hit_share']:.1f} %",
            f"{row['cost']:.2f}",
            f"{row['context'] / 1e3:.0f} k",
            f"{row['whole_results']:.0f}",
            f"{row['over_budget']:.0f}",
            f"{row['invalid']:.0f}",
            f"{row['without_task']:.0f}",
            seconds(row["step_ms"] * MILLISECOND),
        ]
        for row in found
    ]
    first = found[0]
    lead = (
        f"{first['calls']} calls, {first['requests']:.0f} requests; the mean of {first['seeds']:.0f} runs, "
        "one run for those that take seconds a step."
    )
    return section(f"A run at a budget of {budget:,} tokens", lead, table(head, body))


# ---------------------------------------------------------------------- the README's lines


def readme(rows: Rows) -> str:
    names = ("longturn", "best plain Python", "NumPy", "LangChain approximate", "tiktoken o200k")
    scripts = ("English", "Russian", "Chinese", "JSON")
    body = [
        [name, *(seconds(best(rows, f"text/{script}/10 kB", name)) for script in scripts)]
        for name in names
        if known(best(rows, "text/English/10 kB", name))
    ]
    steps = [
        [row["name"], seconds(row["median"])] for row in rows.get("step/1000", ()) if row["name"] != "send everything"
    ]
    return (
        "Counting 10 kB of text:\n\n"
        + table(["", *scripts], body)
        + "\n\nOne more round on a history of 1,000 messages:\n\n"
        + table(["", "time"], steps)
        + "\n"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
