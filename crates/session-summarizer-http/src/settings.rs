//! What can be wrong with the settings of an adapter.

/// Why an adapter cannot be made. Nothing was sent.
///
/// The message never repeats a key or an address, since both may hold a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// There is no key where it was looked for.
    #[error("there is no key, set the environment variable {variable}")]
    MissingKey {
        /// The variable to set.
        variable: String,
    },
    /// The key cannot be sent.
    #[error("the key is empty or has characters that no header may have")]
    InvalidKey,
    /// The base URL cannot be used.
    #[error("the base URL cannot be used: {reason}")]
    InvalidBaseUrl {
        /// What is wrong with it, one clause.
        reason: &'static str,
    },
    /// There is no model to ask.
    #[error("the name of the model is blank")]
    BlankModel,
    /// A header cannot be sent.
    #[error("the header {name} has a name or a value that cannot be sent")]
    InvalidHeader {
        /// Its name.
        name: String,
    },
    /// The tools of a conversation cannot be sent again.
    #[error("the tools are no list in JSON")]
    InvalidTools,
    /// An option has a value with which no request could succeed.
    #[error("{setting} must be {wanted}")]
    OutOfRange {
        /// Its name.
        setting: &'static str,
        /// What it must be, in words.
        wanted: &'static str,
    },
    /// The address of the proxy cannot be used.
    #[error("the address of the proxy is no URL that can be used")]
    InvalidProxy,
}
