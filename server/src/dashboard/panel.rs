//! What the side panel of a window may do: as much as a dashboard in one session, and decide
//! what waits for the owner.

use std::{sync::Arc, time::Duration};

use browse_base::Result;
use browse_net::HostPolicy;
use browse_policy::{
    Audience, ClientId, ClientKind, Delivery, GrantSpec, IssuedToken, Rate, Scopes, SessionRule,
    TabPolicy, layer::OriginCheck,
};
use browse_proto::Scope;
use serde_json::json;

use super::{
    DashboardListener, DashboardServices,
    listener::MAX_CALLS_PER_SECOND,
    panel_bridge::{PanelBridge, PanelTokens},
};

/// The scopes of a dashboard whose link names none.
const PANEL_SCOPES: [Scope; 3] = [Scope::Read, Scope::Write, Scope::Meta];

/// What approvals need. The token that has it is used for nothing else.
const APPROVAL_SCOPES: [Scope; 1] = [Scope::Control];

/// The longest that a panel is good. It ends with its window.
const MAX_PANEL_LIFETIME: Duration = Duration::from_secs(30 * 24 * 3600);

/// The grants of the panel of one window. Dropping them revokes them.
pub struct PanelAccess {
    _tokens: [IssuedToken; 2],
    bridge: Arc<PanelBridge>,
}

impl PanelAccess {
    /// What serves the documents of the panel.
    pub fn bridge(&self) -> &Arc<PanelBridge> {
        &self.bridge
    }
}

impl DashboardListener {
    /// Gives the panel of a window what it may do in `session`. No listener is opened.
    ///
    /// # Errors
    /// `DASHBOARD_MISSING`; the session has a panel.
    pub async fn open_panel(
        &self,
        session: &str,
        services: DashboardServices,
    ) -> Result<PanelAccess> {
        self.page()?;
        let main = self.issue_panel_token(&format!("panel:{session}"), session, &PANEL_SCOPES)?;
        let approvals = self.issue_panel_token(
            &format!("panel:{session}:approvals"),
            session,
            &APPROVAL_SCOPES,
        )?;
        let tokens =
            PanelTokens { main: main.token().to_owned(), approvals: approvals.token().to_owned() };
        // What the page has of a link, without a token: it needs none.
        let welcome = json!({
            "kind": "welcome",
            "session": session,
            "token": "",
            "scopes": Scopes::of(&PANEL_SCOPES).names(),
            "approves": true,
            "read_only": false,
            "expires_at": "",
            "version": self.version(),
            "build_id": self.build_id(),
        });
        let services = services(OriginCheck::Any).await?;
        let bridge = Arc::new(PanelBridge::new(services, tokens, welcome));
        Ok(PanelAccess { _tokens: [main, approvals], bridge })
    }

    fn issue_panel_token(
        &self,
        client: &str,
        session: &str,
        scopes: &[Scope],
    ) -> Result<IssuedToken> {
        self.authority().issue(GrantSpec {
            client: ClientId::new(client)?,
            audience: Audience::Dashboard,
            kind: ClientKind::Dashboard,
            scopes: Scopes::of(scopes),
            hosts: HostPolicy::Any,
            tabs: TabPolicy::Session,
            session: SessionRule::Only(session.to_owned()),
            rate: Rate::PerSecond(MAX_CALLS_PER_SECOND),
            delivery: Delivery::Raw,
            lifetime: MAX_PANEL_LIFETIME,
        })
    }
}
