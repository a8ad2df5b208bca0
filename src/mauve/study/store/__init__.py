"""Keep a study in a database: samples, pairs, people, assignments, ratings and quality control.

What a server calls, in the order in which an annotator meets it; all functions take a
:class:`~mauve.study.store.database.Study` first, and each is one transaction:

- ``creation.create_study(location, settings, human, systems)``, ``opening.open_study(location)``;
- ``people``: ``create_invites``, ``enrol`` (returns the token of a session), ``annotator_of``,
  ``record_consent``, ``completion_code``, ``new_operator_token``, ``is_operator``;
- ``assignment.next_item`` (returns an ``Assignment``, ``NoneLeft`` or ``Paused``) and
  ``assignment.renew``;
- ``submission.submit`` (returns a ``Receipt``), ``submission.submit_and_continue`` (also the next
  item), ``submission.own_items`` for the way back;
- ``reports``: ``pair_progress``, ``annotator_reports``, ``study_progress``;
- ``collected.study_ratings`` (returns the ``Ratings`` that the analysis reads);
- ``control``: ``pause``, ``resume``, ``exclude``, ``include``, ``change_rules``.

What the store refuses is a :class:`~mauve.study.store.refusals.RefusalError`. No object that a
server hands to an annotator holds the name of a system.
"""

from mauve.errors import need_packages

need_packages("The store of a study", ["sqlalchemy"], "study")
