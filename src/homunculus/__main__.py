"""``python -m homunculus`` is the command ``homunculus``."""

from homunculus.cli import main

raise SystemExit(main())
