"""``python -m longturn``."""

from longturn.cli import main

raise SystemExit(main())
