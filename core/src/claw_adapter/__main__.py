"""``python -m claw_adapter``: the command `claw`, where its script is not on PATH."""

from claw_adapter.cli import main

if __name__ == "__main__":
    main()
