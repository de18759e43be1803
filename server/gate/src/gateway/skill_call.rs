//! A call that a daemon on another machine relays for a skill. It has what a skill has there: it
//! reads and writes, in its session, on its hosts.

use browse_base::{Error, HINT_KEY, Result, quote};
use browse_fleet::SessionScope;
use browse_proto::{Reason, Scope, metadata};
use http::HeaderMap;

use crate::auth::AuthenticatedCaller;

/// Hosts of one skill.
const MAX_HOSTS: usize = 100;

/// Bytes of one of them: a name of the DNS, with a port and the mark for its subdomains.
const MAX_HOST_BYTES: usize = 262;

/// Whether a skill makes a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallOrigin {
    /// The holder of the token, or a program of theirs.
    Caller,
    /// A skill, with its hosts as its manifest has them; `*` for those that the pod visits.
    Skill(Vec<String>),
}

impl CallOrigin {
    /// Leaves `caller` the scopes of a skill, where a skill makes the call. The pod reads the
    /// hosts.
    ///
    /// # Errors
    /// `REQUEST_INVALID`: what the header holds are not hosts, or it is there twice.
    pub fn take(caller: &mut AuthenticatedCaller, headers: &HeaderMap) -> Result<Self> {
        let mut values = headers.get_all(metadata::SKILL_HOSTS).iter();
        let Some(value) = values.next() else { return Ok(Self::Caller) };
        let (Ok(text), None) = (value.to_str(), values.next()) else {
            return Err(invalid("it is one header of ASCII"));
        };
        let hosts: Vec<String> = text.split(',').map(|host| host.trim().to_owned()).collect();
        if hosts.len() > MAX_HOSTS {
            return Err(invalid(&format!("it has more than {MAX_HOSTS} hosts")));
        }
        let is_word = |host: &str| {
            (1..=MAX_HOST_BYTES).contains(&host.len()) && host.bytes().all(|b| b.is_ascii_graphic())
        };
        if let Some(bad) = hosts.iter().find(|host| !is_word(host)) {
            return Err(invalid(&format!("`{}` is not a host", quote(bad))));
        }
        let of_skill = [Scope::Read.name(), Scope::Write.name()];
        caller.scopes.retain(|scope| of_skill.contains(&scope.as_str()));
        Ok(Self::Skill(hosts))
    }

    /// Leaves `caller` the session of the call alone, where a skill makes it.
    pub fn hold_to_session(&self, caller: &mut AuthenticatedCaller, session: &str) {
        if let Self::Skill(_) = self {
            caller.session = SessionScope::Only(session.to_owned());
        }
    }

    /// The hosts of the skill.
    pub fn skill_hosts(&self) -> Option<&Vec<String>> {
        match self {
            Self::Caller => None,
            Self::Skill(hosts) => Some(hosts),
        }
    }
}

fn invalid(why: &str) -> Error {
    Error::new(Reason::RequestInvalid, format!("`{}`: {why}", metadata::SKILL_HOSTS))
        .with(HINT_KEY, "Write it as in `browse-skill-hosts: example.com,*.example.com`")
}

#[cfg(test)]
mod tests {
    use browse_fleet::{Tenant, TenantQuota};
    use http::HeaderValue;

    use super::*;

    fn take(values: &[&str]) -> Result<(CallOrigin, Vec<String>)> {
        let mut caller = AuthenticatedCaller {
            tenant: Tenant::new("acme").expect("a name"),
            subject: "ann".to_owned(),
            scopes: ["admin", "control", "meta", "read", "write"].map(str::to_owned).to_vec(),
            session: SessionScope::Any,
            quota: TenantQuota::default(),
            expires_at: None,
        };
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(metadata::SKILL_HOSTS, HeaderValue::from_str(value).expect("a value"));
        }
        CallOrigin::take(&mut caller, &headers).map(|origin| (origin, caller.scopes))
    }

    #[test]
    fn a_skill_reads_and_writes_on_its_hosts() {
        let (origin, scopes) = take(&["a.example, *.b.example:8443"]).expect("hosts");
        let hosts = ["a.example", "*.b.example:8443"].map(str::to_owned);
        assert_eq!(origin.skill_hosts().map(Vec::as_slice), Some(hosts.as_slice()));
        assert_eq!(scopes, ["read", "write"]);
        let (origin, scopes) = take(&[]).expect("no skill");
        assert_eq!((origin, scopes.len()), (CallOrigin::Caller, 5));
        let many = vec!["a"; MAX_HOSTS + 1].join(",");
        for wrong in [&[""][..], &["a,,b"], &["a b"], &["a", "b"], &[&many]] {
            let refused = take(wrong).expect_err("no hosts");
            assert_eq!(refused.reason(), Reason::RequestInvalid, "{wrong:?}");
        }
    }
}
