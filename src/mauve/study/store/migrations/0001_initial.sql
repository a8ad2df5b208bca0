-- ${serial_key} is an integer key that the database counts up; all else is the same SQL in
-- SQLite and PostgreSQL. Times are seconds since 1970.

CREATE TABLE study (
    id INTEGER PRIMARY KEY CHECK (id = 1), -- one study in a database
    settings TEXT NOT NULL,
    setup TEXT NOT NULL, -- how many prompts and texts were read and kept
    is_paused BOOLEAN NOT NULL,
    operator_hash TEXT,
    created_at DOUBLE PRECISION NOT NULL
);

CREATE TABLE system (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

CREATE TABLE prompt (
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL
);

CREATE TABLE continuation (
    id INTEGER PRIMARY KEY,
    prompt_id INTEGER NOT NULL REFERENCES prompt (id),
    system_id INTEGER REFERENCES system (id), -- NULL for the shuffled words of attention checks
    text TEXT NOT NULL,
    n_tokens INTEGER -- NULL for the shuffled words
);

CREATE TABLE pair (
    id INTEGER PRIMARY KEY, -- in random order: pairs with equal needs are served in this order
    system_a INTEGER NOT NULL REFERENCES system (id),
    system_b INTEGER NOT NULL REFERENCES system (id),
    target INTEGER NOT NULL CHECK (target > 0),
    n_valid INTEGER NOT NULL, -- counted again from the ratings whenever a rule changes
    UNIQUE (system_a, system_b)
);

CREATE TABLE item (
    id INTEGER PRIMARY KEY, -- in random order within its pair
    pair_id INTEGER REFERENCES pair (id), -- NULL for attention checks
    prompt_id INTEGER NOT NULL REFERENCES prompt (id),
    text_a INTEGER NOT NULL REFERENCES continuation (id),
    text_b INTEGER NOT NULL REFERENCES continuation (id),
    target INTEGER NOT NULL,
    n_valid INTEGER NOT NULL
);
CREATE INDEX item_of_pair ON item (pair_id);

CREATE TABLE annotator (
    id ${serial_key},
    source TEXT NOT NULL,
    external_id TEXT UNIQUE,
    external_study TEXT,
    external_session TEXT,
    enrolled_at DOUBLE PRECISION NOT NULL,
    consent_version TEXT,
    consented_at DOUBLE PRECISION,
    is_excluded BOOLEAN NOT NULL, -- by the operator
    n_failed_checks INTEGER NOT NULL, -- counted again from the ratings, as n_valid
    completed_at DOUBLE PRECISION,
    completion_code TEXT
);

CREATE TABLE exclusion (
    id ${serial_key},
    annotator_id INTEGER NOT NULL REFERENCES annotator (id),
    is_excluded BOOLEAN NOT NULL,
    reason TEXT NOT NULL,
    decided_at DOUBLE PRECISION NOT NULL
);

CREATE TABLE invite (
    id ${serial_key},
    token_hash TEXT NOT NULL UNIQUE,
    annotator_id INTEGER REFERENCES annotator (id),
    created_at DOUBLE PRECISION NOT NULL
);

CREATE TABLE session (
    token_hash TEXT PRIMARY KEY,
    annotator_id INTEGER NOT NULL REFERENCES annotator (id),
    created_at DOUBLE PRECISION NOT NULL
);

CREATE TABLE assignment (
    id ${serial_key},
    annotator_id INTEGER NOT NULL REFERENCES annotator (id),
    item_id INTEGER NOT NULL REFERENCES item (id),
    number INTEGER NOT NULL, -- of the item for this annotator, from 1
    kind TEXT NOT NULL, -- normal, overlap, repeat or attention
    a_is_left BOOLEAN NOT NULL,
    lease TEXT NOT NULL UNIQUE,
    leased_at DOUBLE PRECISION NOT NULL,
    expires_at DOUBLE PRECISION NOT NULL,
    n_revisions INTEGER NOT NULL, -- 0 until it is rated
    seconds DOUBLE PRECISION NOT NULL, -- active time over all revisions
    UNIQUE (annotator_id, number)
);
-- Nobody sees an item twice but as a planned repeat, whatever the program does.
CREATE UNIQUE INDEX assigned_once ON assignment (annotator_id, item_id) WHERE kind <> 'repeat';
CREATE UNIQUE INDEX repeated_once ON assignment (annotator_id, item_id) WHERE kind = 'repeat';
CREATE INDEX assignment_of_item ON assignment (item_id);
CREATE INDEX open_assignment ON assignment (expires_at) WHERE n_revisions = 0;

CREATE TABLE rating (
    id ${serial_key},
    assignment_id INTEGER NOT NULL REFERENCES assignment (id),
    annotator_id INTEGER NOT NULL REFERENCES annotator (id),
    submission_id TEXT NOT NULL,
    revision INTEGER NOT NULL, -- from 1; the last one counts, none is ever changed
    interesting INTEGER NOT NULL CHECK (interesting BETWEEN 1 AND 5), -- as displayed: 1 is left
    sensible INTEGER NOT NULL CHECK (sensible BETWEEN 1 AND 5),
    human_like INTEGER NOT NULL CHECK (human_like BETWEEN 1 AND 5),
    active_seconds DOUBLE PRECISION NOT NULL,
    wall_seconds DOUBLE PRECISION NOT NULL,
    comment TEXT NOT NULL,
    received_at DOUBLE PRECISION NOT NULL,
    UNIQUE (annotator_id, submission_id),
    UNIQUE (assignment_id, revision)
);
