//! Compares claims with what the pods have, on the replica that leads: gives back places of
//! sessions that have ended, and deletes pods that nobody needs or that have failed.

use std::{collections::HashMap, sync::Arc, time::Duration};

use browse_fleet::{PodStatus, SessionKey, SessionStatus};
use futures::{StreamExt as _, stream};

use super::{Placement, PlacementSettings};
use crate::cluster::{Claim, PodRecord, now};

/// Time between two looks.
const INTERVAL: Duration = Duration::from_secs(5);

/// Pods that are asked at a time.
const MAX_CONCURRENT: usize = 32;

/// Time in which a session has to be opened by the call that asked for its place.
const OPENING_SECONDS: u64 = 60;

/// Looks in which a pod does not answer before it is deleted.
const MAX_FAILURES: u32 = 6;

/// What is to be done about a pod.
#[derive(Debug, PartialEq, Eq)]
enum ClaimAction {
    /// It is as its claim says.
    Keep,
    /// These sessions are not there any more.
    Release(Vec<String>),
    /// Nobody uses these sessions.
    Close(Vec<String>),
    /// It is of no use; why, in words.
    Delete(&'static str),
}

/// Looks at the pods while this replica leads.
pub(super) async fn run(placement: Arc<Placement>) {
    let mut failures: HashMap<String, u32> = HashMap::new();
    loop {
        tokio::time::sleep(INTERVAL).await;
        if !placement.leads() || !placement.cluster.is_available() {
            failures.clear();
            continue;
        }
        let pods = Arc::clone(&placement.cluster.pods().borrow());
        failures.retain(|name, _| pods.contains_key(name));
        let claimed: Vec<Arc<PodRecord>> = pods
            .values()
            .filter(|pod| pod.claim.is_some() && pod.is_reachable() && !pod.is_ending)
            .cloned()
            .collect();
        let asked = claimed.into_iter().map(|pod| {
            let pods = Arc::clone(&placement.pods);
            async move {
                let status = pods.status(&pod).await;
                (pod, status)
            }
        });
        let answers: Vec<_> = stream::iter(asked).buffer_unordered(MAX_CONCURRENT).collect().await;
        let silent = answers.iter().filter(|(_, status)| status.is_err()).count();
        // Many at once do not answer when it is this replica that does not reach them.
        let is_own_fault = silent > 1 && silent * 3 > answers.len();
        if is_own_fault {
            tracing::warn!(silent, pods = answers.len(), "many pods do not answer");
        }
        for (pod, status) in answers {
            let failed = failures.entry(pod.name.clone()).or_default();
            *failed = if status.is_ok() { 0 } else { *failed + 1 };
            let Some(claim) = &pod.claim else { continue };
            let verdict = match status {
                Ok(status) => judge(claim, &status, &placement.settings, now()),
                // The kubelet finds so, too.
                Err(_) if *failed >= MAX_FAILURES && !pod.is_ready && !is_own_fault => {
                    ClaimAction::Delete("it does not answer")
                }
                Err(_) => ClaimAction::Keep,
            };
            apply(&placement, &pod, claim, verdict).await;
        }
    }
}

async fn apply(placement: &Placement, pod: &PodRecord, claim: &Claim, verdict: ClaimAction) {
    let release = async |session: String| {
        let Some(since) = claim.sessions.get(&session).map(|place| place.since) else { return };
        let key = SessionKey { tenant: claim.tenant.clone(), session };
        placement.release_in(&pod.name, &key, since).await;
    };
    match verdict {
        ClaimAction::Keep => {}
        ClaimAction::Release(sessions) => {
            for session in sessions {
                release(session).await;
            }
        }
        ClaimAction::Close(sessions) => {
            for session in sessions {
                tracing::info!(tenant = %claim.tenant, session, "a session that nobody uses ends");
                match placement.pods.close(pod, &session).await {
                    Ok(_) => release(session).await,
                    Err(error) => tracing::warn!(%error, pod = %pod.name, "it was not closed"),
                }
            }
        }
        ClaimAction::Delete(why) => {
            tracing::info!(pod = %pod.name, why, "a pod is deleted");
            if let Err(error) = placement.cluster.delete(pod).await {
                tracing::warn!(%error, pod = %pod.name, "a pod was not deleted");
            }
        }
    }
}

/// What is to be done about a pod with `claim` that answers `status`.
fn judge(claim: &Claim, status: &PodStatus, settings: &PlacementSettings, now: u64) -> ClaimAction {
    match &status.tenant {
        Some(tenant) if *tenant != claim.tenant => {
            return ClaimAction::Delete("it belongs to another tenant");
        }
        // It was given to the tenant long ago, and has not got to know that.
        None if claim.sessions.values().any(|session| is_open(session.since, now)) => {
            return ClaimAction::Delete("it has lost its sessions");
        }
        _ if status.is_spent => return ClaimAction::Delete("its daemon was started anew"),
        _ => {}
    }
    let gone: Vec<String> = claim
        .sessions
        .iter()
        .filter(|(name, session)| {
            is_open(session.since, now) && !status.sessions.iter().any(|open| open.name == **name)
        })
        .map(|(name, _)| name.clone())
        .collect();
    if !gone.is_empty() {
        return ClaimAction::Release(gone);
    }
    // One without a place was opened by a call that came late.
    let is_idle = |open: &&SessionStatus| {
        let limit = match claim.sessions.contains_key(&open.name) {
            true => settings.idle_session_time.as_secs(),
            false => OPENING_SECONDS,
        };
        open.idle_s >= limit
    };
    let idle: Vec<String> =
        status.sessions.iter().filter(is_idle).map(|open| open.name.clone()).collect();
    if !idle.is_empty() {
        return ClaimAction::Close(idle);
    }
    let empty_time = settings.empty_pod_time.as_secs();
    let is_over = claim.empty_since.is_some_and(|since| now >= since.saturating_add(empty_time));
    // Who watches sessions has none.
    match is_over {
        true => ClaimAction::Delete("its tenant has no session any more"),
        false => ClaimAction::Keep,
    }
}

/// Whether a session that got its place at `since` is there by now.
fn is_open(since: u64, now: u64) -> bool {
    now >= since.saturating_add(OPENING_SECONDS)
}

#[cfg(test)]
mod tests {
    use browse_fleet::{PodUid, Tenant};

