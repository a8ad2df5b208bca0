"""The query of assigned items as they are displayed, which knows nothing of sources."""

from typing import Any

import sqlalchemy as sa

from mauve.study.store.schema import ASSIGNMENT, CONTINUATION, ITEM, PROMPT, RATING

#: The continuations displayed as A and as B.
LEFT = CONTINUATION.alias("left_text")
RIGHT = CONTINUATION.alias("right_text")


def displayed(*, with_answers: bool = False) -> sa.Select[Any]:
    """Return the query of assignments with their context and their texts, left and right.

    Parameters
    ----------
    with_answers : bool
        Whether to select those that are rated, with their last answers and comment.

    Examples
    --------
    >>> displayed(with_answers=True).selected_columns.keys()[-5:]
    ['right', 'interesting', 'sensible', 'human_like', 'comment']
    """
    a_is_left = ASSIGNMENT.c.a_is_left.is_(True)
    left = sa.case((a_is_left, ITEM.c.text_a), else_=ITEM.c.text_b)
    right = sa.case((a_is_left, ITEM.c.text_b), else_=ITEM.c.text_a)
    query = (
        sa.select(
            ASSIGNMENT,
            PROMPT.c.text.label("context"),
            LEFT.c.text.label("left"),
            RIGHT.c.text.label("right"),
        )
        .join(ITEM, ITEM.c.id == ASSIGNMENT.c.item_id)
        .join(PROMPT, PROMPT.c.id == ITEM.c.prompt_id)
        .join(LEFT, LEFT.c.id == left)
        .join(RIGHT, RIGHT.c.id == right)
    )
    if not with_answers:
        return query
    is_last = sa.and_(
        RATING.c.assignment_id == ASSIGNMENT.c.id, RATING.c.revision == ASSIGNMENT.c.n_revisions
    )
    answers = RATING.c.interesting, RATING.c.sensible, RATING.c.human_like, RATING.c.comment
    return query.add_columns(*answers).join(RATING, is_last)
