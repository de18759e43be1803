//! A session begins to be kept, or is opened with what was kept of it.

use std::{sync::Arc, time::Duration};

use browse_proto::Reason;
use tokio::time::Instant;

use super::{
    KeptSessions, KeptState,
    session_lock::KeptSessionLock,
    table::{KeptStores, OpenKeptSession, SaveProgress, run_to_completion},
};
use crate::session_state::{StateCounts, StateKey, StateName, unpack_state};
use browse_base::{Error, HINT_KEY, Result};
use browse_policy::ClientId;
use browse_sessions::{KeptSession, Session, SessionName, SessionRules};

/// Time that a keychain gets, which may wait for its owner to unlock it.
const KEY_TIMEOUT: Duration = Duration::from_secs(30);

/// What was read of a kept session.
struct SavedSession {
    key: Arc<StateKey>,
    /// None where nothing was saved yet.
    contents: Option<KeptSession>,
}

impl KeptSessions {
    /// Keeps the session `name` from now on. One that is not open is opened, with what was kept
    /// of it, which is answered.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID`, `FOREIGN_BROWSER`, `SESSION_RESTRICTED`, `SESSION_EXISTS`,
    /// `SESSION_KEPT_BY_ANOTHER`; what is kept cannot be opened, or nothing can be written. The
    /// session and its file are as before then.
    pub async fn keep(self: &Arc<Self>, name: &SessionName) -> Result<StateCounts> {
        let (this, name) = (Arc::clone(self), name.clone());
        run_to_completion(async move {
            let _turn = this.turn.lock().await;
            this.keep_in_turn(&name).await
        })
        .await
    }

    /// Opens the session `name` when the project keeps it and it is not open, and answers what
    /// it has from before.
    ///
    /// # Errors
    /// As [`KeptSessions::keep`].
    pub async fn open(self: &Arc<Self>, name: &str) -> Result<Option<StateCounts>> {
        let (this, name) = (Arc::clone(self), name.to_owned());
        run_to_completion(async move {
            let _turn = this.turn.lock().await;
            // Another caller may have opened it meanwhile.
            match this.state_of(&name) {
                Some(KeptState::Closed) => this.open_in_turn(&file_name(&name)?).await.map(Some),
                Some(KeptState::Open) | None => Ok(None),
            }
        })
        .await
    }

    async fn keep_in_turn(&self, name: &SessionName) -> Result<StateCounts> {
        if self.state_of(name.as_str()) == Some(KeptState::Open) {
            return Ok(StateCounts::default());
        }
        let file = file_name(name.as_str())?;
        let Some(session) = self.parts.sessions.get(name.as_str()) else {
            return self.open_in_turn(&file).await;
        };
        session.wait_until_settled().await;
        ensure_keepable(&session)?;
        match session.is_unused() {
            true => self.open_in_turn(&file).await,
            false => self.keep_open_session(&file, &session).await,
        }
    }

    /// Keeps a session that is in use.
    async fn keep_open_session(&self, file: &StateName, session: &Session) -> Result<StateCounts> {
        let stores = self.stores()?;
        let mut lock = KeptSessionLock::acquire(stores.sessions.folder(), file).await?;
        if stores.sessions.saved_at(file).is_some() {
            return Err(kept_already(file));
        }
        let deadline = Instant::now() + KEY_TIMEOUT;
        let key = Arc::new(self.keyring(&stores).for_saving(deadline).await?);
        lock.add_project(&self.parts.project)?;
        self.insert(file, None, OpenKeptSession { lock, key, progress: SaveProgress::default() });
        session.begin_keeping();
        if let Err(error) = self.save_opened(file.as_str(), session).await {
            session.end_keeping();
            self.discard(file);
            return Err(error);
        }
        Ok(StateCounts::default())
    }

    /// Opens a session with what was kept of it.
    async fn open_in_turn(&self, file: &StateName) -> Result<StateCounts> {
        let stores = self.stores()?;
        let mut lock = KeptSessionLock::acquire(stores.sessions.folder(), file).await?;
        let SavedSession { key, contents } = self.load(&stores, file).await?;
        let session = self.unused_session(file).await?;
        let is_new = contents.is_none() && self.state_of(file.as_str()).is_none();
        let was_saved = contents.is_some();
        let contents = contents.unwrap_or_default();
        let counts = StateCounts::from(&contents);
        let opened: Result<()> = async {
            session.restore_kept(contents).await?;
            lock.add_project(&self.parts.project)?;
            session.begin_keeping();
            let saved_at = stores.sessions.saved_at(file);
            let progress = SaveProgress::default();
            self.insert(file, saved_at, OpenKeptSession { lock, key, progress });
            // Shows at once whether it can be written at all.
            if !was_saved {
                self.save_opened(file.as_str(), &session).await?;
            }
            Ok(())
        }
        .await;
        if let Err(error) = opened {
            if is_new {
                self.discard(file);
            } else {
                self.set_closed(file.as_str());
            }
            if let Err(error) = self.parts.sessions.close(file.as_str()).await {
                tracing::debug!(%error, session = %file, "a kept session did not open");
            }
            return Err(error);
        }
        tracing::info!(session = %file, %counts, "a kept session is open");
        Ok(counts)
    }

