"""The tables of a study as SQLAlchemy sees them; the migrations create them."""

from sqlalchemy import Boolean, Column, Float, ForeignKey, Integer, MetaData, Table, Text

#: All tables; a test compares them with what the migrations create.
METADATA = MetaData()


def _table(name: str, *columns: Column[object]) -> Table:
    return Table(name, METADATA, *columns)


def _key() -> Column[object]:
    return Column("id", Integer, primary_key=True)


def _reference(name: str, table: str) -> Column[object]:
    return Column(name, Integer, ForeignKey(f"{table}.id"))


def _columns(kind: type, names: str) -> list[Column[object]]:
    return [Column(name, kind) for name in names.split()]


MIGRATION = _table(
    "migration",
    Column("number", Integer, primary_key=True),
    Column("name", Text),
    Column("applied_at", Float),
)
STUDY = _table(
    "study",
    _key(),
    *_columns(Text, "settings setup operator_hash"),
    Column("is_paused", Boolean),
    Column("created_at", Float),
)
SYSTEM = _table("system", _key(), Column("name", Text))
PROMPT = _table("prompt", _key(), Column("text", Text))
CONTINUATION = _table(
    "continuation",
    _key(),
    _reference("prompt_id", "prompt"),
    _reference("system_id", "system"),
    Column("text", Text),
    Column("n_tokens", Integer),
)
PAIR = _table(
    "pair",
    _key(),
    _reference("system_a", "system"),
    _reference("system_b", "system"),
    *_columns(Integer, "target n_valid"),
)
ITEM = _table(
    "item",
    _key(),
    _reference("pair_id", "pair"),
    _reference("prompt_id", "prompt"),
    _reference("text_a", "continuation"),
    _reference("text_b", "continuation"),
    *_columns(Integer, "target n_valid"),
)
ANNOTATOR = _table(
    "annotator",
    _key(),
    *_columns(
        Text, "source external_id external_study external_session consent_version completion_code"
    ),
    *_columns(Float, "enrolled_at consented_at completed_at"),
    Column("is_excluded", Boolean),
    Column("n_failed_checks", Integer),
)
EXCLUSION = _table(
    "exclusion",
    _key(),
    _reference("annotator_id", "annotator"),
    Column("is_excluded", Boolean),
    Column("reason", Text),
    Column("decided_at", Float),
)
INVITE = _table(
    "invite",
    _key(),
    Column("token_hash", Text),
    _reference("annotator_id", "annotator"),
    Column("created_at", Float),
)
SESSION = _table(
    "session",
    Column("token_hash", Text, primary_key=True),
    _reference("annotator_id", "annotator"),
    Column("created_at", Float),
)
ASSIGNMENT = _table(
    "assignment",
    _key(),
    _reference("annotator_id", "annotator"),
    _reference("item_id", "item"),
    *_columns(Integer, "number n_revisions"),
    *_columns(Text, "kind lease"),
    Column("a_is_left", Boolean),
    *_columns(Float, "leased_at expires_at seconds"),
)
RATING = _table(
    "rating",
    _key(),
    _reference("assignment_id", "assignment"),
    _reference("annotator_id", "annotator"),
    *_columns(Integer, "revision interesting sensible human_like"),
    *_columns(Text, "submission_id comment"),
    *_columns(Float, "active_seconds wall_seconds received_at"),
)
