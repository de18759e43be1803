//! The addresses that were given out: capabilities of 128 bits, each for one session and
//! for a time.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use browse_base::{Error, HINT_KEY, Result, hex, random};
use browse_proto::Reason;
use browse_sessions::Session;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Bytes of randomness in a capability.
const CAPABILITY_BYTES: usize = 16;

/// What every capability begins with. The table of secrets knows it, so that it is
/// masked in logs and in the activity.
const PREFIX: &str = "cdp_";

/// Addresses at a time.
const MAX_ADDRESSES: usize = 100;

/// For what an address is good.
#[derive(Clone)]
pub struct AddressTerms {
    /// The session that it drives.
    pub session: Arc<Session>,
    /// How long it is good.
    pub lifetime: Duration,
    /// Folder of the caller: files for uploads lie below it. None for clients on other machines,
    /// which neither give nor get files by their path.
    pub working_directory: Option<PathBuf>,
}

/// An address that was just made.
pub struct IssuedAddress {
    /// Last part of its path.
    pub capability: String,
    /// When it ends.
    pub expires_at: Instant,
}

/// What an address is good for.
#[derive(Clone)]
pub(super) struct AddressGrant {
    pub session: Weak<Session>,
    pub session_name: String,
    pub working_directory: Option<PathBuf>,
    /// Cancelled when the address is revoked or expires.
    pub ended: CancellationToken,
    pub expires_at: Instant,
}

struct Row {
    hash: [u8; 32],
    grant: AddressGrant,
}

/// The addresses of a daemon.
#[derive(Default)]
pub struct Addresses(Mutex<Vec<Row>>);

impl Addresses {
    /// Makes an address.
    ///
    /// # Errors
    /// There are too many; the system has no random numbers.
    pub fn issue(&self, terms: AddressTerms) -> Result<IssuedAddress> {
        let capability = format!("{PREFIX}{}", hex(&random::<CAPABILITY_BYTES>()?));
        let expires_at = Instant::now() + terms.lifetime;
        let mut rows = self.lock();
        if rows.len() >= MAX_ADDRESSES {
            let message = format!("{MAX_ADDRESSES} addresses are given out");
            let error = Error::new(Reason::TooLarge, message).with("limit", MAX_ADDRESSES);
            return Err(error.with(HINT_KEY, "Run `browse cdp-url --revoke`, then try again"));
        }
        let grant = AddressGrant {
            session: Arc::downgrade(&terms.session),
            session_name: terms.session.name().to_owned(),
            working_directory: terms.working_directory,
            ended: CancellationToken::new(),
            expires_at,
        };
        rows.push(Row { hash: hash(&capability), grant });
        Ok(IssuedAddress { capability, expires_at })
    }

    /// What the capability is good for. The time of the look-up does not depend on it.
    pub(super) fn find(&self, capability: &str) -> Option<AddressGrant> {
        let wanted = hash(capability);
        let mut found = None;
        for row in self.lock().iter() {
            let is_it = bool::from(row.hash.ct_eq(&wanted));
            if is_it && row.grant.expires_at > Instant::now() && !row.grant.ended.is_cancelled() {
                found = Some(row.grant.clone());
            }
        }
        found
    }

    /// Ends the addresses of a session, with the clients that are connected by them;
    /// answers how many there were.
    pub fn revoke(&self, session: &str) -> usize {
        self.end(|grant| grant.session_name == session)
    }

    /// Ends one address.
    pub(super) fn remove(&self, capability: &str) {
        let wanted = hash(capability);
        self.lock().retain(|row| {
            let goes = bool::from(row.hash.ct_eq(&wanted));
            if goes {
                row.grant.ended.cancel();
            }
            !goes
        });
    }

    /// Ends all addresses.
    pub(super) fn clear(&self) {
        self.end(|_| true);
    }

    /// Ends those that have expired, or whose session is gone; answers when to look
    /// again, unless none is left.
    pub(super) fn sweep(&self, is_open: impl Fn(&AddressGrant) -> bool) -> Option<Instant> {
        let now = Instant::now();
        self.end(|grant| grant.expires_at <= now || !is_open(grant));
        self.lock().iter().map(|row| row.grant.expires_at).min()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    fn end(&self, ends: impl Fn(&AddressGrant) -> bool) -> usize {
        let mut rows = self.lock();
        let before = rows.len();
        rows.retain(|row| {
            let goes = ends(&row.grant);
            if goes {
                row.grant.ended.cancel();
            }
            !goes
        });
        before - rows.len()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Row>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn hash(capability: &str) -> [u8; 32] {
    Sha256::digest(capability.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use browse_sessions::Sessions;

    use super::{AddressTerms, Addresses};

    #[tokio::test]
    async fn an_address_ends_with_its_time_and_when_it_is_revoked() {
        let sessions = Sessions::new();
        let session = sessions.get("default").unwrap();
        let terms = AddressTerms {
            session,
            lifetime: Duration::from_secs(60),
            working_directory: Some("/".into()),
        };
        let addresses = Addresses::default();
        let one = addresses.issue(terms.clone()).unwrap();
        assert_eq!(one.capability.len(), "cdp_".len() + 32);
        assert!(browse_secrets::contains_token(&one.capability));
        let grant = addresses.find(&one.capability).unwrap();
        assert!(addresses.find(&one.capability.to_uppercase()).is_none());
        assert!(addresses.find("").is_none());
        assert_eq!((addresses.revoke("other"), addresses.revoke("default")), (0, 1));
        assert!(grant.ended.is_cancelled() && addresses.find(&one.capability).is_none());
        let short = AddressTerms { lifetime: Duration::ZERO, ..terms };
        let other = addresses.issue(short).unwrap();
        assert!(addresses.find(&other.capability).is_none());
        assert_eq!(addresses.sweep(|_| true), None);
    }
}
