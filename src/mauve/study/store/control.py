"""What the operator of a study changes: pause, who is excluded, and the rules of what counts."""

from typing import Any

import sqlalchemy as sa

from mauve.errors import InvalidParameterError, bad_parameter
from mauve.study.settings import RULES, StudySettings
from mauve.study.store.database import Study, settings_of
from mauve.study.store.quality import recount
from mauve.study.store.schema import ANNOTATOR, EXCLUSION, STUDY

_LONGEST = 500  # characters of a reason


def pause(study: Study) -> None:
    """Give out no items until the study is resumed; assigned ones can still be rated.

    Examples
    --------
    >>> from mauve.study.store.example import example_study
    >>> study = example_study()
    >>> pause(study)
    >>> study.is_paused
    True
    """
    _set_paused(study, True)


def resume(study: Study) -> None:
    """Give out items again."""
    _set_paused(study, False)


def exclude(study: Study, annotator: int, reason: str) -> None:
    """Exclude an annotator: no rating of that person counts, before or after, and none is deleted.

    Parameters
    ----------
    study : Study
    annotator : int
        The number of the annotator.
    reason : str
        Stored with the decision.

    Examples
    --------
    >>> from mauve.study.store.example import example_study
    >>> exclude(example_study(), 7, "asked to be left out")
    Traceback (most recent call last):
    mauve.errors.InvalidParameterError: There is no annotator 7: the study has 0 of them.
    """
    _decide(study, annotator, True, reason)


def include(study: Study, annotator: int, reason: str) -> None:
    """Include an annotator again who was excluded."""
    _decide(study, annotator, False, reason)


def change_rules(study: Study, **rules: Any) -> StudySettings:
    """Change the rules of quality control, and count the valid ratings again.

    Parameters
    ----------
    study : Study
    **rules
        ``min_active_seconds`` and ``max_failed_checks``, as in
        :class:`~mauve.study.settings.StudySettings`.

    Examples
    --------
    >>> from mauve.study.store.example import example_study
    >>> change_rules(example_study(), min_active_seconds=20.0).min_active_seconds
    20.0
    """
    unknown = sorted(rules.keys() - set(RULES))
    if unknown:
        raise InvalidParameterError(
            f"'{unknown[0]}' cannot change while a study runs: only {' and '.join(RULES)} can."
        )
    with study.writing() as connection:
        settings = settings_of(connection).changed(**rules)
        connection.execute(sa.update(STUDY).values(settings=settings.to_json()))
        recount(connection, settings)
    return settings


def _set_paused(study: Study, is_paused: bool) -> None:
    with study.writing() as connection:
        connection.execute(sa.update(STUDY).values(is_paused=is_paused))


def _decide(study: Study, annotator: int, is_excluded: bool, reason: str) -> None:
    if not isinstance(reason, str) or not reason.strip() or len(reason) > _LONGEST:
        raise bad_parameter("reason", f"a text of 1 to {_LONGEST} characters", reason)
    with study.writing() as connection:
        changed = connection.execute(
            sa.update(ANNOTATOR).where(ANNOTATOR.c.id == annotator).values(is_excluded=is_excluded)
        )
        if changed.rowcount != 1:
            n = connection.execute(sa.select(sa.func.count(ANNOTATOR.c.id))).scalar_one()
            raise InvalidParameterError(
                f"There is no annotator {annotator}: the study has {n} of them."
            )
        connection.execute(
            sa.insert(EXCLUSION).values(
                annotator_id=annotator, is_excluded=is_excluded, reason=reason.strip(),
                decided_at=study.clock(),
            )
        )  # fmt: skip
        recount(connection, settings_of(connection))
