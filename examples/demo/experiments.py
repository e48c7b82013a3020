"""Three experiments, each without and with longturn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from typing import Any

import reading
from counter import Counter, texts
from scripted import Script
from server import serving
from subagents import Fit, Job, Outcome, everything, fitted, run

from longturn import Window

INSTRUCTIONS = (
    "List every function that opens a file.",
    "List every class that is part of no public interface.",
    "Find comments that say that something is still to be done.",
    "Find functions of more than fifty lines.",
    "Find where an exception is swallowed.",
    "List what is deprecated, and since when.",
    "Find names that shadow a builtin.",
    "Find tests of a platform's name.",
)
STATED_ERROR = 0.10
"""Of the estimate, for Russian by this vocabulary."""

AGENTS_AT_ONCE = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How large the experiments are.  Sizes in tokens."""

    agents: int = 8
    limit: int = 1_000_000  # of the first experiment's model
    budget: int = 850_000  # what a request may use of it: an estimate wants a margin
    to_read: int = 1_250_000  # each sub-agent's sources, at least
    reads_at_once: int = 4  # parallel calls, as agents make them when they explore
    chapters: int = 40
    chapters_limit: int = 400_000
    chapters_budget: int = 380_000
    rules: int = 40
    russian_budget: int = 400_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """All sub-agents of an experiment, without or with longturn."""

    agents: int
    refused: int
    completed: int
    requests: int
    largest_true_size: int  # in tokens, as the server counted
    chapters_read: int  # documents, whatever they are called
    chapters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """One experiment's result."""

    name: str
    question: str
    limit: int
    budget: int
    without: Side
    fitted: Side
    verdict: tuple[str, str]

    def to_json(self) -> dict[str, Any]:
        """Return what ``demo.json`` holds of it."""
        sides = {"without": asdict(self.without), "with": asdict(self.fitted)}
        return {"name": self.name, "limit": self.limit, "budget": self.budget, **sides}


