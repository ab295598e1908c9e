//! Where requests go: a base URL and what is put behind it.

use core::fmt;

use reqwest::Url;

use crate::settings::SettingsError;

/// A base URL. `Debug` shows scheme, host, port and path; a query may hold a secret.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Address(Url);

impl Address {
    pub(crate) fn new(text: &str) -> Result<Self, SettingsError> {
        let invalid = |reason| SettingsError::InvalidBaseUrl { reason };
        let url = Url::parse(text.trim()).map_err(|_| invalid("it is no URL"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(invalid("it must begin with http:// or https://"));
        }
        if !url.has_host() {
            return Err(invalid("it names no host"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(invalid("it holds a user name or password"));
        }
        if url.fragment().is_some() {
            return Err(invalid("it has a fragment"));
        }
        Ok(Self(url))
    }

    /// The base URL with `segments` behind its path, escaped, and its query kept.
    pub(crate) fn join(&self, segments: &[&str], query: Option<(&str, &str)>) -> Url {
        let mut url = self.0.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        if let Some((name, value)) = query {
            url.query_pairs_mut().append_pair(name, value);
        }
        url
    }

    pub(crate) fn url(&self) -> &Url {
        &self.0
    }

    pub(crate) fn is_encrypted(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Whether it is this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        let host = self.0.host_str().unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        match host.parse::<std::net::IpAddr>() {
            Ok(ip) => ip.is_loopback(),
            Err(_) => host == "localhost" || host.ends_with(".localhost"),
        }
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = self.0.clone();
        shown.set_query(None);
        write!(f, "{shown}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_put_behind_the_path_and_the_query_stays() {
        let cases = [
            ("https://a.example/v1", "https://a.example/v1/chat/x%2Fy"),
            ("https://a.example/v1/", "https://a.example/v1/chat/x%2Fy"),
            ("http://a.example", "http://a.example/chat/x%2Fy"),
            (
                "http://a.example/v1?api-version=1",
                "http://a.example/v1/chat/x%2Fy?api-version=1",
            ),
        ];
        for (base, expected) in cases {
            let address = Address::new(base).unwrap();
            assert_eq!(address.join(&["chat", "x/y"], None).as_str(), expected);
        }
    }

    #[test]
    fn what_is_no_base_url_is_refused_without_being_repeated() {
        let texts = [
            "",
            "a.example/v1",
            "ftp://a.example",
            "http://",
            "https://user:secret@a.example",
            "https://a.example/#x",
        ];
        for text in texts {
            let error = Address::new(text).unwrap_err();
            assert!(!error.to_string().contains("secret"), "{text}");
        }
    }

    #[test]
    fn this_machine_is_known_by_its_names() {
        let cases = [
            ("http://localhost:1", true),
            ("http://127.0.0.1", true),
            ("http://127.9.9.9", true),
            ("http://[::1]:80/x", true),
            ("http://a.localhost", true),
            ("http://localhost.example", false),
            ("http://10.0.0.1", false),
            ("https://a.example", false),
        ];
        for (text, expected) in cases {
            assert_eq!(
                Address::new(text).unwrap().is_loopback(),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn debug_hides_the_query() {
        let address = Address::new("https://a.example/v1?key=secret").unwrap();
        assert_eq!(format!("{address:?}"), "https://a.example/v1");
    }
}
