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
    key::{Offered, SetupKey},
    offer::Offer,
    proof,
};
use crate::{
    content::Delivery,
    error::{Error, HINT, Result},
    policy::{Audience, Authority, ClientId, Grant, GrantSpec, Kind, Minted, SessionRule},
};

/// Keys a second that may be wrong before the answer is to wait. A good key is
/// never held up by them.
const WRONG: NonZeroU32 = NonZeroU32::new(5).expect("5 is not 0");

/// The pairings of a daemon.
pub struct Pairings {
    rows: Mutex<Rows>,
    wrong: DefaultDirectRateLimiter,
}

#[derive(Default)]
struct Rows {
    by_name: BTreeMap<ClientId, Row>,
    made: u64,
}

/// One pairing.
pub struct Row {
    /// Tells it from others of its name.
    pub serial: u64,
    /// What was offered.
    pub offer: Offer,
    /// Its session.
    pub session: String,
    /// Whether the session was made for it.
    pub own_session: bool,
    key: Option<SetupKey>,
    session_key: [u8; 32],
    /// Its token, once it has one. It is revoked when this goes.
    token: Option<Minted>,
}

/// What a redeemed key is good for.
pub struct Redeemed {
    /// The token.
    pub token: String,
    /// The grant behind it.
    pub grant: Arc<Grant>,
    /// What the answer is proved with.
    pub session_key: [u8; 32],
    /// Tells the row.
    pub serial: u64,
}

/// A row that is being made.
pub struct Draft {
    /// What is offered.
    pub offer: Offer,
    /// Its session.
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
        let wrong = DefaultDirectRateLimiter::direct(Quota::per_second(WRONG));
        Self { rows: Mutex::default(), wrong }
    }
}

impl Pairings {
    /// Adds a pairing; answers its serial number.
    ///
    /// # Errors
    /// There is one of this name.
    pub fn add(&self, draft: Draft) -> Result<u64> {
        let mut rows = self.rows();
        let client = draft.offer.client.clone();
        if rows.by_name.contains_key(&client) {
            let message = format!("`{client}` was just paired by another call");
            let error = Error::new(Reason::ClientExists, message).with("client", client);
            return Err(error.with(HINT, "Run `browse pair list`, then pair again"));
        }
        rows.made += 1;
        let serial = rows.made;
        let Draft { offer, session, own_session, key, session_key } = draft;
        let (key, token) = (Some(key), None);
        let row = Row { serial, offer, session, own_session, key, session_key, token };
        rows.by_name.insert(client, row);
        Ok(serial)
    }

    /// Takes a pairing out: its token ends now, its calls in flight too.
    pub fn take(&self, client: &ClientId) -> Option<Row> {
        let mut row = self.rows().by_name.remove(client)?;
        row.token.take();
        Some(row)
    }

    /// Takes out the pairing with this serial number, when it is over: its
    /// key was not redeemed in time, or its token has ended.
    pub fn take_over(&self, client: &ClientId, serial: u64) -> Option<Row> {
        let over = self.rows().by_name.get(client).is_some_and(|row| {
            let waits = row.can_be_redeemed();
            let lives = row.token.as_ref().is_some_and(|token| token.grant().alive().is_ok());
            row.serial == serial && !waits && !lives
        });
        if over { self.take(client) } else { None }
    }

    /// Trades a setup key for a token.
    ///
    /// A key may be shown again while nobody has called with its token: the
    /// answer may have been lost. The token of before is then revoked.
    ///
    /// # Errors
    /// `SETUP_KEY_INVALID`, one answer for every cause; `RATE_LIMITED`.
    pub fn redeem(&self, authority: &Arc<Authority>, offered: &Offered<'_>) -> Result<Redeemed> {
        let hash = offered.hash();
        let mut rows = self.rows();
        let mut found: Option<&mut Row> = None;
        // All are looked at, whichever it is.
        for row in rows.by_name.values_mut() {
            let same = row.key.as_ref().map_or(Choice::from(0), |key| key.matches(&hash));
            if bool::from(same) {
                found = Some(row);
            }
        }
        let held = |row: &Row| match offered {
            Offered::Key(_) => true,
            Offered::Sealed { id, challenge, proof, .. } => {
                proof::holds(&row.session_key, challenge, id, proof)
            }
        };
        let Some(row) = found.filter(|row| row.can_be_redeemed() && held(row)) else {
            drop(rows);
            return Err(self.wrong_key());
        };
        // Its name is free again before the next token takes it.
        row.token.take();
        let minted = authority.mint_sliding(row.spec(), row.offer.slide)?;
        let (token, grant) = (minted.token().to_owned(), Arc::clone(minted.grant()));
        row.token = Some(minted);
        Ok(Redeemed { token, grant, session_key: row.session_key, serial: row.serial })
    }

    fn wrong_key(&self) -> Error {
        match self.wrong.check() {
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
    pub fn each(&self, mut see: impl FnMut(&Row)) {
        self.rows().by_name.values().for_each(&mut see);
    }

    fn rows(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Row {
    /// The grant of its token, while that is good.
    pub fn grant(&self) -> Option<&Arc<Grant>> {
        let grant = self.token.as_ref().map(Minted::grant);
        grant.filter(|grant| grant.alive().is_ok())
    }

    /// When it ends if nothing happens.
    pub fn end(&self) -> Option<SystemTime> {
        match self.grant() {
            Some(grant) => grant.end(),
            None => self.key.as_ref().map(SetupKey::expires),
        }
    }

    fn can_be_redeemed(&self) -> bool {
        let fresh = self.key.as_ref().is_some_and(|key| !key.is_over());
        let used = self.token.as_ref().is_some_and(|token| token.grant().calls().count > 0);
        fresh && !used
    }

    fn spec(&self) -> GrantSpec {
        GrantSpec {
            client: self.offer.client.clone(),
            audience: Audience::Tunnel,
            kind: Kind::Paired,
            scopes: self.offer.scopes,
            hosts: self.offer.hosts.clone(),
            tabs: self.offer.tabs,
            session: SessionRule::Only(self.session.clone()),
            rate: self.offer.limit(),
            // What an agent reads is marked as what it is, always.
            delivery: Delivery::Guarded,
            // The second that claims are rounded up by counts too.
            lifetime: self.offer.lifetime.saturating_sub(Duration::from_secs(1)),
        }
    }
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
