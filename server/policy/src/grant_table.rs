//! The table of live grants: a token is good only while its row is.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use browse_proto::Reason;

use super::{ClientId, Grant, grant};
use browse_base::{Error, Result};

/// How long an ended grant is distinguished from an unknown one. By then the token's own
/// `exp` says so.
const ENDED_GRANT_RETENTION: Duration = Duration::from_secs(5);

/// Grants by `jti`. A token with a good signature and without a row was revoked.
#[derive(Default)]
pub struct GrantTable(Mutex<HashMap<String, Arc<Grant>>>);

impl GrantTable {
    /// Adds a grant.
    ///
    /// # Errors
    /// A live grant of this client exists.
    pub fn insert(&self, jti: String, grant: Arc<Grant>) -> Result<()> {
        let mut rows = self.rows();
        let now = SystemTime::now();
        rows.retain(|_, row| {
            row.latest_expiry().is_none_or(|end| end + ENDED_GRANT_RETENTION > now)
        });
        let client = &grant.capability().client;
        if live(&rows, client).next().is_some() {
            let message = format!("a token for `{client}` is in force");
            return Err(Error::new(Reason::ClientExists, message).with("client", client));
        }
        rows.insert(jti, grant);
        Ok(())
    }

    /// The live grant with this key.
    ///
    /// # Errors
    /// It was revoked, has expired, or never was.
    pub fn get(&self, jti: &str) -> Result<Arc<Grant>> {
        let row = self.rows().get(jti).cloned();
        let row = row.ok_or_else(grant::revoked_error)?;
        row.check_alive()?;
        Ok(row)
    }

    /// Ends the grant of `client`; tells whether there was one.
    pub fn revoke(&self, client: &ClientId) -> bool {
        let rows = self.rows();
        live(&rows, client).map(|row| row.revoke()).count() > 0
    }

    /// Ends the grant with this key.
    pub fn revoke_key(&self, jti: &str) {
        if let Some(row) = self.rows().remove(jti) {
            row.revoke();
        }
    }

    /// The clients that hold a live grant.
    pub fn clients(&self) -> Vec<ClientId> {
        let rows = self.rows();
        let live = rows.values().filter(|row| row.check_alive().is_ok());
        let mut clients: Vec<_> = live.map(|row| row.capability().client.clone()).collect();
        clients.sort();
        clients
    }

    fn rows(&self) -> MutexGuard<'_, HashMap<String, Arc<Grant>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn live<'a>(
    rows: &'a HashMap<String, Arc<Grant>>,
    client: &'a ClientId,
) -> impl Iterator<Item = &'a Arc<Grant>> {
    rows.values().filter(move |row| row.capability().client == *client && row.check_alive().is_ok())
}
