//! Headers that a relay passes on: those of a list, and no others.

use http::{HeaderMap, HeaderName};

/// The headers of these names, with all of their values.
pub fn selected(headers: &HeaderMap, names: &[HeaderName]) -> HeaderMap {
    let mut found = HeaderMap::new();
    for name in names {
        for value in headers.get_all(name) {
            found.append(name, value.clone());
        }
    }
    found
}
