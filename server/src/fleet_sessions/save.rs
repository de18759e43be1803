//! Sessions are saved on a timer and when the pod ends. One that has not changed is only checked:
//! its object must be the one that the pod wrote last.

use std::{sync::Arc, time::Duration};

use browse_base::Result;
use browse_sessions::Session;
use futures::future::join_all;
use object_store::PutMode;
use sha2::{Digest as _, Sha256};
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use tokio_util::sync::CancellationToken;
use zeroize::Zeroizing;

use super::{
    FleetSessions,
    object::{ObjectHeader, pack_object, read_header},
    table::{FleetSaveProgress, HeldSession, Hold},
};
use crate::session_state::pack_state;

/// Writes of one save: the second after an answer of the store was lost.
const MAX_WRITES: usize = 2;

/// What is to be saved of a session.
struct Changed {
    packed: Zeroizing<Vec<u8>>,
    snapshot: u64,
    hash: [u8; 32],
}

impl FleetSessions {
    /// Saves or checks the sessions on a timer, until `done`.
    pub async fn run(self: Arc<Self>, done: CancellationToken) {
        let mut ticks = interval(self.parts.interval);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while done.run_until_cancelled(ticks.tick()).await.is_some() {
            let entries = self.entries();
            // One that is being opened or closed does not keep the others waiting.
            let free = entries.iter().filter(|held| held.progress.try_lock().is_ok());
            join_all(free.map(|held| self.save_logged(held))).await;
        }
    }

    /// Saves all sessions within `limit`. Those who wait, and later callers, get `SESSION_MOVED`.
    pub async fn finish(&self, limit: Duration) {
        self.start_draining();
        let entries = self.entries();
        let saving = join_all(entries.iter().map(|held| self.save_logged(held)));
        if timeout(limit, saving).await.is_err() {
            tracing::error!("the sessions are not saved in time");
        }
        for held in entries {
            held.set_hold(Hold::Moved(None));
        }
        self.set_saved();
    }

    async fn save_logged(&self, held: &HeldSession) {
        if let Err(error) = self.save(held).await {
            self.count_failure();
            tracing::warn!(%error, session = %held.name.session, "a session is not saved");
        }
    }

    /// Saves a session, or checks that the pod still holds it.
    ///
    /// # Errors
    /// `STATE_UNAVAILABLE`, `TOO_LARGE`.
    pub(super) async fn save(&self, held: &HeldSession) -> Result<()> {
        let mut progress = held.progress.lock().await;
        if !held.is_held() {
            return Ok(());
        }
        let begun = Instant::now();
        let changed = match self.parts.sessions.get(held.name.session.as_str()) {
            Some(session) => changed_contents(&session, &mut progress).await,
            None => Ok(None),
        };
        let is_ours = match &changed {
            Ok(Some(changed)) => self.save_changed(held, &mut progress, changed).await?,
            // What is too large leaves the last save, and the session is still this pod's.
            Ok(None) | Err(_) => self.check(held, &mut progress).await?,
        };
        match is_ours {
            true => self.renew(held, begun),
            false => self.give_up(held).await,
        }
        changed.map(drop)
    }

    async fn save_changed(
        &self,
        held: &HeldSession,
        progress: &mut FleetSaveProgress,
        changed: &Changed,
    ) -> Result<bool> {
        let now = browse_base::now_ms() / 1000;
        let is_ours = self.write(held, progress, now, &changed.packed).await?;
        if is_ours {
            progress.snapshot = Some(changed.snapshot);
            progress.hash = Some(changed.hash);
        }
        Ok(is_ours)
    }

    /// Whether the object is the pod's.
    ///
    /// # Errors
    /// `STATE_UNAVAILABLE`.
    pub(super) async fn check(
        &self,
        held: &HeldSession,
        progress: &mut FleetSaveProgress,
    ) -> Result<bool> {
        let Some(version) = &progress.version else { return Ok(false) };
        if self.parts.objects.is_current(&held.name, version).await? {
            return Ok(true);
        }
        self.adopt_own(held, progress).await
    }

    /// Writes the object; answers whether the session is still the pod's.
    ///
    /// # Errors
    /// `STATE_UNAVAILABLE`.
    pub(super) async fn write(
        &self,
        held: &HeldSession,
        progress: &mut FleetSaveProgress,
        saved_at: u64,
        packed: &[u8],
    ) -> Result<bool> {
        for _ in 0..MAX_WRITES {
            let pod = self.parts.pod.clone();
            let header = ObjectHeader { epoch: progress.epoch + 1, saved_at, pod };
            let bytes = pack_object(&header, &held.name, &held.key, packed);
            let mode = match &progress.version {
                Some(version) => PutMode::Update(version.clone()),
                None => PutMode::Create,
            };
            if let Some(version) = self.parts.objects.put(&held.name, bytes, mode).await? {
                progress.epoch = header.epoch;
                progress.version = Some(version);
                return Ok(true);
            }
            if !self.adopt_own(held, progress).await? {
                return Ok(false);
            }
        }
        Ok(false)
    }

    /// Takes the object as the last one that was written here, if this pod wrote it: the answer to
    /// a write may have been lost, and the write itself not.
    async fn adopt_own(
        &self,
        held: &HeldSession,
        progress: &mut FleetSaveProgress,
    ) -> Result<bool> {
        let Some(found) = self.parts.objects.read(&held.name).await? else { return Ok(false) };
        let (header, _) = read_header(&found.bytes, &held.name)?;
        // One of an earlier life of the session here has an older epoch.
        if header.pod != self.parts.pod || header.epoch < progress.epoch {
            return Ok(false);
        }
        progress.epoch = header.epoch;
        progress.version = Some(found.version);
        // What it holds may be of a save before the last one.
        progress.snapshot = None;
        progress.hash = None;
        Ok(true)
    }
}

/// What a session holds, if that is another than what was saved.
async fn changed_contents(
    session: &Session,
    progress: &mut FleetSaveProgress,
) -> Result<Option<Changed>> {
    session.begin_keeping();
    if !session.has_changed_since(progress.snapshot) {
        return Ok(None);
    }
    session.take_complete_snapshot().await;
    let snapshot = session.snapshot_version();
    let packed = pack_state(&session.portable_contents()?)?;
    let hash: [u8; 32] = Sha256::digest(packed.as_slice()).into();
    if progress.hash == Some(hash) {
        progress.snapshot = Some(snapshot);
        return Ok(None);
    }
    Ok(Some(Changed { packed, snapshot, hash }))
}
