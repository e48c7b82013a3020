"""The command ``longturn``: count, fit, replay, explain, without leaving the machine."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence

from longturn.cli.commands import parse, run
from longturn.cli.console import Console, suitable_console
from longturn.cli.errors import Exit, InputError


def main(arguments: Sequence[str] | None = None) -> int:
    """
    Run the command and return its exit code, one of `longturn.cli.errors.Exit`.

    Raises:
        SystemExit: from argparse, for ``--help``, ``--version`` and wrong arguments.
    """
    options = parse(arguments)
    screen = suitable_console()
    try:
        return _run(options, screen)
    except InputError as error:
        screen.error(str(error))
        return Exit.BAD_INPUT
    except RecursionError:
        screen.error("the input is nested too deeply to read")
        return Exit.BAD_INPUT
    except MemoryError:
        screen.error("the input does not fit into this machine's memory")
        return Exit.BAD_INPUT
    except BrokenPipeError:
        # Whoever read the output has left; Python would complain once more while it shuts down.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.PIPE_CLOSED
    except OSError as error:  # a full disk; reading has errors of its own
        screen.error(f"cannot write the output: {error.strerror or error}")
        return Exit.NOT_WRITTEN
    except KeyboardInterrupt:
        return Exit.INTERRUPTED


def _run(options: argparse.Namespace, screen: Console) -> int:
    with warnings.catch_warnings(record=True, action="always") as caught:
        code = run(options, screen)
    for warning in caught:
        screen.warn(str(warning.message))
    if sys.stdout is not None:  # closed by whoever started us
        sys.stdout.flush()
    return code
