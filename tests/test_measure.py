"""Whatever a window or an estimate measures by: profiles, models' names, and real tokenizers."""

from __future__ import annotations

import gc
import importlib.util
import json
import pickle
import weakref
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from measures import PROFILES, profile, tokenizer

import longturn
from longturn import Profile, Window
from longturn.tokens import estimate as estimating
from longturn.tokens.measure import SCRIPT, _compiled, measure_of

SAMPLE = profile()
LETTERS = 'Привет, мир! Hello, wörld 字 🙂\n\t"quoted" \\'
TOOLS = [{"name": "read", "description": "Reads a file.", "input_schema": {"type": "object"}}, {"name": "write"}]

by_measure = pytest.mark.parametrize("measured", PROFILES.values(), ids=PROFILES)
texts = st.text(st.sampled_from(LETTERS + "aZ09 ") | st.characters(exclude_categories=["Cs"]), max_size=40)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=10,
)


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def history(rounds: int = 6) -> list[dict[str, Any]]:
    """Return one turn of calls whose results are of 8,000 characters, no two alike."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": LETTERS}]
    for number in range(rounds):
        arguments = compact({"path": f"{number}.txt"})
        call = {"id": f"c{number}", "type": "function", "function": {"name": "read", "arguments": arguments}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": f"{number} line of text\n" * 400})
    return messages


class Counting:
    """A tokenizer that says how often it was given what."""

    def __init__(self) -> None:
        self.given: Counter[str] = Counter()

    def __call__(self, text: str) -> int:
        self.given[text] += 1
        return tokenizer(text)


# ---------------------------------------------------------------------- estimates


@by_measure
@given(value=values)
def test_S8_a_value_is_estimated_as_its_compact_text(measured: Any, value: Any) -> None:
    """By whatever measures texts: nothing else is known of how it adds up."""
    if not isinstance(value, str):
        assert longturn.estimate(compact(value), profile=measured) == longturn.estimate(value, profile=measured)


@by_measure
def test_a_message_is_the_sum_of_its_texts_and_what_is_around_them(measured: Any) -> None:
    """Each text is rounded up by itself, to quarter-tokens."""
    measure = measure_of(measured)
    around = measure.message({"role": "user", "content": ""})
    assert around + measure.quarters(LETTERS) == measure.message({"role": "user", "content": LETTERS})
    assert around + 2 * measure.quarters("a") == measure.message({"role": "user", "content": ["a", "a"]})


def test_frames_are_those_of_the_profile() -> None:
    """Around a request, its messages, calls, results and tools."""
    frames, estimate = SAMPLE.frames, partial(longturn.estimate, profile=SAMPLE)
    assert frames.message == estimate({"role": "user", "content": ""})
    assert frames.request + frames.message == estimate([{"role": "user", "content": ""}])
    call = {
        "role": "assistant",
        "tool_calls": [{"id": "a", "type": "function", "function": {"name": "", "arguments": ""}}],
    }
    assert frames.message + frames.call == estimate(call)
    assert frames.message + frames.result == estimate({"role": "tool", "tool_call_id": "a", "content": ""})
    messages = [{"role": "user", "content": ""}]
    quarters = measure_of(SAMPLE).json(TOOLS) + 4 * (frames.request + frames.message + frames.tools + 2 * frames.tool)
    assert -(-quarters // 4) == estimate(messages, TOOLS) == estimate(messages, tuple(TOOLS))
    declared = [{"functionDeclarations": TOOLS}]
    assert measure_of(SAMPLE).tools(declared) - measure_of(SAMPLE).json(declared) == 4 * (
        frames.tools + 2 * frames.tool
    )


def test_texts_beside_pictures_are_measured_like_others() -> None:
    """A document's title and a text file go by the profile too."""
    document = {"type": "document", "title": LETTERS, "source": {"type": "text", "data": LETTERS * 9}}
    measure = measure_of(SAMPLE)
    expected = measure.quarters(LETTERS) + measure.quarters(LETTERS * 9)
    assert expected == measure.content([document]) != SCRIPT.content([document])


@pytest.mark.parametrize("name", Profile.names())
def test_a_profile_goes_by_its_name(name: str) -> None:
    """By name or as an object it is the same; and no text costs nothing."""
    expected = longturn.estimate(LETTERS, profile=Profile.named(name))
    assert 0 < expected == longturn.estimate(LETTERS, profile=name)
    assert longturn.estimate(history(), profile=name) == longturn.Window(10**6, profile=name).fit(history()).tokens


