//! TLS: rustls over ring, with the certificates of the system.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;

/// The configuration of a client, made here so that no process-wide provider is needed or set.
/// Without encryption no certificate is read: a machine may have none.
pub(crate) fn config(is_encrypted: bool) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let mut config = if is_encrypted {
        builder.with_platform_verifier()?.with_no_client_auth()
    } else {
        builder
            .with_root_certificates(RootCertStore::empty())
            .with_no_client_auth()
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// Whether the chain of causes of `error` holds a certificate that was not accepted.
pub(crate) fn is_certificate_refused(error: &(dyn core::error::Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let refused = matches!(
            error.downcast_ref::<rustls::Error>(),
            Some(rustls::Error::InvalidCertificate(_) | rustls::Error::NoCertificatesPresented)
        );
        let inner = error
            .downcast_ref::<std::io::Error>()
            .and_then(std::io::Error::get_ref);
        if refused || inner.is_some_and(|inner| is_certificate_refused(inner)) {
            return true;
        }
        cause = error.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use std::io;

    use rustls::CertificateError;

    use super::*;

    #[test]
    fn a_refused_certificate_is_found_at_any_depth() {
        let refused = || rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer);
        assert!(is_certificate_refused(&refused()));
        assert!(is_certificate_refused(&io::Error::other(refused())));
        let deep = io::Error::other(io::Error::other(refused()));
        assert!(is_certificate_refused(&deep));
        let other = rustls::Error::General("no".into());
        assert!(!is_certificate_refused(&io::Error::other(other)));
    }

    #[test]
    fn without_encryption_no_certificate_is_read() {
        assert!(config(false).is_ok());
    }
}