    /// The session of this name, which holds nothing yet.
    async fn unused_session(&self, file: &StateName) -> Result<Arc<Session>> {
        let name: SessionName = file.as_str().parse()?;
        match self.parts.sessions.get(name.as_str()) {
            Some(session) if session.is_unused() => Ok(session),
            Some(_) => Err(kept_already(file)),
            None => {
                let (root, rules) = (ClientId::root(), SessionRules::unrestricted());
                self.parts.sessions.open(&name, &root, rules).await
            }
        }
    }

    /// Reads what was saved, with the key to it; the key of a session that was never saved is
    /// made.
    async fn load(&self, stores: &KeptStores, file: &StateName) -> Result<SavedSession> {
        let (keyring, deadline) = (self.keyring(stores), Instant::now() + KEY_TIMEOUT);
        let sealed = match stores.sessions.read(file).await {
            Ok(sealed) => sealed,
            Err(error) if error.reason() == Reason::StateNotFound => {
                let key = Arc::new(keyring.for_saving(deadline).await?);
                return Ok(SavedSession { key, contents: None });
            }
            Err(error) => return Err(cannot_open(file, &error)),
        };
        let unsealed = keyring.unseal(&sealed, file, deadline).await;
        let (key, contents) = unsealed.map_err(|error| cannot_open(file, &error))?;
        let contents = unpack_state(&contents, file).map_err(|error| cannot_open(file, &error))?;
        Ok(SavedSession { key: Arc::new(key), contents: Some(contents) })
    }

    /// Forgets a session that was about to be kept, of which nothing was saved.
    fn discard(&self, file: &StateName) {
        let open = self.set_closed(file.as_str());
        self.remove(file.as_str());
        if let Some((_, open)) = open
            && let Err(error) = open.lock.remove()
        {
            tracing::debug!(%error, session = %file, "the lock of a session is left");
        }
    }
}

/// The name of the file of a session.
///
/// # Errors
/// `ARGUMENT_INVALID`: names of files have fewer letters than those of sessions.
pub(super) fn file_name(name: &str) -> Result<StateName> {
    name.parse().map_err(|_| {
        let message = format!(
            "the session `{name}` cannot be kept: the name of one that is begins with a letter \
             or digit of ASCII, and has only these and `-._`"
        );
        Error::new(Reason::ArgumentInvalid, message).with("command", "session new")
    })
}

/// Refuses sessions whose contents are not the local user's alone.
fn ensure_keepable(session: &Session) -> Result<()> {
    let name = session.name();
    if session.is_attached() {
        let message = format!("the session `{name}` is in a browser of a person, and is not kept");
        return Err(Error::new(Reason::ForeignBrowser, message));
    }
    let owner = session.owner();
    let message = match session.rules().hosts.is_any() {
        true if owner.is_root() => return Ok(()),
        true => format!("the session `{name}` belongs to `{owner}`, and is not kept"),
        false => format!("the session `{name}` is restricted to hosts, and is not kept"),
    };
    let hint = "Keep another session: `browse session new OTHER --keep`";
    Err(Error::new(Reason::SessionRestricted, message).with(HINT_KEY, hint))
}

/// What is kept under the name of a session in use must not be overwritten.
fn kept_already(file: &StateName) -> Error {
    let message = format!("another session `{file}` is kept, and this one is in use");
    let hint = format!(
        "Run `browse session close {file}`, then `browse session new {file} --keep` to open the \
         kept one; or choose another name"
    );
    Error::new(Reason::SessionExists, message).with("session", file).with(HINT_KEY, hint)
}

/// Why a kept session does not open, with the way out.
fn cannot_open(file: &StateName, error: &Error) -> Error {
    let message = format!("the kept session `{file}` does not open: {error}");
    let forget = format!("`browse session close {file} --forget`");
    let hint = match error.reason() {
        Reason::KeychainUnavailable => {
            format!("{}; or give up what is kept with {forget}", error.hint())
        }
        Reason::StateCorrupt | Reason::StateForeign => {
            format!("Run {forget} to give up what is kept, or use another session")
        }
        _ => error.hint(),
    };
    Error::new(error.reason(), message).with("session", file).with(HINT_KEY, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_kept_under_a_name_that_stays_in_its_folder() {
        assert_eq!(file_name("work.2").expect("a name").as_str(), "work.2");
        for name in ["..", ".hidden", "-a", "übung", "a/b"] {
            let error = file_name(name).expect_err("it is refused");
            assert_eq!(error.reason(), Reason::ArgumentInvalid, "{name}");
        }
    }

    #[test]
    fn what_does_not_open_says_the_way_out() {
        let file = file_name("work").expect("a name");
        for reason in [Reason::StateCorrupt, Reason::StateForeign, Reason::KeychainUnavailable] {
            let error = cannot_open(&file, &Error::new(reason, "it was changed"));
            assert_eq!(error.reason(), reason);
            assert!(error.to_string().contains("it was changed"), "{error}");
            assert!(error.hint().contains("browse session close work --forget"), "{error:?}");
        }
    }
}
