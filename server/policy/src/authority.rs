//! Gives out tokens, knows them again, and takes them back.

use std::{sync::Arc, time::Duration};

use browse_proto::Reason;

use super::{
    Audience, Capability, ClientId, ClientKind, DeniedCommands, Grant, Listener, Rate, Scopes,
    SessionRule, TabPolicy,
    claims::{self, TokenSigner},
    grant_table::GrantTable,
    root_token::{self, RootToken, RootTokenMatch},
};
use crate::Delivery;
use browse_base::{Error, Result, hex, random};
use browse_net::HostPolicy;

/// The tokens of one daemon. It begins with a new root token and a new key, so
/// no token outlives the daemon that made it.
pub struct Authority {
    id: String,
    root: RootToken,
    root_grant: Arc<Grant>,
    anonymous_grant: Arc<Grant>,
    signer: TokenSigner,
    grants: GrantTable,
    denied: Arc<DeniedCommands>,
}

/// What a new token shall allow.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct GrantSpec {
    pub client: ClientId,
    pub audience: Audience,
    pub kind: ClientKind,
    pub scopes: Scopes,
    pub hosts: HostPolicy,
    pub tabs: TabPolicy,
    pub session: SessionRule,
    pub rate: Rate,
    pub delivery: Delivery,
    pub lifetime: Duration,
}

/// A token that was just made. Dropping it revokes the token.
pub struct IssuedToken {
    token: String,
    jti: String,
    grant: Arc<Grant>,
    authority: Arc<Authority>,
}

impl Authority {
    /// An authority with a new id, root token and key.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn new() -> Result<Self> {
        Self::with_denied_commands(DeniedCommands::default())
    }

    /// The same, with commands that none of its grants allows, that of root included.
    ///
    /// # Errors
    /// As [`Authority::new`].
    pub fn with_denied_commands(denied: DeniedCommands) -> Result<Self> {
        let (id, denied) = (hex(&random::<8>()?), Arc::new(denied));
        Ok(Self {
            root: RootToken::new(&id)?,
            root_grant: Arc::new(Grant::root().with_denied_commands(&denied)),
            anonymous_grant: Arc::new(Grant::anonymous().with_denied_commands(&denied)),
            denied,
            signer: TokenSigner::new(&id)?,
            grants: GrantTable::default(),
            id,
        })
    }

    /// The id of the daemon, which its tokens carry.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The root token, for the state file.
    pub fn root_token(&self) -> &str {
        self.root.expose()
    }

    /// Makes a token.
    ///
    /// # Errors
    /// A live token of this client exists.
    pub fn issue(self: &Arc<Self>, spec: GrantSpec) -> Result<IssuedToken> {
        self.issue_with_idle_timeout(spec, None)
    }

    /// Makes a token that ends also when `slide` has gone by without a call.
    ///
    /// # Errors
    /// A live token of this client exists.
    pub fn issue_with_idle_timeout(
        self: &Arc<Self>,
        spec: GrantSpec,
        slide: Option<Duration>,
    ) -> Result<IssuedToken> {
        let GrantSpec { audience, lifetime, .. } = spec;
        let capability = Capability {
            client: spec.client,
            kind: spec.kind,
            scopes: spec.scopes,
            hosts: spec.hosts,
            tabs: spec.tabs,
            session: spec.session,
            rate: spec.rate,
            delivery: spec.delivery,
        };
        let (token, jti) = self.signer.sign(&capability, audience, lifetime)?;
        let grant = Grant::temporary(capability, audience, lifetime).with_idle_timeout(slide);
        let grant = Arc::new(grant.with_denied_commands(&self.denied));
        self.grants.insert(jti.clone(), Arc::clone(&grant))?;
        Ok(IssuedToken { token, jti, grant, authority: Arc::clone(self) })
    }

    /// Ends the token of `client` now; tells whether there was one. Calls in
    /// flight and open streams end too.
    pub fn revoke(&self, client: &ClientId) -> bool {
        self.grants.revoke(client)
    }

    /// The clients that hold a token, without root.
    pub fn clients(&self) -> Vec<ClientId> {
        self.grants.clients()
    }

    /// The grant behind a token that came in at `listener`.
    ///
    /// # Errors
    /// On this machine each cause has its own reason. The tunnel is open
    /// to anonymous callers: it gives one answer for all, so that nobody learns whether
    /// a token was ever good.
    pub fn identify(&self, token: Option<&str>, listener: Listener) -> Result<Arc<Grant>> {
        let token =
            token.ok_or_else(|| Error::new(Reason::TokenMissing, "the call carries no token"))?;
        if listener == Listener::Tunnel && root_token::has_root_prefix(token) {
            // Reported of whatever looks like one, so that nobody learns whether it is.
            return Err(Error::new(Reason::RootDenied, "a root token is never taken here"));
        }
        self.look_up(token, listener).map_err(|error| match listener {
            Listener::Local | Listener::Skills | Listener::Dashboard | Listener::Gateway => error,
            Listener::Tunnel => claims::invalid_token(),
        })
    }

    /// The grant of whoever shows no token, where anonymous callers may call.
    pub(super) fn anonymous_grant(&self) -> &Arc<Grant> {
        &self.anonymous_grant
    }

    fn look_up(&self, token: &str, listener: Listener) -> Result<Arc<Grant>> {
        match (self.root.compare(token, &self.id), listener) {
            (RootTokenMatch::Same, Listener::Local) => return Ok(Arc::clone(&self.root_grant)),
            // A skill or a page that has got hold of it gets nowhere with it.
            (RootTokenMatch::Same, Listener::Skills | Listener::Dashboard | Listener::Gateway) => {
                return Err(claims::invalid_token());
            }
            (RootTokenMatch::Same, Listener::Tunnel) | (RootTokenMatch::OtherDaemon, _) => {
                return Err(claims::foreign_token());
            }
            (RootTokenMatch::Forged, _) => return Err(claims::invalid_token()),
            (RootTokenMatch::Other, _) => {}
        }
        let claims = self.signer.verify(token, listener)?;
        let grant = self.grants.get(&claims.jti)?;
        let for_here = grant.audience().is_some_and(|of| listener.audiences().contains(&of));
        if !for_here || grant.capability().client.as_str() != claims.sub {
            return Err(claims::invalid_token());
        }
        Ok(grant)
    }
}

impl IssuedToken {
    /// The grant behind it.
    pub fn grant(&self) -> &Arc<Grant> {
        &self.grant
    }

    /// The token.
    pub fn token(&self) -> &str {
        &self.token
    }
}

impl Drop for IssuedToken {
    fn drop(&mut self) {
        self.authority.grants.revoke_key(&self.jti);
    }
}

impl std::fmt::Debug for IssuedToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Minted").field("jti", &self.jti).finish_non_exhaustive()
    }
}
