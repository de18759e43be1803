//! What a run holds: a session and a token. Both end with it, whatever happens.

use std::sync::Arc;
use std::time::Duration;

use browse_proto::{Reason, Scope};
use tokio::task::JoinHandle;

use crate::skills::manifest::Manifest;
use crate::{
    content::Delivery,
    dispatch::Context,
    error::{Error, Result},
    policy::{Audience, ClientId, GrantSpec, Kind, Minted, Rate, Scopes, SessionRule, TabPolicy},
    sessions::{Session, SessionName, SessionRules, Sessions},
};

/// Calls a second that a skill may make.
const RATE: u32 = 200;

/// The session of a run. Dropping it closes the one that was made for the run.
pub struct Lease {
    client: ClientId,
    session: Arc<Session>,
    /// Set when the session was made for the run.
    own: Option<Own>,
}

/// What closing a session of one's own takes.
struct Own {
    sessions: Arc<Sessions>,
    /// The opening of the first tab. A context that is still in the making
    /// cannot be disposed of.
    opening: JoinHandle<()>,
}

/// Which session a run acts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// One of its own, held to the hosts of the manifest below the page.
    Own,
    /// The caller's, where other tabs and cookies are in reach.
    Callers,
}

impl Wish {
    /// The session of a run: the caller's when the skill was granted it, or
    /// when the caller names one for a skill that is trusted.
    ///
    /// # Errors
    /// `SESSION_DENIED` for a skill that nobody trusts.
    pub fn of(cx: &Context, manifest: &Manifest, granted: bool, trusted: bool) -> Result<Self> {
        match (granted, cx.named_session()) {
            (true, _) => Ok(Self::Callers),
            (false, None) => Ok(Self::Own),
            (false, Some(_)) if trusted => Ok(Self::Callers),
            (false, Some(session)) => {
                let name = &manifest.name;
                let message = format!(
                    "the skill `{name}` is not trusted, and cannot act in the session `{session}`"
                );
                Err(Error::new(Reason::SessionDenied, message).with("session", session))
            }
        }
    }
}

impl Lease {
    /// Takes a session: one of its own, whose first tab opens meanwhile, unless
    /// the caller names one or the skill was granted the user's.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`.
    pub async fn take(cx: &Context, manifest: &Manifest, wish: Wish) -> Result<Self> {
        let id = spawn_id();
        let client = ClientId::new(format!("skill:{}:{id}", manifest.name))?;
        if wish == Wish::Callers {
            return Ok(Self { client, session: cx.session()?, own: None });
        }
        let sessions = cx.daemon().sessions();
        let name: SessionName = format!("skill-{:.40}-{id}", manifest.name).parse()?;
        let rules = SessionRules { hosts: manifest.hosts.clone() };
        let session = sessions.open(&name, &client, rules).await?;
        let (first, owner) = (Arc::clone(&session), client.clone());
        let opening = tokio::spawn(async move {
            // The program's own first call says what is wrong.
            let _ = first.active_or_first(&owner).await;
        });
        Ok(Self { client, session, own: Some(Own { sessions: Arc::clone(sessions), opening }) })
    }

    /// Gives the files that the run made pages send to the session of its caller, when
    /// that is the owner of the daemon: what the program wrote is gone with its sandbox.
    /// Returns how many.
    pub fn hand_files_over(&self, cx: &Context) -> usize {
        let Some(Own { sessions, .. }) = self.own.as_ref().filter(|_| cx.is_root()) else {
            return 0;
        };
        match cx.session() {
            Ok(callers) => sessions.downloads().hand_over(&self.session, &callers, cx.client()),
            Err(_) => 0,
        }
    }

    /// Makes the token of the run. Dropping it revokes it.
    ///
    /// # Errors
    /// No token can be made.
    pub fn mint(&self, cx: &Context, manifest: &Manifest, lifetime: Duration) -> Result<Minted> {
        cx.daemon().authority().mint(GrantSpec {
            client: self.client.clone(),
            audience: Audience::Skill,
            kind: Kind::Skill,
            scopes: Scopes::of(&[Scope::Read, Scope::Write]),
            hosts: manifest.hosts.clone(),
            tabs: TabPolicy::Session,
            session: SessionRule::Only(self.session.name().to_owned()),
            rate: Rate::PerSecond(RATE),
            delivery: Delivery::Raw,
            lifetime,
        })
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let runtime = tokio::runtime::Handle::try_current();
        let (Some(Own { sessions, opening }), Ok(runtime)) = (self.own.take(), runtime) else {
            return;
        };
        let session = Arc::clone(&self.session);
        runtime.spawn(async move {
            let _ = opening.await;
            if let Err(error) = sessions.close(session.name()).await {
                tracing::debug!(%error, session = session.name(), "a skill's session was gone");
            }
        });
    }
}

fn spawn_id() -> String {
    format!("{:08x}", rand::random::<u32>())
}
