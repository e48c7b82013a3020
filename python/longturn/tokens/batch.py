"""Many texts in one crossing, into NumPy arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from longturn.tokens.backend import core
from longturn.tokens.costs import QUARTERS
from longturn.tokens.measure import Measured, measure_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def estimate_batch(texts: Iterable[str | bytes], *, profile: Measured = "script") -> NDArray[np.int64]:
    """
    Return the tokens of each text as an int64 array; needs the extra ``numpy``.

    One crossing into the core, with the interpreter lock released while it counts; not so where ``profile`` is a
    function.

    Raises:
        TypeError: an entry is neither str nor bytes; names its index.  Or ``texts`` is one text.
        ValueError: there is no such profile.
        ModuleNotFoundError: NumPy is not installed.
    """
    quarters = _array(measure_of(profile).texts.quarters_batch(_listed(texts)))
    return -(-quarters // QUARTERS)


def scripts_batch(texts: Iterable[str | bytes]) -> NDArray[np.int64]:
    """
    Return the code points of each text per script class, as an (n, 3) int64 array: ASCII, CJK, other.

    Raises:
        TypeError: an entry is neither str nor bytes; names its index.  Or ``texts`` is one text.
        ModuleNotFoundError: NumPy is not installed.
    """
    return _array(core.counts_batch(_listed(texts))).reshape(-1, 3)


def _listed(texts: Iterable[str | bytes]) -> Sequence[str | bytes]:
    if isinstance(texts, (list, tuple)):
        return texts
    if isinstance(texts, (str, bytes, Mapping)) or not isinstance(texts, Iterable):
        raise TypeError(f"texts must be a list, a column or another iterable of texts (got {type(texts).__name__})")
    return list(texts)


def _array(buffer: bytearray) -> NDArray[np.int64]:
    return _numpy().frombuffer(buffer, dtype="int64")  # type: ignore[no-any-return]


def _numpy() -> Any:
    try:
        import numpy
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("this needs NumPy: pip install 'longturn[numpy]'", name=error.name) from error
    return numpy