    use super::*;
    use crate::cluster::ClaimedSession;

    const NOW: u64 = 1_000_000;
    const SETTINGS: PlacementSettings = PlacementSettings {
        sessions_per_pod: 10,
        empty_pod_time: Duration::from_secs(30),
        idle_session_time: Duration::from_secs(900),
    };

    fn tenant(name: &str) -> Tenant {
        Tenant::new(name).expect("a name")
    }

    fn session(name: &str, idle_s: u64) -> SessionStatus {
        SessionStatus { name: name.to_owned(), idle_s }
    }

    fn status(owner: Option<&str>, sessions: &[&str]) -> PodStatus {
        PodStatus {
            pod: PodUid::new("p").expect("a uid"),
            tenant: owner.map(tenant),
            sessions: sessions.iter().map(|name| session(name, 0)).collect(),
            capacity: 10,
            calls: 0,
            is_ready: true,
            is_draining: false,
            is_spent: false,
        }
    }

    fn claim(sessions: &[(&str, u64)], empty_since: Option<u64>) -> Claim {
        let session =
            |(name, since): &(&str, u64)| ((*name).to_owned(), ClaimedSession { since: *since });
        let sessions = sessions.iter().map(session).collect();
        Claim { tenant: tenant("a"), sessions, empty_since }
    }

    #[test]
    fn places_of_sessions_that_ended_are_given_back() {
        let of = claim(&[("old", NOW - 100), ("gone", NOW - 100), ("new", NOW - 1)], None);
        let found = judge(&of, &status(Some("a"), &["old"]), &SETTINGS, NOW);
        assert_eq!(
            found,
            ClaimAction::Release(vec!["gone".to_owned()]),
            "the new one is being opened"
        );
        assert_eq!(
            judge(&claim(&[("new", NOW)], None), &status(None, &[]), &SETTINGS, NOW),
            ClaimAction::Keep
        );
    }

    #[test]
    fn sessions_that_nobody_uses_end_also_while_somebody_watches() {
        let of = claim(&[("used", NOW - 5000), ("busy", NOW - 5000), ("idle", NOW - 5000)], None);
        let sessions = vec![
            session("used", 899),
            session("busy", 0),
            session("idle", 900),
            session("new", 59),
            session("late", 60),
        ];
        let watched = PodStatus { sessions, calls: 2, ..status(Some("a"), &[]) };
        let expected = vec!["idle".to_owned(), "late".to_owned()];
        assert_eq!(judge(&of, &watched, &SETTINGS, NOW), ClaimAction::Close(expected));
    }

    #[test]
    fn pods_without_use_are_deleted() {
        let deleted = |of: &Claim, status: &PodStatus| {
            matches!(judge(of, status, &SETTINGS, NOW), ClaimAction::Delete(_))
        };
        assert!(deleted(&claim(&[("s", NOW)], None), &status(Some("b"), &["s"])), "not theirs");
        assert!(deleted(&claim(&[("s", NOW - 100)], None), &status(None, &[])), "it lost them");
        let spent = PodStatus { is_spent: true, ..status(None, &[]) };
        assert!(deleted(&claim(&[("s", NOW)], None), &spent), "started anew");
        assert!(deleted(&claim(&[], Some(NOW - 30)), &status(Some("a"), &[])));
        assert!(!deleted(&claim(&[], Some(NOW - 29)), &status(Some("a"), &[])), "it may come back");
        let watched = PodStatus { calls: 1, ..status(Some("a"), &[]) };
        assert!(deleted(&claim(&[], Some(NOW - 30)), &watched), "watching is not use");
        assert!(!deleted(&claim(&[("s", NOW - 100)], None), &status(Some("a"), &["s"])));
    }
}
