//! What a call may do: what its token allows, or less. A program that makes calls for an agent, as
//! `browse mcp` does, names the scopes that the agent has.

use browse_base::{Error, HINT_KEY, Result};
use browse_fleet::SessionScope;
use browse_policy::Scopes;
use browse_proto::{Command, Reason, Scope, metadata};
use http::HeaderMap;

use crate::auth::AuthenticatedCaller;

/// Where the scopes of a call come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallScopes {
    /// They are those of its token.
    OfToken,
    /// The call names those that it uses.
    Named,
}

impl CallScopes {
    /// Leaves `caller` the scopes that the call names, where it names some. No call gets one that
    /// its token does not have.
    ///
    /// # Errors
    /// `REQUEST_INVALID`: a word is not a scope, or the header is there twice.
    pub fn take(caller: &mut AuthenticatedCaller, headers: &HeaderMap) -> Result<Self> {
        let mut values = headers.get_all(metadata::SCOPES).iter();
        let Some(value) = values.next() else { return Ok(Self::OfToken) };
        let invalid = |why: &str| {
            Err(Error::new(Reason::RequestInvalid, format!("`{}`: {why}", metadata::SCOPES))
                .with(HINT_KEY, "Write it as in `browse-scopes: read,write,meta`"))
        };
        let (Ok(text), None) = (value.to_str(), values.next()) else {
            return invalid("it is one header of ASCII");
        };
        let named = match Scopes::parse(&[text.to_owned()]) {
            Ok(scopes) => scopes.names(),
            Err(why) => return invalid(&why),
        };
        caller.scopes.retain(|scope| named.contains(&scope.as_str()));
        Ok(Self::Named)
    }

    /// Refuses what `caller` may not do; the pod does so again.
    ///
    /// # Errors
    /// `SCOPE_DENIED`.
    pub fn check(self, caller: &AuthenticatedCaller, command: &Command) -> Result<()> {
        let required = command.scope.name();
        let is_held = caller.scopes.iter().any(|scope| scope == required);
        if is_held || matches!(command.scope, Scope::Any | Scope::Public) {
            return Ok(());
        }
        let message = format!("`{}` needs the `{required}` scope", command.name);
        let hint = match self {
            Self::OfToken => format!("Get a token with the scope `{required}` from your issuer"),
            Self::Named => {
                "Use another command, or ask the user to run it: this caller is held to fewer \
                 scopes than its token has"
                    .to_owned()
            }
        };
        Err(Error::new(Reason::ScopeDenied, message)
            .with("required", required)
            .with("held", caller.scopes.join(","))
            .with(HINT_KEY, hint))
    }

    /// Leaves `caller` the session of the call alone, where the call names its scopes: commands
    /// that show what a tenant has show that of one session.
    pub fn hold_to_session(self, caller: &mut AuthenticatedCaller, session: &str) {
        if self == Self::Named {
            caller.session = SessionScope::Only(session.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use browse_fleet::{Tenant, TenantQuota};
    use http::HeaderValue;

    use super::*;

    fn caller() -> AuthenticatedCaller {
        AuthenticatedCaller {
            tenant: Tenant::new("acme").expect("a name"),
            subject: "ann".to_owned(),
            scopes: ["control", "meta", "read"].map(str::to_owned).to_vec(),
            session: SessionScope::Any,
            quota: TenantQuota::default(),
            expires_at: None,
        }
    }

    fn headers(values: &[&'static str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for &value in values {
            headers.append(metadata::SCOPES, HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn a_call_gives_up_scopes_and_gets_none() {
        let mut held = caller();
        let scopes = CallScopes::take(&mut held, &headers(&["read, write,meta"])).expect("scopes");
        assert_eq!(held.scopes, ["meta", "read"]);
        scopes.hold_to_session(&mut held, "work");
        assert_eq!(held.session, SessionScope::Only("work".to_owned()));
        let check = |name| scopes.check(&held, Command::by_name(name).expect("a command"));
        assert!(check("snapshot").is_ok() && check("whoami").is_ok());
        for refused in ["click", "session list", "cookies"] {
            assert_eq!(check(refused).expect_err(refused).reason(), Reason::ScopeDenied);
        }
    }

    #[test]
    fn without_the_header_the_token_decides() {
        let mut whole = caller();
        let scopes = CallScopes::take(&mut whole, &HeaderMap::new()).expect("scopes");
        scopes.hold_to_session(&mut whole, "work");
        assert_eq!(whole, caller());
        for wrong in [&[""][..], &["root"], &["read", "meta"], &["read,,meta"], &["*"]] {
            let refused = CallScopes::take(&mut caller(), &headers(wrong)).expect_err("no scopes");
            assert_eq!(refused.reason(), Reason::RequestInvalid, "{wrong:?}");
        }
    }
}
