//! Tokens that pods have given out, so that not every call asks for one. A pod has one tenant, and as
//! many entries: no tenant takes the room of another.

use std::{collections::HashMap, time::Instant};

use browse_fleet::{PodUid, TokenRequest};

/// Tokens that are kept of one pod. Requests may name hosts of skills, which makes them large.
const MAX_POD_TOKENS: usize = 200;

/// The tokens, by pod.
#[derive(Default)]
pub struct PodTokenCache(HashMap<PodUid, CachedTokens>);

/// Those of one pod, each with its end.
type CachedTokens = HashMap<TokenRequest, (String, Instant)>;

impl PodTokenCache {
    /// The token for `request`, unless it has ended at `now`.
    pub fn get(&self, request: &TokenRequest, now: Instant) -> Option<&str> {
        let (token, until) = self.0.get(&request.pod)?.get(request)?;
        (*until > now).then_some(token.as_str())
    }

    /// Keeps a token until then. Where the pod has too many, the one goes that ends first.
    pub fn insert(&mut self, request: TokenRequest, token: String, until: Instant, now: Instant) {
        if !self.0.contains_key(&request.pod) {
            // Of a pod that has gone, a token may have come after it was forgotten.
            self.0.retain(|_, tokens| tokens.values().any(|(_, until)| *until > now));
        }
        let tokens = self.0.entry(request.pod.clone()).or_default();
        if tokens.len() >= MAX_POD_TOKENS
            && !tokens.contains_key(&request)
            && let Some(first) = tokens.iter().min_by_key(|(_, (_, until))| *until)
        {
            let first = first.0.clone();
            tokens.remove(&first);
        }
        tokens.insert(request, (token, until));
    }

    /// Removes the tokens of a pod.
    pub fn remove_pod(&mut self, pod: &PodUid) {
        self.0.remove(pod);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use browse_fleet::{CallerRole, SessionScope, Tenant};

    use super::*;

    fn request(pod: &str, subject: &str) -> TokenRequest {
        TokenRequest {
            tenant: Tenant::new("acme").expect("a name"),
            pod: PodUid::new(pod).expect("a uid"),
            subject: subject.to_owned(),
            scopes: vec!["read".to_owned()],
            session: SessionScope::Any,
            skill_hosts: None,
            role: CallerRole::Program,
        }
    }

    #[test]
    fn a_pod_with_many_callers_takes_no_room_of_others() {
        let mut cache = PodTokenCache::default();
        let begun = Instant::now();
        let until = |number: usize| begun + Duration::from_secs(3600 + number as u64);
        cache.insert(request("p1", "ann"), "kept".to_owned(), until(0), begun);
        for number in 0..MAX_POD_TOKENS + 3 {
            let flood = request("p2", &format!("caller-{number}"));
            cache.insert(flood.clone(), format!("token-{number}"), until(number), begun);
            // The same once more takes no place.
            cache.insert(flood, format!("token-{number}"), until(number), begun);
        }
        assert_eq!(cache.get(&request("p1", "ann"), begun), Some("kept"));
        assert_eq!(cache.0[&PodUid::new("p2").expect("a uid")].len(), MAX_POD_TOKENS);
        let known =
            |number: usize| cache.get(&request("p2", &format!("caller-{number}")), begun).is_some();
        assert!(!known(2) && known(3) && known(MAX_POD_TOKENS + 2));
    }

    #[test]
    fn tokens_end_with_their_time_and_with_their_pod() {
        let mut cache = PodTokenCache::default();
        let begun = Instant::now();
        let until = begun + Duration::from_secs(10);
        cache.insert(request("p1", "ann"), "first".to_owned(), until, begun);
        cache.insert(request("p2", "ann"), "second".to_owned(), until, begun);
        cache.remove_pod(&PodUid::new("p2").expect("a uid"));
        assert_eq!(cache.get(&request("p1", "ann"), begun), Some("first"));
        assert_eq!(cache.get(&request("p2", "ann"), begun), None);
        assert_eq!(cache.get(&request("p1", "ann"), until), None);
        let later = until + Duration::from_secs(10);
        cache.insert(request("p3", "ann"), "third".to_owned(), later, until);
        assert_eq!(cache.0.len(), 1, "nothing is left of a pod that has gone");
    }
}
