//! What a run holds: a session and a token. Both end with it, whatever happens.

use std::sync::Arc;
use std::time::Duration;

use browse_proto::Scope;

use crate::skills::manifest::Manifest;
use crate::{
    content::Delivery,
    dispatch::Context,
    error::Result,
    policy::{Audience, ClientId, GrantSpec, Kind, Minted, Rate, Scopes, SessionRule, TabPolicy},
    sessions::{Session, SessionName, SessionRules, Sessions},
};

/// Calls a second that a skill may make.
const RATE: u32 = 200;

/// A session and a token for one run. Dropping it ends both.
pub struct Lease {
    token: Option<Minted>,
    client: ClientId,
    session: Arc<Session>,
    /// Set when the session was made for the run.
    own: Option<Arc<Sessions>>,
}

impl Lease {
    /// Takes a session and mints a token. The session is one of its own, unless
    /// the caller names one or the skill was granted the user's.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`, or no token can be made.
    pub async fn take(
        cx: &Context,
        manifest: &Manifest,
        of_user: bool,
        lifetime: Duration,
    ) -> Result<Self> {
        let id = spawn_id();
        let client = ClientId::new(format!("skill:{}:{id}", manifest.name))?;
        let sessions = cx.daemon().sessions();
        let named = cx.named_session().is_some();
        let (session, own) = if named || of_user {
            (cx.session()?, None)
        } else {
            let name: SessionName = format!("skill-{:.40}-{id}", manifest.name).parse()?;
            let rules = SessionRules { hosts: manifest.hosts.clone() };
            (sessions.open(&name, &client, rules).await?, Some(Arc::clone(sessions)))
        };
        let mut lease = Self { token: None, client, session, own };
        let minted = cx.daemon().authority().mint(GrantSpec {
            client: lease.client.clone(),
            audience: Audience::Skill,
            kind: Kind::Skill,
            scopes: Scopes::of(&[Scope::Read, Scope::Write]),
            hosts: manifest.hosts.clone(),
            tabs: TabPolicy::Session,
            session: SessionRule::Only(lease.session.name().to_owned()),
            rate: Rate::PerSecond(RATE),
            delivery: Delivery::Raw,
            lifetime,
        })?;
        lease.token = Some(minted);
        Ok(lease)
    }

    /// The token.
    pub fn token(&self) -> &str {
        self.token.as_ref().map_or("", Minted::token)
    }

    /// Opens the first tab while the program starts.
    pub fn warm_up(&self) {
        if self.own.is_some() {
            let (session, client) = (Arc::clone(&self.session), self.client.clone());
            tokio::spawn(async move {
                // The program's own first call says what is wrong.
                let _ = session.active_or_first(&client).await;
            });
        }
    }

    /// Ends both now.
    pub fn end(self) {}
}

impl Drop for Lease {
    fn drop(&mut self) {
        drop(self.token.take());
        let (Some(sessions), Ok(runtime)) =
            (self.own.take(), tokio::runtime::Handle::try_current())
        else {
            return;
        };
        let session = Arc::clone(&self.session);
        runtime.spawn(async move {
            if let Err(error) = sessions.close(session.name()).await {
                tracing::debug!(%error, session = session.name(), "the session of a skill was gone");
            }
        });
    }
}

fn spawn_id() -> String {
    format!("{:08x}", rand::random::<u32>())
}