def eight_subagents(scale: Scale, counter: Counter) -> Experiment:
    """Sub-agents read more sources than the model takes at once."""
    modules = list(reading.sources().items())
    jobs = [
        Job(
            instruction=INSTRUCTIONS[number % len(INSTRUCTIONS)],
            documents=_enough(modules, number * len(modules) // scale.agents, scale.to_read, counter),
        )
        for number in range(scale.agents)
    ]
    script = Script(limit=scale.limit, reads_at_once=scale.reads_at_once)
    without = _side(jobs, _play(jobs, script, counter, lambda: everything))
    with_window = _side(jobs, _play(jobs, script, counter, lambda: fitted(Window(scale.budget))))
    return Experiment(
        name="sub-agents read sources",
        question=(
            f"{scale.agents} sub-agents, one instruction each, read sources of the Python standard library, "
            f"more than {scale.to_read:,} tokens each; the server refuses requests above {scale.limit:,} tokens."
        ),
        limit=scale.limit,
        budget=scale.budget,
        without=without,
        fitted=with_window,
        verdict=(
            f"{without.refused} of {without.agents} refused",
            (
                f"{with_window.refused} of {with_window.agents} refused, "
                f"{with_window.completed} of {with_window.agents} completed, "
                f"largest request {with_window.largest_true_size:,} tokens"
            ),
        ),
    )


def forty_chapters(scale: Scale, counter: Counter) -> Experiment:
    """A model that would stop early reads on when its system prompt says that room is made."""
    window = Window(scale.chapters_budget)
    job = Job(instruction="Read every chapter.", documents=reading.chapters(scale.chapters))
    told = replace(job, system=f"{job.system}\n\n{window.instructions()}")
    script = Script(limit=scale.chapters_limit, stops_after=2, unless_told=window.instructions())
    without = _side([job], _play([job], script, counter, lambda: everything))
    with_window = _side([told], _play([told], script, counter, lambda: fitted(window)))
    return Experiment(
        name="one sub-agent reads chapters",
        question=(
            f"One sub-agent has {scale.chapters} long chapters to read within {scale.chapters_limit:,} tokens; "
            "its model stops to save room after two, unless the system prompt carries window.instructions()."
        ),
        limit=scale.chapters_limit,
        budget=scale.chapters_budget,
        without=without,
        fitted=with_window,
        verdict=(
            f"{without.chapters_read} of {without.chapters} chapters read",
            (
                f"{with_window.chapters_read} of {with_window.chapters} chapters read, "
                f"{with_window.refused} of {with_window.agents} refused, "
                f"largest request {with_window.largest_true_size:,} tokens"
            ),
        ),
    )


def russian_text(scale: Scale, counter: Counter) -> Experiment:
    """Characters ÷ 4 is far too low for Russian; the estimate is not."""
    text = reading.russian()
    limit = int(scale.russian_budget * (1 + STATED_ERROR))
    documents = {f"translations, rule {number}": text for number in range(1, scale.rules + 1)}
    job = Job(instruction="Proofread: once for each rule.", documents=documents)
    script = Script(limit=limit)
    (naive,) = _play([job], script, counter, lambda: everything)
    with_window = _side([job], _play([job], script, counter, lambda: fitted(Window(scale.russian_budget))))
    return Experiment(
        name="one sub-agent reads Russian",
        question=(
            f"One sub-agent proofreads Django's Russian translations, {scale.rules} times over, within "
            f"{scale.russian_budget:,} tokens; the server refuses requests {STATED_ERROR:.0%} above that."
        ),
        limit=limit,
        budget=scale.russian_budget,
        without=_side([job], [naive]),
        fitted=with_window,
        verdict=(
            (
                f"{int(naive.refused)} of 1 refused: by characters ÷ 4 the agent believed {_believed(naive):,} tokens, "
                f"the server counted {naive.largest_true_size:,}"
            ),
            (
                f"{with_window.refused} of 1 refused, {with_window.completed} of 1 completed, largest request "
                f"{with_window.largest_true_size:,} tokens, "
                f"{with_window.largest_true_size / scale.russian_budget - 1:+.1%} of the budget "
                f"(stated error: {STATED_ERROR:.0%})"
            ),
        ),
    )


EXPERIMENTS: Sequence[Callable[[Scale, Counter], Experiment]] = (eight_subagents, forty_chapters, russian_text)


def _enough(modules: Sequence[tuple[str, str]], start: int, tokens: int, counter: Counter) -> dict[str, str]:
    """Return as many modules, from a place on and around, as make up so many tokens."""
    chosen: dict[str, str] = {}
    for name, text in [*modules[start:], *modules[:start]]:
        chosen[name] = text
        tokens -= counter.text(text)
        if tokens <= 0:
            return chosen
    raise RuntimeError(f"the standard library's sources are {tokens:,} tokens short of what the experiment needs")


def _play(jobs: Sequence[Job], script: Script, counter: Counter, fit: Callable[[], Fit]) -> list[Outcome]:
    """Run the jobs, a few at a time, each with a window of its own."""
    with serving(script, counter) as provider, ThreadPoolExecutor(AGENTS_AT_ONCE) as pool:
        return list(pool.map(lambda job: run(job, provider.address, fit()), jobs))


def _side(jobs: Sequence[Job], outcomes: Iterable[Outcome]) -> Side:
    results = list(outcomes)
    return Side(
        agents=len(results),
        refused=sum(outcome.refused for outcome in results),
        completed=sum(outcome.completed for outcome in results),
        requests=sum(outcome.requests for outcome in results),
        largest_true_size=max(outcome.largest_true_size for outcome in results),
        chapters_read=sum(outcome.read for outcome in results),
        chapters=sum(len(job.documents) for job in jobs),
    )


def _believed(outcome: Outcome) -> int:
    """Return the tokens of a saved history by characters ÷ 4."""
    contents = (message["content"] for message in outcome.messages)
    return sum(len(text) for content in contents for text in texts(content)) // 4
