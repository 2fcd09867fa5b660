"""``python -m homunculus`` is the command ``homunculus``."""

from homunculus.commands.main import main

raise SystemExit(main())
