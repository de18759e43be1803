//! The issuer of a fleet: the device flow of OAuth (RFC 8628), and renewal of its tokens.

mod device_flow;
mod discovery;
mod token_endpoint;

pub use device_flow::DeviceCode;
pub use discovery::Issuer;
pub use token_endpoint::{TokenAnswer, TokenSet};

use browse_proto::Reason;

use crate::failure::Failure;

/// The client that a gateway names for signing in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientRegistration {
    /// The exact `issuer` of the discovery document.
    pub issuer: String,
    /// Its name at the issuer. It has no secret.
    pub client_id: String,
    /// For whom tokens are to be made, where the issuer wants to be asked for that.
    pub audience: Option<String>,
    /// The scopes to ask for.
    pub scopes: Vec<String>,
}

/// The failure when an issuer cannot be used.
pub fn unusable_issuer(issuer: &str, why: &str) -> Failure {
    let message = format!("the issuer `{issuer}` cannot be used: {why}");
    Failure::new(Reason::IssuerUnusable, message)
}
