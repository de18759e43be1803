//! The services of a listener.

use std::sync::Arc;

use browse_proto::v1::{
    browser_service_server::BrowserServiceServer, daemon_service_server::DaemonServiceServer,
    skill_service_server::SkillServiceServer,
};
use tonic::service::Routes;

use super::run::MOST_BYTES;
use crate::daemon::Daemon;

/// What the generated glue is implemented for.
#[derive(Clone)]
pub struct Services {
    daemon: Arc<Daemon>,
}

impl Services {
    pub(super) fn daemon(&self) -> &Arc<Daemon> {
        &self.daemon
    }
}

/// All services of `daemon`, without a gate.
pub fn routes(daemon: Arc<Daemon>) -> Routes {
    let services = Services { daemon };
    let browser = BrowserServiceServer::new(services.clone())
        .max_decoding_message_size(MOST_BYTES)
        .max_encoding_message_size(MOST_BYTES);
    Routes::new(browser)
        .add_service(DaemonServiceServer::new(services.clone()))
        .add_service(SkillServiceServer::new(services))
}
