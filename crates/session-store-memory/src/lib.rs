//! A session store in memory.
