"""``python check.py EXPECTED.json WORKSPACE``; see `checker.run`."""

import sys

from checker.run import main

sys.exit(main(sys.argv[1:]))
