//! A session is opened: the pod takes it in the store, and restores what lies there.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use browse_base::{Error, HINT_KEY, Result};
use browse_policy::ClientId;
use browse_proto::Reason;
use browse_sessions::{KeptSession, SessionName, SessionRules};
use tokio::time::Instant;

use super::{
    FleetSessions,
    object::unpack_object,
    table::{FleetSaveProgress, HeldSession, Hold, is_before, moved},
};
use crate::session_state::{StateCounts, pack_state, unpack_state};

/// What a session has from before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoredSession {
    /// How much.
    pub counts: StateCounts,
    /// When it was saved, in seconds since 1970.
    pub saved_at: u64,
}

impl RestoredSession {
    /// What a caller has to know.
    pub fn notice(&self, name: &str) -> String {
        let at = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(self.saved_at));
        let at = at.unwrap_or(SystemTime::UNIX_EPOCH);
        format!(
            "the session `{name}` was restored on another pod as of {}: {}; histories, caches, \
             recordings and typed text are not restored, and refs of before are stale",
            humantime::format_rfc3339_seconds(at),
            self.counts
        )
    }
}

impl FleetSessions {
    /// Opens the session `name` for `owner` unless the pod holds it; answers what it has from
    /// before, if anything was stored. One that is restored is held to `rules`.
    ///
    /// # Errors
    /// `SESSION_MOVED`: another pod has it. `STATE_UNAVAILABLE`: the store does not answer, or has
    /// not for as long as the pod may act on the session. `STATE_CORRUPT`, `STATE_FOREIGN`,
    /// `STATE_NEWER`: what is stored does not open.
    pub async fn open(
        self: &Arc<Self>,
        name: &str,
        owner: &ClientId,
        rules: &SessionRules,
    ) -> Result<Option<RestoredSession>> {
        let held = self.entry(name)?;
        if let Some(answer) = check_hold(&held) {
            return answer.map(|()| None);
        }
        let (this, name) = (Arc::clone(self), name.to_owned());
        let (owner, rules) = (owner.clone(), rules.clone());
        // To its end, also when the caller goes away meanwhile.
        let opening = tokio::spawn(async move { this.open_entry(&name, &owner, &rules).await });
        let broken = |error| Error::new(Reason::Bug, format!("a session did not open: {error}"));
        opening.await.map_err(broken)?
    }

    async fn open_entry(
        &self,
        name: &str,
        owner: &ClientId,
        rules: &SessionRules,
    ) -> Result<Option<RestoredSession>> {
        loop {
            let held = self.entry(name)?;
            let mut progress = held.progress.lock().await;
            // The session may have been closed, or opened by another caller, meanwhile.
            if !self.known(name).is_some_and(|known| Arc::ptr_eq(&known, &held)) {
                continue;
            }
            return match check_hold(&held) {
                Some(answer) => answer.map(|()| None),
                None if self.is_serving() => self.take(&held, &mut progress, (owner, rules)).await,
                None => Err(moved(name)),
            };
        }
    }

    async fn take(
        &self,
        held: &HeldSession,
        progress: &mut FleetSaveProgress,
        terms: (&ClientId, &SessionRules),
    ) -> Result<Option<RestoredSession>> {
        let begun = Instant::now();
        *progress = FleetSaveProgress::default();
        held.set_restored(None);
        let stored = self.parts.objects.read(&held.name).await?;
        let Some(stored) = stored else {
            let empty = pack_state(&KeptSession::default())?;
            self.take_object(held, progress, browse_base::now_ms() / 1000, &empty).await?;
            self.renew(held, begun);
            return Ok(None);
        };
        let opened = unpack_object(&stored.bytes, &held.name, &held.key);
        let (header, packed) = opened.map_err(|error| cannot_open(held, &error))?;
        let contents: KeptSession =
            unpack_state(&packed, &held.name.session).map_err(|error| cannot_open(held, &error))?;
        progress.epoch = header.epoch;
        progress.version = Some(stored.version);
        self.take_object(held, progress, header.saved_at, &packed).await?;
        let restored =
            RestoredSession { counts: StateCounts::from(&contents), saved_at: header.saved_at };
        self.restore(held, contents, terms).await?;
        held.set_restored(Some(restored.clone()));
        self.renew(held, begun);
        tracing::info!(session = %held.name.session, counts = %restored.counts, "restored");
        Ok(Some(restored))
    }

    /// Writes what is stored as the pod's own. Of two pods, one does.
    async fn take_object(
        &self,
        held: &HeldSession,
        progress: &mut FleetSaveProgress,
        saved_at: u64,
        packed: &[u8],
    ) -> Result<()> {
        if self.write(held, progress, saved_at, packed).await? {
            return Ok(());
        }
        Err(moved(held.name.session.as_str()))
    }

    async fn restore(
        &self,
        held: &HeldSession,
        contents: KeptSession,
        (owner, rules): (&ClientId, &SessionRules),
    ) -> Result<()> {
        let name: SessionName = held.name.session.as_str().parse()?;
        // A call that came late may have opened it without what is stored.
        if self.parts.sessions.get(name.as_str()).is_some_and(|open| !open.is_unused()) {
            self.parts.sessions.close(name.as_str()).await?;
        }
        let session = self.parts.sessions.get_or_open_restricted(&name, owner, rules);
        let restored = session.restore_kept(contents).await;
        match &restored {
            Ok(()) => session.begin_keeping(),
            // Half of it must not be saved over the whole.
            Err(_) => {
                if let Err(error) = self.parts.sessions.close(name.as_str()).await {
                    tracing::debug!(%error, session = %name, "a session did not open");
                }
            }
        }
        restored
    }
}

/// Whether a session may be used; none when it is to be opened first.
fn check_hold(held: &HeldSession) -> Option<Result<()>> {
    let name = held.name.session.as_str();
    match held.hold() {
        Hold::Until(until) if is_before(Some(until)) => Some(Ok(())),
        Hold::Until(_) => {
            let message = format!(
                "it is not known whether the session `{name}` is still this pod's: the object \
                 store does not answer"
            );
            Some(Err(Error::new(Reason::StateUnavailable, message).with("session", name)))
        }
        Hold::Moved(until) if is_before(until) => Some(Err(moved(name))),
        Hold::Moved(_) | Hold::None => None,
    }
}

/// Why a stored session does not open, with the way out.
fn cannot_open(held: &HeldSession, error: &Error) -> Error {
    let name = &held.name.session;
    let message = format!("the session `{name}` cannot be restored: {error}");
    let hint = format!("Run `browse session close {name}` to give up what is stored");
    Error::new(error.reason(), message).with("session", name).with(HINT_KEY, hint)
}