def test_a_profile_is_not_the_script_rule() -> None:
    """Claude's tokenizer makes more of English than four characters a token."""
    english = "The quick brown fox jumps over the lazy dog. " * 20
    assert longturn.estimate(english, profile="claude-4.7") > 1.15 * longturn.estimate(english)


def test_many_texts_by_a_profile() -> None:
    """One crossing, or the tokenizer once for each."""
    pytest.importorskip("numpy")
    many = [LETTERS, "", "word " * 1_000, LETTERS.encode()]
    for measured in PROFILES.values():
        found = longturn.estimate_batch(many, profile=measured)
        assert [longturn.estimate(text, profile=measured) for text in many] == found.tolist()
    with pytest.raises(TypeError, match=r"texts\[1\] must be str or bytes \(got int\)"):
        longturn.estimate_batch(["a", 1], profile=tokenizer)  # type: ignore[list-item]


@pytest.mark.skipif(importlib.util.find_spec("pyarrow") is None, reason="needs pyarrow")
def test_a_column_by_a_profile() -> None:
    """Nulls stay null; a function is asked text by text."""
    import pyarrow

    from longturn import arrow

    column = pyarrow.array([LETTERS, None, "", "word " * 1_000])
    for measured in PROFILES.values():
        expected = [None if text is None else longturn.estimate(text, profile=measured) for text in column.to_pylist()]
        assert expected == pyarrow.array(arrow.estimate(column, profile=measured)).to_pylist()


def test_histories_are_remembered_by_profile() -> None:
    """Counting one again under another profile neither forgets nor mixes up the first."""
    messages, estimate = history(), estimating.Estimator()
    before = {name: estimate(messages, profile=measured) for name, measured in PROFILES.items()}
    assert len(set(before.values())) == len(PROFILES)
    messages.append({"role": "assistant", "content": "Done."})
    for name, measured in PROFILES.items():
        assert before[name] < estimate(messages, profile=measured) == longturn.estimate(messages, profile=measured)


def test_profiles_asked_for_once_are_forgotten() -> None:
    """A function made anew for each call must not fill the memory."""
    estimate = estimating.Estimator()
    for _ in range(50):
        estimate("text", profile=lambda text: len(text))
    assert len(estimate._others) <= 8


def test_a_measure_goes_with_its_profile() -> None:
    """Nothing holds a profile's tables that nobody measures by any more."""
    measure = weakref.ref(measure_of(profile(seed=77)))
    assert measure() is not None
    _compiled.cache_clear()
    gc.collect()
    assert measure() is None


# ---------------------------------------------------------------------- real tokenizers


def test_a_tokenizer_is_given_each_text_once() -> None:
    """At every step of a run: what was counted is remembered with its message."""
    counting = Counting()
    window = Window(5_000, profile=counting)
    messages = history(12)
    for length in range(1, len(messages) + 1, 2):
        fitted = window.fit(messages[:length], system="Be brief.", tools=TOOLS)
    assert fitted.cleared
    assert counting.given.most_common(1)[0][1] == 1
    contents = {message["content"] for message in messages if message["content"]}
    assert contents <= set(counting.given)
    assert {compact(TOOLS), '{"path":"3.txt"}', "Be brief."} <= set(counting.given)


@pytest.mark.parametrize(
    ("returned", "error"),
    [
        (1.5, r"profile must return an int, the tokens of a text \(.*<lambda> returned 1.5\)"),
        (None, "profile must return an int"),
        (True, "profile must return an int"),
        ([1, 2], "the length of what it encodes to"),
        (-1, "profile must return from 0 to 1,000,000,000,000 tokens"),
        (10**30, "profile must return from 0 to 1,000,000,000,000 tokens"),
    ],
)
def test_a_tokenizer_that_returns_no_count_is_refused(returned: Any, error: str) -> None:
    with pytest.raises((TypeError, ValueError), match=error):
        longturn.estimate("text", profile=lambda text: returned)
    with pytest.raises((TypeError, ValueError), match=error):
        Window(1_000, profile=lambda text: returned).fit([{"role": "user", "content": "text"}])


