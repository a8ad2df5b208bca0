"""Take the ratings out of a study, as the analysis reads them."""

from typing import Any

import sqlalchemy as sa

from mauve.study.ratings import Rating, Ratings
from mauve.study.store.database import Study, settings_of
from mauve.study.store.displayed import LEFT, RIGHT, displayed
from mauve.study.store.quality import is_slow_enough, is_trusted
from mauve.study.store.schema import ANNOTATOR, ASSIGNMENT, ITEM, RATING, SYSTEM


def study_ratings(study: Study, *, valid_only: bool = True) -> Ratings:
    """Return the ratings of a study: the last answers to each item, without attention checks.

    Parameters
    ----------
    study : Study
    valid_only : bool
        Whether to leave out those that do not count by the rules of the study. Without it, they
        are marked: `Rating.valid`.

    Returns
    -------
    Ratings
        A is what was displayed on the left. Repeats, for self-agreement, are marked.

    Examples
    --------
    >>> from mauve.study.store.example import example_study
    >>> study_ratings(example_study())
    Ratings(rows=(), questions=('interesting', 'sensible', 'human-like'), source=':memory:')
    """
    left, right = SYSTEM.alias("left_system"), SYSTEM.alias("right_system")
    wall = (
        sa.select(sa.func.sum(RATING.c.wall_seconds))
        .where(RATING.c.assignment_id == ASSIGNMENT.c.id)
        .correlate(ASSIGNMENT)
        .scalar_subquery()
    )
    with study.reading() as connection:
        settings = settings_of(connection)
        is_valid = sa.and_(is_trusted(settings), is_slow_enough(settings))
        query = (
            displayed(with_answers=True)
            .add_columns(
                ITEM.c.prompt_id,
                left.c.name.label("left_system"),
                right.c.name.label("right_system"),
                LEFT.c.n_tokens.label("left_tokens"),
                RIGHT.c.n_tokens.label("right_tokens"),
                wall.label("wall"),
                is_valid.label("is_valid"),
            )
            .join(ANNOTATOR, ANNOTATOR.c.id == ASSIGNMENT.c.annotator_id)
            # Shuffled words are of no system, so that attention checks are left out.
            .join(left, left.c.id == LEFT.c.system_id)
            .join(right, right.c.id == RIGHT.c.system_id)
            .order_by(ASSIGNMENT.c.id)
        )
        rows = connection.execute(query).all()
    kept = (_rating(row) for row in rows if row.is_valid or not valid_only)
    return Ratings(tuple(kept), source=study.name)


def _rating(row: sa.Row[Any]) -> Rating:
    return Rating(
        item=str(row.prompt_id),
        annotator=str(row.annotator_id),
        system_a=row.left_system,
        system_b=row.right_system,
        choices=(row.interesting, row.sensible, row.human_like),
        active_seconds=row.seconds,
        wall_seconds=row.wall,
        valid=bool(row.is_valid),
        repeat=row.kind == "repeat",
        hit=str(row.item_id),
        context=row.context,
        text_a=row.left,
        text_b=row.right,
        length_a=row.left_tokens,
        length_b=row.right_tokens,
        comment=row.comment,
    )
