-- Sessions, each with one log. The schema's name is replaced by the configured one, and the mark
-- `/*bytewise*/` by a collation where the database does not compare text byte by byte by itself.
-- Each statement can be run again without harm.

CREATE TABLE IF NOT EXISTS session_store.session (
    id text /*bytewise*/ NOT NULL PRIMARY KEY,
    owner text /*bytewise*/,
    owner_key text /*bytewise*/,
    parent text /*bytewise*/,
    created_at bigint NOT NULL,
    expires_at bigint,
    attributes text NOT NULL,
    metadata text NOT NULL,
    version bigint NOT NULL,
    boundary_seq bigint,
    boundary_kept_from bigint,
    boundary_pinned text,
    view_events bigint,
    view_turns bigint,
    view_tokens bigint,
    view_estimator text,
    erasures bigint NOT NULL
);

CREATE INDEX IF NOT EXISTS session_by_age ON session_store.session (created_at, id);

CREATE INDEX IF NOT EXISTS session_by_owner ON session_store.session (owner_key, created_at, id);

CREATE INDEX IF NOT EXISTS session_by_parent ON session_store.session (parent, created_at, id);

CREATE INDEX IF NOT EXISTS session_by_expiry ON session_store.session (expires_at);

CREATE TABLE IF NOT EXISTS session_store.attribute (
    session_id text /*bytewise*/ NOT NULL,
    name_key text /*bytewise*/ NOT NULL,
    value_key text /*bytewise*/ NOT NULL,
    PRIMARY KEY (session_id, name_key)
);

CREATE INDEX IF NOT EXISTS attribute_by_value ON session_store.attribute (name_key, value_key, session_id);

CREATE TABLE IF NOT EXISTS session_store.event (
    session_id text /*bytewise*/ NOT NULL,
    seq bigint NOT NULL,
    id text /*bytewise*/ NOT NULL UNIQUE,
    owner_key text /*bytewise*/,
    happened_at bigint NOT NULL,
    event_type text /*bytewise*/ NOT NULL,
    role text /*bytewise*/,
    kind text /*bytewise*/,
    is_synthetic boolean NOT NULL,
    branch text /*bytewise*/,
    tokens bigint,
    estimator text,
    folded text /*bytewise*/,
    record text NOT NULL,
    PRIMARY KEY (session_id, seq)
);

CREATE INDEX IF NOT EXISTS event_by_owner ON session_store.event (owner_key, happened_at, session_id, seq);

CREATE TABLE IF NOT EXISTS session_store.turning_point (
    session_id text /*bytewise*/ NOT NULL,
    seq bigint NOT NULL,
    PRIMARY KEY (session_id, seq)
);
