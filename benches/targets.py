"""What the design asks for, and whether it was measured so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from benches.shown import MICROSECOND, MILLISECOND, NANOSECOND, Rows, best, known, ratio, seconds, section, table


def targets(rows: Rows) -> str:
    body = [
        [what, limit, found, "yes" if is_met else "**no**"]
        for what, limit, found, is_met in (check(rows) for check in TARGETS)
        if found
    ]
    return section("Targets", "What the design asks for.", table(["", "target", "measured", "met"], body))


Verdict = tuple[str, str, str, bool]
Check = Callable[[Rows], Verdict]


def at_most(what: str, limit: float, read: Callable[[Rows], float | None], show: Callable[[float], str]) -> Check:
    def check(rows: Rows) -> Verdict:
        found = read(rows)
        return (what, f"≤ {show(limit)}", "" if found is None else show(found), found is not None and found <= limit)

    return check


def at_least(what: str, limit: float, read: Callable[[Rows], float | None], show: Callable[[float], str]) -> Check:
    def check(rows: Rows) -> Verdict:
        found = read(rows)
        return (what, f"≥ {show(limit)}", "" if found is None else show(found), found is not None and found >= limit)

    return check


def speed(value: float) -> str:
    return f"{value:.1f} GB/s"


def weighing(lane: str) -> Callable[[Rows], float | None]:
    """Read the gigabytes a second under a profile, as Rust measured them."""

    def read(rows: Rows) -> float | None:
        found = (row["speed"] for row in rows["lanes"] if (row["lane"], row["name"]) == (lane, "weigh"))
        return next(map(float, found), None)

    return read


def share(lane: str, width: str) -> Callable[[Rows], float | None]:
    """Read a lane's share of a plain sum, as Rust measured it, or else as Python did."""

    def read(rows: Rows) -> float | None:
        for row in rows["lanes"]:
            if (row["lane"], row["name"]) == (lane, "count"):
                return float(row["speed"] / row["limit"])
        group = f"large/{width}"
        return known(best(rows, group, "plain sum") / best(rows, group, "longturn"))

    return read


def short_overhead(rows: Rows) -> float | None:
    if "short" not in rows:
        return None
    empty = best(rows, "short", "an empty Python function")
    return max(row["min"] for row in rows["short"]) - empty


def ascii_growth(rows: Rows) -> float | None:
    times = [row["min"] for row in rows.get("ascii", ())]
    return times[-1] / times[0] if len(times) == 2 else None


def column(name: str) -> Callable[[Rows], float | None]:
    """Read the gigabytes a second of the slowest script."""

    def read(rows: Rows) -> float | None:
        groups = [group for group in rows if group.startswith("column/")]
        found = [best(rows, group, name, "bytes") / best(rows, group, name) / 1e9 for group in groups]
        return known(min(found, default=float("nan")))

    return read


def history(name: str, other: str = "", per_message: bool = False) -> Callable[[Rows], float | None]:
    def read(rows: Rows) -> float | None:
        group = "history/openai-chat"
        time = best(rows, group, name)
        if per_message:
            return known(time / best(rows, group, name, "messages"))
        return known(best(rows, group, other) / time)

    return read


def worst(group: str, key: str) -> Callable[[Rows], float | None]:
    return lambda rows: max((row[key] for row in rows.get(group, ())), default=None)


def simulated(budget: int, key: str) -> Callable[[Rows], float | None]:
    return lambda rows: known(best(rows, f"simulation/{budget}", "longturn", key))


TARGETS: Final = (
    at_most("call on a short string, beyond an empty call", 200 * NANOSECOND, short_overhead, seconds),
    at_most("a short string by a profile", MICROSECOND, worst("short by profile", "min"), seconds),
    at_most("100 million ASCII characters against 64", 1.2, ascii_growth, ratio),
    at_least("1-byte characters, share of a plain sum", 0.8, share("latin1", "1-byte"), lambda x: f"{x:.2f}"),
    at_least("2-byte characters, share of a plain sum", 0.5, share("ucs2", "2-byte"), lambda x: f"{x:.2f}"),
    at_least("4-byte characters, share of a plain sum", 0.5, share("ucs4", "4-byte"), lambda x: f"{x:.2f}"),
    at_least("1-byte characters by a profile", 1, weighing("latin1"), speed),
    at_least("2-byte characters by a profile", 1, weighing("ucs2"), speed),
    at_least("a PyArrow column, slowest script", 1, column("longturn, PyArrow array"), speed),
    at_least("a Polars column, slowest script", 1, column("longturn, Polars map_batches"), speed),
    at_least(
        "300 messages, cold, faster than the twin",
        50,
        history("longturn, cold", "its plain-Python twin, cold"),
        ratio,
    ),
    at_most(
        "a message that is remembered",
        100 * NANOSECOND,
        history("longturn, warm", per_message=True),
        seconds,
    ),
    at_most(
        "step at 10,000 messages (median)",
        0.5 * MILLISECOND,
        lambda rows: known(best(rows, "step/10000", "longturn", "median")),
        seconds,
    ),
    at_most("10,000 messages, cold", 50 * MILLISECOND, worst("cold/10000", "min"), seconds),
    at_most("memory beside a message", 300, worst("memory", "bytes_per_message"), lambda x: f"{x:.0f} bytes"),
    at_most("prefix breaks in 300 calls at 400,000", 3, simulated(400_000, "breaks"), lambda x: f"{x:.1f}"),
    at_most("prefix breaks in 300 calls at 100,000", 20, simulated(100_000, "breaks"), lambda x: f"{x:.1f}"),
)
