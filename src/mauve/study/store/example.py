"""A small study, to try the store on and for the examples of its functions."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mauve.study.settings import StudySettings
from mauve.study.store.creation import create_study
from mauve.study.store.database import MEMORY, Study

_SUBJECTS = ("rain", "train", "bread", "night", "letter", "garden", "market", "river")
_ENDINGS = {
    "human": "came later than anybody had thought, and we talked about it for a long time.",
    "large": "came in the end, and everybody said that they had known it from the start.",
    "small": "came and came and came, which was what it had always done when it came.",
}


def example_study(
    location: str | Path = MEMORY,
    *,
    n_prompts: int = 8,
    clock: Callable[[], float] = time.time,
    **settings: Any,
) -> Study:
    """Create a study of human text and two systems, open to everybody and without checks.

    Parameters
    ----------
    location : str or Path
        As for :func:`~mauve.study.store.creation.create_study`; in memory by default.
    n_prompts : int
        Number of prompts.
    clock : callable
        Returns the time in seconds since 1970.
    **settings
        Of :class:`~mauve.study.settings.StudySettings`, in place of those of the example.

    Examples
    --------
    >>> example_study(ratings_per_pair=2).setup["pairs"]
    3
    """
    samples = {
        name: [
            {"prompt": f"On day {i} the {_SUBJECTS[i % len(_SUBJECTS)]}", "text": f" {ending}"}
            for i in range(n_prompts)
        ]
        for name, ending in _ENDINGS.items()
    }
    small: dict[str, Any] = {
        "ratings_per_pair": n_prompts, "overlap": 0, "min_tokens": 5, "well_formed": False,
        "repeat_every": 0, "attention_every": 0, "min_active_seconds": 0, "enrolment": "open",
    }  # fmt: skip
    human = samples.pop("human")
    chosen = StudySettings(**{**small, **settings})
    return create_study(location, chosen, human, samples, clock=clock)