def test_an_error_of_a_tokenizer_says_where_it_is_from() -> None:
    """Its own error, with a note."""

    def broken(text: str) -> int:
        raise KeyError("no such piece")

    with pytest.raises(KeyError, match="no such piece") as caught:
        longturn.estimate(history(), profile=broken)
    assert any("broken, given as a profile, for a text of" in note for note in caught.value.__notes__)


@pytest.mark.parametrize("measured", ["script", "openai"])
def test_a_batch_is_anything_that_holds_texts(measured: str) -> None:
    """Columns of NumPy, views and generators; one text alone is most likely a slip."""
    numpy = pytest.importorskip("numpy")
    texts = ["Привет", "", "a" * 9]
    expected = [longturn.estimate(text, profile=measured) for text in texts]
    for column in (numpy.array(texts), numpy.array(texts, dtype=object), iter(texts), dict.fromkeys(texts).keys()):
        assert expected == longturn.estimate_batch(column, profile=measured).tolist()
    for wrong in ("text", b"text", None, 5, {"text": 1}):
        with pytest.raises(TypeError, match=f"texts must be a list.*got {type(wrong).__name__}"):
            longturn.estimate_batch(wrong, profile=measured)


class Disguised(str):
    """A text that says of itself what is not so."""

    __slots__ = ()

    def __len__(self) -> int:
        return 3

    def encode(self, *arguments: Any) -> bytes:  # type: ignore[override]
        raise RuntimeError("asked for bytes")


@pytest.mark.parametrize("measured", ["script", "openai"])
def test_a_text_is_what_it_holds(measured: str) -> None:
    """Not what a subclass makes of it."""
    for text in ("hi there", "Привет"):
        assert longturn.estimate(Disguised(text), profile=measured) == longturn.estimate(text, profile=measured)
        value = {"a": Disguised(text)}
        assert longturn.estimate(value, profile=measured) == longturn.estimate({"a": text}, profile=measured)


def test_numbers_of_other_types_are_counts() -> None:
    """Whatever is an integer to Python."""
    numpy = pytest.importorskip("numpy")
    assert longturn.estimate("text", profile=lambda text: numpy.int32(7)) == 7


def test_an_unhashable_tokenizer_counts_too() -> None:
    class Tokens(dict[str, int]):
        def __call__(self, text: str) -> int:
            return len(text)

    assert longturn.estimate("text", profile=Tokens()) == 4


# ---------------------------------------------------------------------- windows


@pytest.mark.parametrize(
    ("model", "name"), [("gpt-5", "openai"), ("claude-opus-4-7", "claude-4.7"), ("who-knows-9b", "cautious")]
)
def test_a_model_picks_its_profile(model: str, name: str) -> None:
    """By its name; what nobody knows is estimated with caution."""
    messages = history()
    by_model, by_name = Window(10_000, model=model).fit(messages), Window(10_000, profile=name).fit(messages)
    assert by_name == by_model != Window(10_000).fit(messages)


@by_measure
def test_a_window_can_be_sent_to_another_process(measured: Any) -> None:
    """With what it measures by."""
    window = Window(5_000, profile=measured)
    copy = pickle.loads(pickle.dumps(window))
    assert window.fit(history()).tokens == copy.fit(history()).tokens
    by_model = pickle.loads(pickle.dumps(Window(5_000, model="gpt-5")))
    assert by_model.fit(history()).tokens == Window(5_000, profile="openai").fit(history()).tokens


@by_measure
def test_F2_system_and_tools_are_part_of_the_number(measured: Any) -> None:
    """The same for a whole body, and where the history is a text."""
    messages = history()
    window = Window(100_000, profile=measured)
    fitted = window.fit(messages, tools=TOOLS)
    assert longturn.estimate(messages, TOOLS, profile=measured) == fitted.tokens
    body = {"messages": messages, "tools": TOOLS}
    assert fitted.tokens == window.fit_request(body).tokens
    measure = measure_of(measured)
    expected = measure.request + measure.quarters(LETTERS)
    assert -(-expected // 4) == window.fit_request({"input": LETTERS}).tokens


def test_a_small_result_is_small_by_the_profile() -> None:
    """Thresholds and budgets are in the profile's tokens."""
    heavy: Callable[[str], int] = len
    fitted = Window(60_000, profile=heavy).fit(history(12))
    assert fitted.tokens <= 60_000
    assert {one.tokens for one in fitted.cleared} == {len("1 line of text\n") * 400}
