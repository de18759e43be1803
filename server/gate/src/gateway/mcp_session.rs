//! Sessions of MCP. All that is to be known of one is in its id, so that any replica serves it: the
//! session of the browser that it has, when it began, and a sum of both and of its owner.
//!
//! An id grants nothing: the token of each request does, for the sessions of its own tenant. So the
//! sum needs no key. It makes the ids of other owners, and those that are mistyped, unknown.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use browse_base::{Result, hex, random};
use browse_fleet::SessionKey;
use sha2::{Digest as _, Sha256};

use crate::auth::Caller;

/// How the names of sessions begin that a server of MCP has opened. They are the handles in its
/// answers, and `browse mcp` names its own in the same way.
const NAME_PREFIX: &str = "agent-";

/// Random bytes of a name, which follow in hexadecimal.
const NAME_BYTES: usize = 16;

/// Bytes of the sum.
const SUM_BYTES: usize = 8;

/// Sessions that are remembered after their clients have ended them.
const MAX_ENDED: usize = 10_000;

/// The id of a session of MCP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpSessionId {
    session: String,
    /// Seconds since 1970.
    began: u64,
}

impl McpSessionId {
    /// A new one, which begins at `now`.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn generate(now: SystemTime) -> Result<Self> {
        let session = format!("{NAME_PREFIX}{}", hex(&random::<NAME_BYTES>()?));
        Ok(Self { session, began: seconds(now) })
    }

    /// Reads an id; none where it was not made for `caller`.
    pub fn parse(text: &str, caller: &Caller) -> Option<Self> {
        let mut parts = text.split('.');
        let (session, began) = (parts.next()?, parts.next()?);
        let digits = session.strip_prefix(NAME_PREFIX)?;
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if digits.len() != 2 * NAME_BYTES || !digits.bytes().all(is_digit) {
            return None;
        }
        let began = u64::from_str_radix(began, 16).ok()?;
        let id = Self { session: session.to_owned(), began };
        (id.text(caller) == text).then_some(id)
    }

    /// What a client of `caller` sends as `Mcp-Session-Id`.
    pub fn text(&self, caller: &Caller) -> String {
        let Self { session, began } = self;
        let mut sum = Sha256::new();
        // Of these, only the subject may have a line break.
        for part in [caller.tenant.as_str(), session, &began.to_string(), &caller.subject] {
            sum.update(part);
            sum.update("\n");
        }
        let sum = hex(&sum.finalize()[..SUM_BYTES]);
        format!("{session}.{began:x}.{sum}")
    }

    /// The name of the session of the browser.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Time since it began.
    pub fn age(&self, now: SystemTime) -> Duration {
        Duration::from_secs(seconds(now).saturating_sub(self.began))
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// Sessions that their clients have ended, as this replica knows. One that was not used before could
/// be opened by its id else.
#[derive(Default)]
pub struct EndedSessions(Mutex<HashMap<SessionKey, Instant>>);

impl EndedSessions {
    /// Remembers one, for `time` at least while there are few.
    pub fn add(&self, key: SessionKey, now: Instant, time: Duration) {
        let mut ended = self.lock();
        ended.retain(|_, until| *until > now);
        if ended.len() >= MAX_ENDED {
            let next = ended.iter().min_by_key(|(_, until)| **until);
            if let Some(next) = next.map(|(key, _)| key.clone()) {
                ended.remove(&next);
            }
        }
        ended.insert(key, now + time);
    }

    /// Whether its client has ended it.
    pub fn contains(&self, key: &SessionKey) -> bool {
        self.lock().contains_key(key)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionKey, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use browse_fleet::{SessionScope, Tenant, TenantQuota};

    use super::*;

    fn caller(tenant: &str, subject: &str) -> Caller {
        Caller {
            tenant: Tenant::new(tenant).expect("a name"),
            subject: subject.to_owned(),
            scopes: vec!["read".to_owned()],
            session: SessionScope::Any,
            quota: TenantQuota::default(),
            expires_at: None,
        }
    }

    #[test]
    fn an_id_is_known_to_its_owner_alone() {
        let began = UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        let owner = caller("acme", "ann");
        let id = McpSessionId::generate(began).expect("random numbers");
        let text = id.text(&owner);
        assert!(text.bytes().all(|byte| byte.is_ascii_graphic()), "{text}");
        assert_eq!(McpSessionId::parse(&text, &owner).as_ref(), Some(&id));
        assert_eq!(id.age(began + Duration::from_secs(60)), Duration::from_secs(60));
        assert_eq!(id.age(UNIX_EPOCH), Duration::ZERO, "clocks differ");
        for other in [caller("beta", "ann"), caller("acme", "bob"), caller("acm", "eann")] {
            assert_eq!(McpSessionId::parse(&text, &other), None, "{other:?}");
        }
        let (session, rest) = text.split_once('.').expect("parts");
        for wrong in [
            String::new(),
            session.to_owned(),
            format!("{text}.x"),
            format!("{text} "),
            text.to_uppercase(),
            format!("work.{rest}"),
            format!("{session}.0{rest}"),
            format!("agent-{}.{rest}", "0".repeat(32)),
        ] {
            assert_eq!(McpSessionId::parse(&wrong, &owner), None, "{wrong}");
        }
    }

    #[test]
    fn as_many_ended_sessions_are_remembered() {
        let (ended, now) = (EndedSessions::default(), Instant::now());
        let tenant = Tenant::new("acme").expect("a name");
        let key = |number: usize| SessionKey {
            tenant: tenant.clone(),
            session: format!("agent-{number}"),
        };
        let time = Duration::from_secs(60);
        ended.add(key(0), now, time);
        assert!(ended.contains(&key(0)) && !ended.contains(&key(1)));
        ended.add(key(1), now + time, time);
        assert!(!ended.contains(&key(0)), "its time is over");
        for number in 2..=MAX_ENDED + 1 {
            ended.add(key(number), now + time + Duration::from_millis(1), time);
        }
        assert!(!ended.contains(&key(1)) && ended.contains(&key(2)));
        assert!(ended.contains(&key(MAX_ENDED + 1)));
    }
}
