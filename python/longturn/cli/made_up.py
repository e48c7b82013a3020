"""Made-up texts and a made-up run: the same everywhere, so that a demonstration needs no files."""

from __future__ import annotations

from random import Random
from typing import Any, Final

LANGUAGES: Final = {
    "English": (
        "The test fails only when the cache is warm. Somebody wrote the date twice, once in each time zone. "
        "We moved the check to where the value is made, and the second one was never needed again. "
    ),
    "Russian": (
        "Проверка падает только тогда, когда кэш уже прогрет. Кто-то записал дату дважды, по разу на каждый пояс. "
        "Мы перенесли проверку туда, где значение создаётся, и вторая больше не понадобилась. "
    ),
    "Chinese": (
        "只有在缓存已经预热的时候测试才会失败。有人把日期写了两遍，每个时区一遍。"
        "我们把检查移到产生这个值的地方，第二次检查就再也用不着了。"
    ),
    "code": (
        "def total(rows: list[Row]) -> int:\n    return sum(row.price * row.count for row in rows)\n\n\n"
        '@dataclass(frozen=True)\nclass Row:\n    name: str\n    price: int = 0\n    count: int = 1\n\n\n'
    ),
}  # fmt: skip
"""A few sentences in each."""

_TOOLS: Final = ("read_file", "search", "run_tests")


def prose(language: str, chars: int) -> str:
    """Return so many characters in a language."""
    sentences = LANGUAGES[language]
    return (sentences * (chars // len(sentences) + 1))[:chars]


def agent_run(calls: int) -> list[dict[str, Any]]:
    """Return a turn of so many calls: results mostly small, some large, in several languages."""
    chance = Random(calls)
    history: list[dict[str, Any]] = [
        {"role": "user", "content": "Find out why the nightly report counts some orders twice, and mend it."}
    ]
    for number in range(calls):
        tool, language = _TOOLS[number % len(_TOOLS)], chance.choice(tuple(LANGUAGES))
        size = int(200 * 1.6 ** chance.uniform(0, 9))
        use = {"type": "tool_use", "id": f"call_{number}", "name": tool, "input": {"path": f"src/part_{number}.py"}}
        result = {"type": "tool_result", "tool_use_id": f"call_{number}", "content": prose(language, size)}
        history.append({"role": "assistant", "content": [use]})
        history.append({"role": "user", "content": [result]})
    return history
