"""The command ``longturn``: replay saved histories, count tokens of files."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from typing import Final

from longturn.cli.arguments import parse
from longturn.cli.commands import run
from longturn.cli.errors import InputError

_NOT_WRITTEN: Final = 1
_BAD_INPUT: Final = 2  # like argparse's own
_INTERRUPTED: Final = 130  # 128 and the number of the signal, as shells have it
_PIPE_CLOSED: Final = 141


def main(arguments: Sequence[str] | None = None) -> int:
    """
    Run the command and return its exit code: 0, 2 for input that can't be used, 1 for output nobody takes.

    Raises:
        SystemExit: from argparse, for ``--help``, ``--version`` and wrong arguments.
    """
    options = parse(arguments)
    try:
        with warnings.catch_warnings(record=True, action="always") as caught:
            code = run(options, warn=_warn)
        for warning in caught:
            _warn(str(warning.message))
        if sys.stdout is not None:  # closed by whoever started us
            sys.stdout.flush()
    except InputError as error:
        print(f"longturn: error: {error}", file=sys.stderr)
        return _BAD_INPUT
    except BrokenPipeError:
        # Whoever read the output has left; Python would complain once more while it shuts down.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _PIPE_CLOSED
    except OSError as error:  # a full disk; reading has errors of its own
        print(f"longturn: error: cannot write the output: {error.strerror or error}", file=sys.stderr)
        return _NOT_WRITTEN
    except KeyboardInterrupt:
        return _INTERRUPTED
    return code


def _warn(text: str) -> None:
    print(f"longturn: warning: {text}", file=sys.stderr)
