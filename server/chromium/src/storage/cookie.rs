//! One cookie, as the protocol has it and as states keep it.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

/// A cookie. Its `Debug` leaves the value out.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Cookie {
    /// Name; may be empty when the value is not.
    pub name: String,
    /// Value.
    pub value: String,
    /// `example.com` for that host only, `.example.com` for all below too.
    pub domain: String,
    /// Path that it is sent to, and below.
    pub path: String,
    /// Seconds since the epoch; none for a cookie of the session.
    #[serde(deserialize_with = "expiry", skip_serializing_if = "Option::is_none")]
    pub expires: Option<f64>,
    /// Sent over https only.
    pub secure: bool,
    /// Kept from scripts.
    pub http_only: bool,
    /// Whether it travels from other sites.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_site: Option<SameSite>,
    /// The top-level site that it is kept for, when partitioned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition_key: Option<PartitionKey>,
}

/// Whether a cookie travels with requests that other sites make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SameSite {
    /// Never.
    Strict,
    /// With navigations.
    Lax,
    /// Always; needs `secure`.
    None,
}

/// The top-level site that a partitioned cookie is kept for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PartitionKey {
    /// Scheme and registrable domain: `https://example.com`.
    pub top_level_site: String,
    /// Whether a site in between was another one.
    #[serde(default)]
    pub has_cross_site_ancestor: bool,
}

/// What distinguishes cookies.
pub type CookieKey<'a> = (&'a str, &'a str, &'a str, Option<&'a PartitionKey>);

impl Cookie {
    /// What tells it from others: one with the same key replaces it.
    pub fn key(&self) -> CookieKey<'_> {
        (&self.name, &self.domain, &self.path, self.partition_key.as_ref())
    }

    /// Its host, without the dot that stands for all below.
    pub fn host(&self) -> &str {
        self.domain.strip_prefix('.').unwrap_or(&self.domain)
    }

    /// Whether it is for that host alone.
    pub fn is_host_only(&self) -> bool {
        !self.domain.starts_with('.')
    }
}

impl fmt::Debug for Cookie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cookie({} of {}{})", self.name, self.domain, self.path)
    }
}

impl SameSite {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Lax => "lax",
            Self::None => "none",
        }
    }
}

/// The protocol says -1 for none.
fn expiry<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    Ok(Option::<f64>::deserialize(from)?.filter(|seconds| *seconds >= 0.0))
}
