//! Keys: what lets a request in, and is never shown.

use core::fmt;

use reqwest::header::HeaderValue;

use crate::settings::SettingsError;

/// A key to a provider. It has no `Display`, its `Debug` hides it, and requests carry it in a
/// header that is marked as sensitive.
///
/// ```
/// use session_summarizer_http::ApiKey;
///
/// let key = ApiKey::new(" sk-secret\n").unwrap(); // blanks around it are taken off
/// assert_eq!(format!("{key:?}"), "ApiKey(hidden)");
/// assert!(ApiKey::new("two\nlines").is_err());
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// The key `text`, without the blanks and line breaks around it.
    ///
    /// # Errors
    ///
    /// [`SettingsError::InvalidKey`] when it is empty or has characters that no header may have.
    pub fn new(text: impl Into<String>) -> Result<Self, SettingsError> {
        let text = text.into();
        let text = text.trim();
        if text.is_empty() || HeaderValue::from_str(text).is_err() {
            return Err(SettingsError::InvalidKey);
        }
        Ok(Self(text.to_owned()))
    }

    /// The key in the environment variable `variable`.
    ///
    /// # Errors
    ///
    /// [`SettingsError::MissingKey`] when there is none or it is blank, and
    /// [`SettingsError::InvalidKey`] as in [`new`](Self::new).
    pub fn from_env(variable: &str) -> Result<Self, SettingsError> {
        Self::required(variable, &environment)
    }

    /// The key in a variable.
    pub(crate) fn required(
        variable: &str,
        variables: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, SettingsError> {
        Self::optional(variable, variables)?.ok_or_else(|| SettingsError::MissingKey {
            variable: variable.into(),
        })
    }

    /// The key in a variable; `None` when there is none.
    pub(crate) fn optional(
        variable: &str,
        variables: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, SettingsError> {
        match variables(variable) {
            Some(text) if !text.trim().is_empty() => Self::new(text).map(Some),
            _ => Ok(None),
        }
    }

    /// The value of a header: the key after `prefix`.
    pub(crate) fn header(&self, prefix: &str) -> Result<HeaderValue, SettingsError> {
        let mut value = HeaderValue::from_str(&format!("{prefix}{}", self.0))
            .map_err(|_| SettingsError::InvalidKey)?;
        value.set_sensitive(true);
        Ok(value)
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(hidden)")
    }
}

/// What an environment variable says; what is blank or no Unicode says nothing.
pub(crate) fn environment(variable: &str) -> Option<String> {
    let text = std::env::var(variable).ok()?;
    (!text.trim().is_empty()).then_some(text)
}
