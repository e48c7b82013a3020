"""
Where do the tokens of a folder of transcripts go?  Totals per file and tool, counted by Spark.

    python examples/spark_transcripts.py ~/.claude/projects

Spark runs inside this process here; give its ``master`` a cluster's address and nothing else changes,
once longturn is installed where the workers run.
"""

import json
import os
import sys
from collections.abc import Iterator
from typing import Any


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


def totals(spark: Any, folder: str) -> Any:
    """Return a frame of file, tool and tokens, the most expensive first."""
    from pyspark.sql import functions as sql

    from longturn.integrations.spark import estimate_tokens

    files = spark.read.text(folder, wholetext=True, recursiveFileLookup=True, pathGlobFilter="*.jsonl")
    named = files.select(sql.element_at(sql.split(sql.input_file_name(), "/"), -1).alias("file"), "value")
    rows = named.rdd.flatMap(lambda row: [(row.file, *text) for text in texts(row.value)])
    entries = rows.toDF("file string, tool string, text string").withColumn("tokens", estimate_tokens("text"))
    return entries.groupBy("file", "tool").agg(sql.sum("tokens").alias("tokens")).orderBy(sql.desc("tokens"))


if __name__ == "__main__":
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable  # workers of the same Python as this one
    spark = SparkSession.builder.master("local[*]").config("spark.ui.enabled", "false").getOrCreate()
    totals(spark, sys.argv[1]).show(40, truncate=60)
