//! The files of the page, which are built into the daemon.

use http::{HeaderMap, HeaderValue, header};

/// What `npm run build` in `server/dashboard` makes; empty when it did not run before the
/// daemon was built.
static FILES: &[(&str, &str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/dashboard.rs"));

/// What the page may load: its own files, pictures that it made, and nothing else.
pub(super) const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; \
     style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
     trusted-types 'none'";

const HEADERS: [(header::HeaderName, &str); 8] = [
    (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (
        header::HeaderName::from_static("permissions-policy"),
        "camera=(), microphone=(), geolocation=(), display-capture=(), payment=(), usb=()",
    ),
];

/// Whether the page was built in.
pub(super) fn are_built_in() -> bool {
    !FILES.is_empty()
}

/// The files: their names, media types and contents.
pub(super) fn files() -> &'static [(&'static str, &'static str, &'static [u8])] {
    FILES
}

/// Adds what each answer of the listener carries.
pub(super) fn add_headers(headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
