"""In a sub-interpreter the extension may refuse to load; then the twin takes over."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

CODE = """
import sys
import longturn  # the main interpreter has the core
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
inner = '''
import sys
sys.path[:] = {path!r}
import longturn
history = [{{"role": "user", "content": "Привет"}}]
assert longturn.Window(1_000).fit(history).tokens == longturn.estimate(history) == 7
'''.format(path=sys.path)
one = interpreters.create()
failed = interpreters.run_string(one, inner)
sys.exit(str(failed) if failed else 0)
"""


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="only CPython has sub-interpreters")
def test_S4_a_sub_interpreter_gets_the_same_answers() -> None:
    """Older Pythons load the core there, newer ones refuse to; the answers are the same."""
    environment = {name: value for name, value in os.environ.items() if name != "LONGTURN_BACKEND"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CODE],
        env=environment,
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
    )
    assert (0, "") == (done.returncode, done.stderr)
