//! Who is paired: one row a name, from the making of its key to its end.

use std::{
    collections::BTreeMap,
    num::NonZeroU32,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use browse_proto::Reason;
use governor::{
    DefaultDirectRateLimiter, Quota,
    clock::{Clock as _, DefaultClock},
};
use subtle::Choice;

use super::{
    proof,
    setup_key::{PresentedKey, SetupKey},
    terms::{PairingKind, PairingTerms},
};
use browse_base::{Error, HINT_KEY, Result};
use browse_policy::{
    Audience, Authority, ClientId, ClientKind, Delivery, Grant, GrantSpec, IssuedToken, SessionRule,
};

/// Keys a second that may be wrong before the answer is to wait. A good key is
/// never held up by them.
const MAX_WRONG_KEYS_PER_SECOND: NonZeroU32 = NonZeroU32::new(5).expect("5 is not 0");

/// The pairings of a daemon.
pub struct Pairings {
    rows: Mutex<PairingTable>,
    wrong_key_limiter: DefaultDirectRateLimiter,
}

#[derive(Default)]
struct PairingTable {
    by_name: BTreeMap<ClientId, PairingEntry>,
    last_serial: u64,
}

/// One pairing.
pub struct PairingEntry {
    /// Tells it from others of its name.
    pub serial: u64,
    /// What was offered.
    pub terms: PairingTerms,
    /// Its session; empty for a dashboard, which has all.
    pub session: String,
    /// Whether the session was made for it.
    pub own_session: bool,
    key: Option<SetupKey>,
    session_key: [u8; 32],
    /// Its token, once it has one. It is revoked when this goes.
    token: Option<IssuedToken>,
}

/// What a redeemed key is good for.
pub struct RedeemedKey {
    /// The token.
    pub token: String,
    /// The grant behind it.
    pub grant: Arc<Grant>,
    /// What the answer is proved with.
    pub session_key: [u8; 32],
    /// Tells the row.
    pub serial: u64,
    /// Its name.
    pub name: ClientId,
}

/// A row that is being made.
pub struct NewPairing {
    /// What is offered.
    pub terms: PairingTerms,
    /// Its session; empty for a dashboard, which has all.
    pub session: String,
    /// Whether the session was made for it.
    pub own_session: bool,
    /// Its key.
    pub key: SetupKey,
    /// What the answer to its redemption is proved with.
    pub session_key: [u8; 32],
}

impl Default for Pairings {
    fn default() -> Self {
        let wrong = DefaultDirectRateLimiter::direct(Quota::per_second(MAX_WRONG_KEYS_PER_SECOND));
        Self { rows: Mutex::default(), wrong_key_limiter: wrong }
    }
}

impl Pairings {
    /// Adds a pairing; answers its serial number.
    ///
    /// # Errors
    /// There is one of this name.
    pub fn add(&self, draft: NewPairing) -> Result<u64> {
        let mut rows = self.rows();
        let name = draft.terms.name.clone();
        if rows.by_name.contains_key(&name) {
            let message = format!("`{name}` was just paired by another call");
            let error = Error::new(Reason::ClientExists, message).with("client", name);
            return Err(error.with(HINT_KEY, "Run `browse pair list`, then pair again"));
        }
        rows.last_serial += 1;
        let serial = rows.last_serial;
        let NewPairing { terms: offer, session, own_session, key, session_key } = draft;
        let (key, token) = (Some(key), None);
        let row =
            PairingEntry { serial, terms: offer, session, own_session, key, session_key, token };
        rows.by_name.insert(name, row);
        Ok(serial)
    }

    /// Takes a pairing out: its token ends now, its calls in flight too.
    pub fn remove(&self, name: &ClientId) -> Option<PairingEntry> {
        let mut row = self.rows().by_name.remove(name)?;
        row.token.take();
        Some(row)
    }

    /// Takes out the pairing with this serial number, when it is over: its
    /// key was not redeemed in time, or its token has ended.
    pub fn remove_if_ended(&self, name: &ClientId, serial: u64) -> Option<PairingEntry> {
        let over = self.rows().by_name.get(name).is_some_and(|row| {
            let waits = row.can_be_redeemed();
            let lives = row.token.as_ref().is_some_and(|token| token.grant().check_alive().is_ok());
            row.serial == serial && !waits && !lives
        });
        if over { self.remove(name) } else { None }
    }

    /// Trades a setup key for a token.
    ///
    /// A key may be shown again while nobody has called with its token: the
    /// answer may have been lost. The token of before is then revoked.
    ///
    /// # Errors
    /// `SETUP_KEY_INVALID`, one answer for every cause; `RATE_LIMITED`.
    pub fn redeem(
        &self,
        authority: &Arc<Authority>,
        offered: &PresentedKey<'_>,
    ) -> Result<RedeemedKey> {
        let hash = offered.hash();
        let mut rows = self.rows();
        let mut found: Option<&mut PairingEntry> = None;
        // All are looked at, whichever it is.
        for row in rows.by_name.values_mut() {
            let same = row.key.as_ref().map_or(Choice::from(0), |key| key.matches(&hash));
            if bool::from(same) {
                found = Some(row);
            }
        }
        let held = |row: &PairingEntry| match offered {
            PresentedKey::Key(_) => true,
            PresentedKey::Sealed { id, challenge, proof, .. } => {
                proof::verify_proof(&row.session_key, challenge, id, proof)
            }
        };
        let Some(row) = found.filter(|row| row.can_be_redeemed() && held(row)) else {
            drop(rows);
            return Err(self.wrong_key_error());
        };
        // Its name is free again before the next token takes it.
        row.token.take();
        let minted = authority.issue_with_idle_timeout(row.grant_spec(), row.terms.idle_timeout)?;
        let (token, grant) = (minted.token().to_owned(), Arc::clone(minted.grant()));
        row.token = Some(minted);
        let (session_key, serial) = (row.session_key, row.serial);
        Ok(RedeemedKey { token, grant, session_key, serial, name: row.terms.name.clone() })
    }

    fn wrong_key_error(&self) -> Error {
        match self.wrong_key_limiter.check() {
            Ok(()) => Error::new(Reason::SetupKeyInvalid, "the setup key is not good"),
            Err(until) => {
                let wait = until.wait_time_from(DefaultClock::default().now());
                let wait = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1);
                Error::new(Reason::RateLimited, "too many wrong keys").with("retry_ms", wait)
            }
        }
    }

    /// Whether nobody is paired.
    pub fn is_empty(&self) -> bool {
        self.rows().by_name.is_empty()
    }

    /// How many are paired, or may be.
    pub fn count(&self) -> usize {
        self.rows().by_name.len()
    }

    /// Calls `see` for each, by name.
    pub fn for_each(&self, mut see: impl FnMut(&PairingEntry)) {
        self.rows().by_name.values().for_each(&mut see);
    }

    fn rows(&self) -> MutexGuard<'_, PairingTable> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PairingEntry {
    /// The grant of its token, while that is good.
    pub fn grant(&self) -> Option<&Arc<Grant>> {
        let grant = self.token.as_ref().map(IssuedToken::grant);
        grant.filter(|grant| grant.check_alive().is_ok())
    }

    /// When it ends if nothing happens.
    pub fn end(&self) -> Option<SystemTime> {
        match self.grant() {
            Some(grant) => grant.expires_at(),
            None => self.key.as_ref().map(SetupKey::expires),
        }
    }

    fn can_be_redeemed(&self) -> bool {
        let fresh = self.key.as_ref().is_some_and(|key| !key.is_expired());
        let used = self.token.as_ref().is_some_and(|token| token.grant().usage().call_count > 0);
        fresh && !used
    }

    fn grant_spec(&self) -> GrantSpec {
        let (kind, session, delivery) = match self.terms.kind {
            // What an agent reads is marked as what it is, always.
            PairingKind::Agent => {
                (ClientKind::Paired, SessionRule::Only(self.session.clone()), Delivery::Guarded)
            }
            PairingKind::Dashboard => (ClientKind::Dashboard, SessionRule::Any, Delivery::Raw),
        };
        GrantSpec {
            client: self.terms.client.clone(),
            audience: Audience::Tunnel,
            kind,
            scopes: self.terms.scopes,
            hosts: self.terms.hosts.clone(),
            tabs: self.terms.tabs,
            session,
            rate: self.terms.rate_limit(),
            delivery,
            // The second that claims are rounded up by counts too.
            lifetime: self.terms.lifetime.saturating_sub(Duration::from_secs(1)),
        }
    }
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
