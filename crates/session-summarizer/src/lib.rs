//! The summarizer port, the prompt, and summarizers that need no model.
