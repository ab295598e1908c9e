//! A session store in SQLite.
