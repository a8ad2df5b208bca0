"""``python -m mauve``."""

from mauve_eval import main

if __name__ == "__main__":
    main()
