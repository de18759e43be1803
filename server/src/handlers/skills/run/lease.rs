//! What a run holds: a session, here or in a fleet, and a token. Both end with it, whatever
//! happens.

use std::sync::Arc;
use std::time::Duration;

use browse_proto::{Reason, Scope};
use tokio::task::JoinHandle;

use super::fleet_lease::FleetLease;
use crate::dispatch::CallContext;
use crate::fleet_relay::RunSession;
use crate::skills::manifest::SkillManifest;
use browse_base::{Error, Result};
use browse_policy::{
    Audience, ClientId, ClientKind, Delivery, GrantSpec, IssuedToken, Rate, Scopes, SessionRule,
    TabPolicy,
};
use browse_sessions::{Session, SessionName, SessionRules, Sessions};

/// Calls a second that a skill may make.
const MAX_CALLS_PER_SECOND: u32 = 200;

/// The session of a run. Dropping it closes the one that was made for the run.
pub struct Lease {
    client: ClientId,
    place: LeasedPlace,
}

/// Where a run acts.
enum LeasedPlace {
    /// In a session of this daemon.
    Here {
        session: Arc<Session>,
        /// Set when the session was made for the run.
        owned: Option<OwnedSession>,
    },
    /// In one of a fleet.
    Fleet(FleetLease),
}

/// What closing a session of one's own takes.
struct OwnedSession {
    sessions: Arc<Sessions>,
    /// The opening of the first tab. A context that is still in the making
    /// cannot be disposed of.
    opening: JoinHandle<()>,
}

/// Which session a run acts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionChoice {
    /// One of its own, held to the hosts of the manifest below the page.
    Dedicated,
    /// The caller's, where other tabs and cookies are in reach.
    Caller,
}

impl SessionChoice {
    /// The session of a run: the caller's when the skill was granted it, or
    /// when the caller names one for a skill that is trusted.
    ///
    /// # Errors
    /// `SESSION_DENIED` for a skill that nobody trusts.
    pub fn choose(
        cx: &CallContext,
        manifest: &SkillManifest,
        granted: bool,
        trusted: bool,
    ) -> Result<Self> {
        match (granted, cx.requested_session()) {
            (true, _) => Ok(Self::Caller),
            (false, None) => Ok(Self::Dedicated),
            (false, Some(_)) if trusted => Ok(Self::Caller),
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
    /// `SESSION_NOT_FOUND`; those of [`FleetLease::acquire`] in a fleet.
    pub async fn acquire(
        cx: &CallContext,
        manifest: &SkillManifest,
        requested: SessionChoice,
    ) -> Result<Self> {
        let id = spawn_id();
        let client = ClientId::new(format!("skill:{}:{id}", manifest.name))?;
        let name: SessionName = format!("skill-{:.40}-{id}", manifest.name).parse()?;
        if let Some(remote) = cx.fleet_remote()? {
            let session = match requested {
                SessionChoice::Dedicated => RunSession::Own(name.to_string()),
                SessionChoice::Caller => RunSession::Caller(caller_session(cx)),
            };
            let lease = FleetLease::acquire(cx, remote, (manifest, session), &client).await?;
            return Ok(Self { client, place: LeasedPlace::Fleet(lease) });
        }
        if requested == SessionChoice::Caller {
            let place = LeasedPlace::Here { session: cx.session()?, owned: None };
            return Ok(Self { client, place });
        }
        let sessions = cx.daemon().sessions();
        let rules = SessionRules { hosts: manifest.hosts.clone() };
        let session = sessions.open(&name, &client, rules).await?;
        let (first, owner) = (Arc::clone(&session), client.clone());
        let opening = tokio::spawn(async move {
            // The program's own first call says what is wrong.
            let _ = first.active_or_first(&owner).await;
        });
        let owned = Some(OwnedSession { sessions: Arc::clone(sessions), opening });
        Ok(Self { client, place: LeasedPlace::Here { session, owned } })
    }

    /// Gives the files that the run made pages send to the session of its caller, when
    /// that is the owner of the daemon: what the program wrote is gone with its sandbox.
    /// Returns how many.
    pub fn transfer_files(&self, cx: &CallContext) -> usize {
        let LeasedPlace::Here { session, owned: Some(owned) } = &self.place else { return 0 };
        match cx.session() {
            Ok(callers) if cx.is_root() => {
                owned.sessions.downloads().transfer(&**session, &*callers, cx.client())
            }
            _ => 0,
        }
    }

    /// Ends what the run has in a fleet, if it has something there; answers what its caller has to
    /// know. A session of this daemon is closed beside other work.
    pub async fn finish(mut self) -> Option<String> {
        match &mut self.place {
            LeasedPlace::Here { .. } => None,
            LeasedPlace::Fleet(lease) => lease.finish().await,
        }
    }

    /// Makes the token of the run. Dropping it revokes it.
    ///
    /// # Errors
    /// No token can be made.
    pub fn mint(
        &self,
        cx: &CallContext,
        manifest: &SkillManifest,
        lifetime: Duration,
    ) -> Result<IssuedToken> {
        cx.daemon().authority().issue(GrantSpec {
            client: self.client.clone(),
            audience: Audience::Skill,
            kind: ClientKind::Skill,
            scopes: Scopes::of(&[Scope::Read, Scope::Write]),
            hosts: manifest.hosts.clone(),
            tabs: TabPolicy::Session,
            session: SessionRule::Only(match &self.place {
                LeasedPlace::Here { session, .. } => session.name().to_owned(),
                LeasedPlace::Fleet(lease) => lease.session_of_token(),
            }),
            rate: Rate::PerSecond(MAX_CALLS_PER_SECOND),
            delivery: Delivery::Raw,
            lifetime,
        })
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let runtime = tokio::runtime::Handle::try_current();
        let LeasedPlace::Here { session, owned } = &mut self.place else { return };
        let (Some(OwnedSession { sessions, opening }), Ok(runtime)) = (owned.take(), runtime)
        else {
            return;
        };
        let session = Arc::clone(session);
        runtime.spawn(async move {
            let _ = opening.await;
            if let Err(error) = sessions.close(session.name()).await {
                tracing::debug!(%error, session = session.name(), "a skill's session was gone");
            }
        });
    }
}

/// The session of a fleet that the caller works in.
fn caller_session(cx: &CallContext) -> String {
    let named = cx.requested_session().map(str::to_owned);
    named.unwrap_or_else(|| SessionName::default_session().to_string())
}

fn spawn_id() -> String {
    format!("{:08x}", rand::random::<u32>())
}
