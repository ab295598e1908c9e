//! The tables, in numbered migrations. A released migration is never changed.

use rusqlite::Connection;

/// Marks a database file as ours ("SLog").
pub(crate) const APPLICATION_ID: i64 = 0x534c_6f67;

/// The newest schema this release reads and writes.
pub(crate) const VERSION: i64 = 1;

/// Migration n leads to schema n.
const MIGRATIONS: [(i64, &str); 1] = [(1, V1)];

/// Brings the database from schema `from` to [`VERSION`], inside the caller's transaction.
pub(crate) fn migrate(connection: &Connection, from: i64) -> rusqlite::Result<()> {
    for (version, sql) in MIGRATIONS {
        if version <= from {
            continue;
        }
        connection.execute_batch(sql)?;
        connection.execute("INSERT INTO migration (version) VALUES (?1)", [version])?;
    }
    connection.execute_batch(&format!(
        "PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION};"
    ))
}

/// `event.row` grows with every append of any session, so within a session it has the order of
/// `seq`; the search index counts on that. `session.attributes` is what is read back, `attribute`
/// is what is looked up.
const V1: &str = "
CREATE TABLE migration (
    version INTEGER PRIMARY KEY
) STRICT;

CREATE TABLE owner (
    key INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE session (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    owner INTEGER REFERENCES owner (key),
    parent TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    attributes TEXT NOT NULL,
    metadata TEXT NOT NULL,
    version INTEGER NOT NULL,
    boundary_seq INTEGER,
    boundary_kept_from INTEGER,
    boundary_pinned TEXT,
    view_events INTEGER,
    view_turns INTEGER,
    view_tokens INTEGER,
    view_estimator TEXT,
    erasures INTEGER NOT NULL
) STRICT;
CREATE INDEX session_by_age ON session (created_at, id);
CREATE INDEX session_by_owner ON session (owner, created_at, id) WHERE owner IS NOT NULL;
CREATE INDEX session_by_parent ON session (parent, created_at, id) WHERE parent IS NOT NULL;
CREATE INDEX session_by_expiry ON session (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE attribute (
    session INTEGER NOT NULL REFERENCES session (key),
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (session, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX attribute_by_value ON attribute (name, value, session);

CREATE TABLE event (
    row INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session (key),
    seq INTEGER NOT NULL CHECK (seq > 0),
    id TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    kind INTEGER NOT NULL,
    role TEXT,
    synthetic INTEGER NOT NULL,
    branch TEXT,
    tokens INTEGER,
    estimator TEXT,
    record TEXT NOT NULL,
    UNIQUE (session, seq)
) STRICT;
CREATE INDEX event_turning ON event (session, seq) WHERE type IN ('COMPACTION', 'REVERT');

CREATE VIRTUAL TABLE search_index USING fts5 (
    session, owner, words,
    content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'
);
CREATE TABLE search_progress (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    row INTEGER NOT NULL
) STRICT;
INSERT INTO search_progress (one, row) VALUES (1, 0);
";
