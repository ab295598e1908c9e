//! What is written down: messages, events, boundaries, and the view they fold to.
