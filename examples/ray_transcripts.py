"""
Where do the tokens of a folder of transcripts go?  Totals per file and tool, counted by Ray Data.
Ray starts on this machine here; on a cluster it uses that, once longturn is installed on its workers.

    python examples/ray_transcripts.py ~/.claude/projects
"""

import json
import sys
from collections.abc import Iterator
from typing import Any

from longturn.integrations.pyarrow import estimate_tokens


def blocks(line: Any) -> list[Any]:
    try:
        content = line["message"]["content"]
    except (KeyError, TypeError):
        return []  # what is logged beside the conversation
    return [{"type": "text", "text": content}] if isinstance(content, str) else content or []


def texts(session: str) -> Iterator[tuple[str, str]]:
    """Yield tool and text of each block of a Claude Code session; prose has no tool."""
    tools: dict[str, str] = {}
    for line in filter(str.strip, session.split("\n")):
        for block in blocks(json.loads(line)):
            match block:
                case {"type": "tool_use", "id": call, "name": tool, "input": arguments}:
                    tools[call] = tool
                    yield tool, json.dumps(arguments, ensure_ascii=False)
                case {"type": "tool_result", "tool_use_id": call, "content": str(text)}:
                    yield tools.get(call, "?"), text
                case {"type": "tool_result", "tool_use_id": call, "content": list(parts)}:
                    yield from ((tools.get(call, "?"), part["text"]) for part in parts if "text" in part)
                case {"type": "text", "text": text}:
                    yield "", text


def rows_of(file: dict[str, Any]) -> list[dict[str, Any]]:
    found = texts(file["bytes"].decode())
    return [{"file": file["path"].rsplit("/")[-1], "tool": tool, "text": text} for tool, text in found]


def with_tokens(table: Any) -> Any:
    return table.set_column(2, "tokens", estimate_tokens(table["text"]))


def totals(folder: str) -> Any:
    """Return a data set of file, tool and tokens, the most expensive first."""
    import ray

    files = ray.data.read_binary_files(folder, include_paths=True, file_extensions=["jsonl"])
    entries = files.flat_map(rows_of).map_batches(with_tokens, batch_format="pyarrow")
    return entries.groupby(["file", "tool"]).sum("tokens").sort("sum(tokens)", descending=True)


if __name__ == "__main__":
    print(totals(sys.argv[1]).to_pandas().to_string(max_rows=40))
