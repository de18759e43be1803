//! What becomes of the tabs of an agent that is sent away.

use std::sync::Arc;

use crate::{
    daemon::Daemon,
    handlers::dashboard::end_if_holder_is_gone,
    pairing::{PairingEntry, PairingKind},
};
use browse_policy::{ClientId, Grant};
use browse_sessions::{Session, Tab};

/// What becomes of the tabs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TabDisposition {
    /// Those of a session of its own are closed with it, others the owner's.
    #[default]
    Auto,
    /// The owner's.
    Released,
    /// Closed.
    Closed,
}

/// How many tabs were closed and released.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TabDispositionCounts {
    /// Closed ones.
    pub closed: usize,
    /// Those that are the owner's now.
    pub released: usize,
}

/// Ends what is left of a pairing whose row was taken out, and the listener
/// with the last of them.
pub async fn clean_up_pairing(
    daemon: &Arc<Daemon>,
    row: PairingEntry,
    disposition: TabDisposition,
) -> TabDispositionCounts {
    let mut count = TabDispositionCounts::default();
    for session in sessions_of(daemon, &row) {
        let disposed = dispose_tabs(daemon, &session, &row, disposition).await;
        count.closed += disposed.closed;
        count.released += disposed.released;
        // A person whose dashboard ended does not hold it any more.
        end_if_holder_is_gone(daemon, &session).await;
    }
    if daemon.pairings().is_empty() {
        daemon.tunnel().close_if_unused().await;
    }
    daemon.reset_idle_timer();
    count
}

async fn dispose_tabs(
    daemon: &Daemon,
    session: &Session,
    row: &PairingEntry,
    disposition: TabDisposition,
) -> TabDispositionCounts {
    let owned = tabs_of(session, &row.terms.client);
    if row.own_session && disposition != TabDisposition::Released {
        let closed = session.tabs().len();
        if let Err(error) = daemon.sessions().close(session.name()).await {
            tracing::debug!(%error, session = session.name(), "a pairing's session was gone");
        }
        return TabDispositionCounts { closed, released: 0 };
    }
    // First of all they are the agent's no more, whatever comes of closing them.
    owned.iter().for_each(|tab| tab.set_owner(&ClientId::root()));
    if disposition != TabDisposition::Closed {
        return TabDispositionCounts { closed: 0, released: owned.len() };
    }
    let mut count = TabDispositionCounts::default();
    for tab in owned {
        match session.close_tab(tab.id()).await {
            Ok(_) => count.closed += 1,
            Err(error) => {
                tracing::debug!(%error, tab = tab.id(), "a tab of a pairing was not closed");
                count.released += 1;
            }
        }
    }
    count
}

/// The sessions in which a pairing may have tabs: that of an agent, and all for a dashboard.
pub fn sessions_of(daemon: &Daemon, row: &PairingEntry) -> Vec<Arc<Session>> {
    match row.terms.kind {
        PairingKind::Agent => daemon.sessions().get(&row.session).into_iter().collect(),
        PairingKind::Dashboard => daemon.sessions().all(),
    }
}

/// The tabs of `session` that `client` opened.
pub fn tabs_of(session: &Session, client: &ClientId) -> Vec<Arc<Tab>> {
    session.tabs().into_iter().filter(|tab| tab.owner() == *client).collect()
}

/// Tidies up when the grant of the pairing `name` ends by itself.
pub fn watch_grant(daemon: &Arc<Daemon>, name: ClientId, serial: u64, grant: Arc<Grant>) {
    let daemon = Arc::downgrade(daemon);
    tokio::spawn(async move {
        grant.wait_until_ended().await;
        let Some(daemon) = daemon.upgrade() else { return };
        if let Some(row) = daemon.pairings().remove_if_ended(&name, serial) {
            tracing::info!(%name, "a pairing has ended");
            clean_up_pairing(&daemon, row, TabDisposition::Auto).await;
        }
    });
}
