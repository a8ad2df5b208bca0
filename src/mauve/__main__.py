"""``python -m mauve``."""

from mauve.cli import main

if __name__ == "__main__":
    main()
