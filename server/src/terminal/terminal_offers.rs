//! Offers of a terminal: a code that is good once, for a short time, for the client that asked.

use std::{
    collections::HashMap,
    time::{Duration, SystemTime},
};

use browse_base::{Error, Lock, Result, hex, random};
use browse_policy::ClientId;
use browse_proto::Reason;
use tokio::time::Instant;

/// How long an offer is good.
const LIFETIME: Duration = Duration::from_secs(60);

/// Offers that wait at a time; the oldest go.
const MAX_OFFERS: usize = 16;

/// The offers that wait.
#[derive(Debug, Default)]
pub struct TerminalOffers(Lock<HashMap<String, PendingOffer>>);

#[derive(Debug)]
struct PendingOffer {
    client: ClientId,
    expires: Instant,
}

impl TerminalOffers {
    /// Makes an offer to `client`; answers its code and when it ends.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn issue(&self, client: &ClientId) -> Result<(String, SystemTime)> {
        let code = hex(&random::<16>()?);
        let mut offers = self.0.lock();
        remove_late(&mut offers);
        if offers.len() >= MAX_OFFERS
            && let Some(oldest) =
                offers.iter().min_by_key(|(_, offer)| offer.expires).map(|(code, _)| code.clone())
        {
            offers.remove(&oldest);
        }
        let expires = Instant::now() + LIFETIME;
        offers.insert(code.clone(), PendingOffer { client: client.clone(), expires });
        Ok((code, SystemTime::now() + LIFETIME))
    }

    /// Spends an offer of `client`. Another client does not spend it.
    ///
    /// # Errors
    /// `TERMINAL_ENDED`: it was used, is too old, is for another client, or was never made.
    pub fn redeem(&self, client: &ClientId, code: &str) -> Result<()> {
        let mut offers = self.0.lock();
        remove_late(&mut offers);
        if offers.get(code).is_some_and(|offer| offer.client == *client) {
            offers.remove(code);
            return Ok(());
        }
        let message = "the offer was used already, its 60 s are over, or another dashboard has it";
        Err(Error::new(Reason::TerminalEnded, message))
    }
}

fn remove_late(offers: &mut HashMap<String, PendingOffer>) {
    offers.retain(|_, offer| offer.expires > Instant::now());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(name: &str) -> ClientId {
        ClientId::new(name).expect("a name")
    }

    #[test]
    fn an_offer_is_good_once_for_its_client_and_not_for_long() {
        let offers = TerminalOffers::default();
        let (own, other) = (client("dashboard:1"), client("dashboard:2"));
        let (code, _) = offers.issue(&own).expect("a code");
        assert_eq!(code.len(), 32);
        for (client, code) in [(&other, code.as_str()), (&own, ""), (&own, "0")] {
            let refused = offers.redeem(client, code).expect_err("it is not theirs");
            assert_eq!(refused.reason(), Reason::TerminalEnded);
        }
        offers.redeem(&own, &code).expect("it is new");
        assert!(offers.redeem(&own, &code).is_err(), "it was used");
        let (late, _) = offers.issue(&own).expect("a code");
        if let Some(offer) = offers.0.lock().get_mut(&late) {
            offer.expires = Instant::now();
        }
        assert!(offers.redeem(&own, &late).is_err(), "it is late");
    }

    #[test]
    fn few_offers_wait() {
        let offers = TerminalOffers::default();
        let own = client("dashboard:1");
        let first = offers.issue(&own).expect("a code").0;
        for _ in 0..MAX_OFFERS {
            offers.issue(&own).expect("a code");
        }
        assert!(offers.redeem(&own, &first).is_err(), "the oldest went");
    }
}
