//! Kept sessions are saved: soon after something changed, before they are closed, and when the
//! daemon ends.
//!
//! Nothing is saved while a person has a session, at a dashboard or in a window.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use futures::future::join_all;
use sha2::{Digest as _, Sha256};
use tokio::time::{Instant, sleep_until, timeout};

use super::{KeptSessions, KeptState, table::run_to_completion};
use crate::session_state::{pack_state, seal};
use browse_base::{Error, Result};
use browse_sessions::{KeptSession, Session};

/// How often a session is saved at most because something changed.
const MIN_SAVE_INTERVAL: Duration = Duration::from_secs(30);

/// What came of saving a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveOutcome {
    /// It was written.
    Written,
    /// It holds what was written before.
    Unchanged,
    /// A person has it, or took it meanwhile.
    Postponed,
}

impl KeptSessions {
    /// Saves sessions that changed, until it is dropped.
    pub async fn run(self: Arc<Self>) {
        let mut snapshots = self.parts.sessions.watch_kept_snapshots();
        loop {
            snapshots.borrow_and_update();
            let next = self.save_changed().await;
            let due = async {
                match next {
                    Some(at) => sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                changed = snapshots.changed() => if changed.is_err() { return },
                () = due => {}
            }
        }
    }

    /// Saves the session `name` if it is kept and open, as it is about to be closed; answers
    /// `Unchanged` for others.
    ///
    /// # Errors
    /// `TOO_LARGE`, `FILE_UNWRITABLE`; what was saved before is still there.
    pub async fn save_now(self: &Arc<Self>, name: &str) -> Result<SaveOutcome> {
        if self.state_of(name) != Some(KeptState::Open) {
            return Ok(SaveOutcome::Unchanged);
        }
        let (this, name) = (Arc::clone(self), name.to_owned());
        run_to_completion(async move {
            let _turns = this.save_turn().await;
            this.save_if_open(&name).await
        })
        .await
    }

    /// Saves all that are open, within `limit`, and lets go of them: the daemon ends.
    pub async fn finish(&self, limit: Duration) {
        let names = self.open_names();
        let saving = async {
            // Not the other turn: one that is opened may wait for the keychain.
            let _saving = self.saving.lock().await;
            let saved = join_all(names.iter().map(|name| self.save_if_open(name))).await;
            for (name, outcome) in names.iter().zip(saved) {
                if let Err(error) = outcome {
                    tracing::error!(%error, session = name, "a kept session is not saved");
                }
            }
        };
        if timeout(limit, saving).await.is_err() {
            tracing::error!("the kept sessions are not saved in time");
        }
        for name in &names {
            self.set_closed(name);
        }
    }

    /// Saves the sessions that are due, and answers when the next one is.
    async fn save_changed(&self) -> Option<Instant> {
        let mut next = None;
        for name in self.open_names() {
            match self.due_at(&name) {
                Some(at) if at <= Instant::now() => self.save_timed(&name).await,
                Some(at) => next = Some(next.map_or(at, |next: Instant| next.min(at))),
                None => {}
            }
        }
        next
    }

    /// When a session is to be saved, if it changed and may be saved now. When a person gives
    /// it back, a snapshot is taken, which is noticed.
    fn due_at(&self, name: &str) -> Option<Instant> {
        let (_, _, progress) = self.open_entry(name)?;
        let session = self.parts.sessions.get(name).filter(|session| session.is_kept())?;
        let is_changed = progress.version != Some(session.snapshot_version());
        let due = || progress.last_timed.map_or_else(Instant::now, |last| last + MIN_SAVE_INTERVAL);
        (is_changed && session.may_be_saved()).then(due)
    }

    async fn save_timed(&self, name: &str) {
        let _turns = self.save_turn().await;
        let outcome = self.save_if_open(name).await;
        self.update_progress(name, |progress| {
            // What is as it was has cost nothing: the next change does not wait.
            if !matches!(outcome, Ok(SaveOutcome::Unchanged)) {
                progress.last_timed = Some(Instant::now());
            }
            progress.is_failure_reported &= outcome.is_err();
        });
        if let Err(error) = outcome {
            self.report_failure(name, &error);
        }
    }

    /// Warns the local user once that a session is not saved.
    fn report_failure(&self, name: &str, error: &Error) {
        tracing::warn!(%error, session = name, "a kept session is not saved");
        let mut is_new = false;
        self.update_progress(name, |progress| {
            is_new = !std::mem::replace(&mut progress.is_failure_reported, true);
        });
        if is_new {
            let text = format!("the session `{name}` is not saved: {error}; it is tried again");
            self.parts.notices.add(text);
        }
    }

    async fn save_if_open(&self, name: &str) -> Result<SaveOutcome> {
        let session = self.parts.sessions.get(name).filter(|session| session.is_kept());
        match session.filter(|_| self.open_entry(name).is_some()) {
            Some(session) => self.save(name, &session).await,
            None => Ok(SaveOutcome::Unchanged),
        }
    }

    /// Saves a session that is opened, unless a person has it.
    pub(super) async fn save_opened(&self, name: &str, session: &Session) -> Result<SaveOutcome> {
        let _saving = self.saving.lock().await;
        self.save(name, session).await
    }

    /// Saves a session, unless a person has it.
    async fn save(&self, name: &str, session: &Session) -> Result<SaveOutcome> {
        let begun = SystemTime::now();
        if !session.may_be_saved() {
            return Ok(SaveOutcome::Postponed);
        }
        session.take_complete_snapshot().await;
        let version = session.snapshot_version();
        let contents = session.kept_contents();
        // A person took it meanwhile.
        if !session.may_be_saved() || session.control().was_held_since(begun) {
            return Ok(SaveOutcome::Postponed);
        }
        let outcome = self.write(name, &contents).await?;
        self.update_progress(name, |progress| progress.version = Some(version));
        Ok(outcome)
    }

    /// Writes what a session holds, if that is another than what was written.
    async fn write(&self, name: &str, contents: &KeptSession) -> Result<SaveOutcome> {
        let Some((file, key, progress)) = self.open_entry(name) else {
            return Ok(SaveOutcome::Unchanged);
        };
        let packed = pack_state(contents)?;
        let hash: [u8; 32] = Sha256::digest(packed.as_slice()).into();
        if progress.hash == Some(hash) {
            return Ok(SaveOutcome::Unchanged);
        }
        self.stores()?.sessions.write(&file, &seal(&key, &packed)).await?;
        self.update_progress(name, |progress| progress.hash = Some(hash));
        self.note_saved(name);
        Ok(SaveOutcome::Written)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use browse_proto::Reason;
    use browse_sessions::KeptOrigin;

    use super::*;
    use crate::{kept_sessions::tests::Home, session_state::MAX_STATE_BYTES};

    #[tokio::test]
    async fn what_is_too_large_leaves_the_file_and_is_reported_once() {
        let home = Home::new();
        let kept = home.project("/a");
        kept.keep(&"work".parse().expect("a name")).await.expect("it is kept");
        let before = fs::read(home.file("work.state")).expect("it was saved");
        let local = "x".repeat(MAX_STATE_BYTES);
        let origin =
            KeptOrigin { origin: "https://a.example".to_owned(), local, ..KeptOrigin::default() };
        let large = KeptSession { origins: vec![origin], ..KeptSession::default() };
        let error = kept.write("work", &large).await.expect_err("it is too large");
        assert_eq!(error.reason(), Reason::TooLarge);
        assert_eq!(fs::read(home.file("work.state")).expect("it is there"), before);
        kept.report_failure("work", &error);
        kept.report_failure("work", &error);
        let notice = kept.parts.notices.take().expect("a notice");
        assert_eq!(notice.matches("the session `work` is not saved").count(), 1, "{notice}");
    }

    #[tokio::test]
    async fn what_has_not_changed_is_not_written_again() {
        let home = Home::new();
        let kept = home.project("/a");
        kept.keep(&"work".parse().expect("a name")).await.expect("it is kept");
        let before = fs::read(home.file("work.state")).expect("it was saved");
        kept.save_now("work").await.expect("there is nothing to save");
        assert_eq!(fs::read(home.file("work.state")).expect("it is there"), before);
        let tab =
            browse_sessions::KeptTab { url: "https://a.example/".to_owned(), ..Default::default() };
        let changed = KeptSession { tabs: vec![tab], ..KeptSession::default() };
        kept.write("work", &changed).await.expect("it is written");
        assert_ne!(fs::read(home.file("work.state")).expect("it is there"), before);
    }
}
