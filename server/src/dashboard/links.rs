//! Links to the dashboard: a code that is good once, for a short time.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use browse_base::{Error, HINT_KEY, Result, hex, random};
use browse_policy::Scopes;
use browse_proto::Reason;
use tokio::time::Instant;

/// How long a link is good.
pub const LINK_LIFETIME: Duration = Duration::from_secs(60);

/// Links that wait at a time; the oldest go.
const MAX_LINKS: usize = 16;

/// What a dashboard may do, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct DashboardTerms {
    /// Its scopes.
    pub scopes: Scopes,
    /// Time after which it has to be opened again.
    pub lifetime: Duration,
}

/// The links that wait to be opened.
#[derive(Debug, Default)]
pub struct OneTimeLinks(Mutex<HashMap<String, PendingLink>>);

#[derive(Debug)]
struct PendingLink {
    terms: DashboardTerms,
    expires: Instant,
}

impl OneTimeLinks {
    /// Makes a code; answers it and when it ends.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn issue(&self, terms: DashboardTerms) -> Result<(String, SystemTime)> {
        let code = hex(&random::<16>()?);
        let mut links = self.lock();
        if links.len() >= MAX_LINKS
            && let Some(oldest) =
                links.iter().min_by_key(|(_, link)| link.expires).map(|(code, _)| code.clone())
        {
            links.remove(&oldest);
        }
        links.insert(code.clone(), PendingLink { terms, expires: Instant::now() + LINK_LIFETIME });
        Ok((code, SystemTime::now() + LINK_LIFETIME))
    }

    /// Trades a code for what it allows. It is gone afterwards.
    ///
    /// # Errors
    /// `TOKEN_INVALID`: it was used, is too old, or never was one.
    pub fn redeem(&self, code: &str) -> Result<DashboardTerms> {
        let link = self.lock().remove(code);
        link.map(|link| link.terms).ok_or_else(|| {
            let message = "the link was used already, or its 60 s are over";
            Error::new(Reason::TokenInvalid, message)
                .with(HINT_KEY, "Run `browse dashboard` for a new link")
        })
    }

    /// Whether no link waits.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// Ends all links.
    pub fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, PendingLink>> {
        let mut links = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        links.retain(|_, link| link.expires > Instant::now());
        links
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms() -> DashboardTerms {
        DashboardTerms { scopes: Scopes::default(), lifetime: Duration::from_secs(1) }
    }

    #[test]
    fn a_link_is_good_once_and_not_for_long() {
        let links = OneTimeLinks::default();
        let (code, _) = links.issue(terms()).expect("a code");
        assert_eq!(code.len(), 32);
        assert!(links.redeem("0").is_err());
        links.redeem(&code).expect("it is new");
        assert!(links.redeem(&code).is_err(), "it was used");
        let (late, _) = links.issue(terms()).expect("a code");
        if let Some(link) = links.lock().get_mut(&late) {
            link.expires = Instant::now();
        }
        assert!(links.redeem(&late).is_err() && links.is_empty());
    }

    #[test]
    fn few_links_wait() {
        let links = OneTimeLinks::default();
        let first = links.issue(terms()).expect("a code").0;
        for _ in 0..MAX_LINKS {
            links.issue(terms()).expect("a code");
        }
        assert!(links.redeem(&first).is_err(), "the oldest went");
    }
}
