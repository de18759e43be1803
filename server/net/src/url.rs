//! Addresses for logs and messages.

use url::Url;

/// An address without user, password, query and fragment.
pub fn without_query(text: &str) -> String {
    match Url::parse(text) {
        Ok(mut url) if url.has_host() => {
            url.set_query(None);
            url.set_fragment(None);
            let _ = url.set_username("");
            let _ = url.set_password(None);
            url.to_string()
        }
        // Also `user:password@host`, which reads as a scheme and a path.
        _ => {
            let address = text.split(['?', '#']).next().unwrap_or_default();
            address.rsplit('@').next().unwrap_or_default().to_owned()
        }
    }
}
