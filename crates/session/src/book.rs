//! The guides of the book, so that their code is compiled and run with the documentation tests.

macro_rules! guides {
    ($($name:ident $file:literal)*) => {$(
        #[doc = include_str!(concat!("../../../docs/guides/", $file))]
        mod $name {}
    )*};
}

guides! {
    first_session "first-session.md"
    compact_and_undo "compact-and-undo.md"
    token_budgets "token-budgets.md"
    write_summaries "write-summaries.md"
    sqlite "sqlite.md"
    background_passes "background-passes.md"
    agent_loop "agent-loop.md"
    recall "recall.md"
    custom_strategy "custom-strategy.md"
    own_store "own-store.md"
    own_message_type "own-message-type.md"
    move_transcripts "move-transcripts.md"
    erase "erase.md"
}
