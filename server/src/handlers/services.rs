//! The services of a listener.

use std::sync::Arc;

use browse_proto::v1::{
    browser_service_server::BrowserServiceServer, daemon_service_server::DaemonServiceServer,
    dashboard_service_server::DashboardServiceServer,
    domain_skill_service_server::DomainSkillServiceServer, pair_service_server::PairServiceServer,
    skill_service_server::SkillServiceServer,
};
use tonic::service::Routes;

use super::steps::STEP_HANDLERS;
use crate::{
    daemon::Daemon,
    dispatch::{MAX_MESSAGE_BYTES, StepHandlers},
};

/// What the generated glue is implemented for.
#[derive(Clone)]
pub struct Services {
    daemon: Arc<Daemon>,
}

impl Services {
    /// What admits a call: the daemon, and the handlers of its steps.
    pub(super) fn entry(&self) -> (&Arc<Daemon>, &'static StepHandlers) {
        (&self.daemon, &STEP_HANDLERS)
    }
}

/// All services of `daemon`, without a gate.
pub fn routes(daemon: Arc<Daemon>) -> Routes {
    let services = Services { daemon };
    let browser = BrowserServiceServer::new(services.clone());
    let daemon = DaemonServiceServer::new(services.clone());
    let skill = SkillServiceServer::new(services.clone());
    let notes = DomainSkillServiceServer::new(services.clone());
    let pair = PairServiceServer::new(services.clone());
    let dashboard = DashboardServiceServer::new(services);
    // What goes out is measured before, to say better what is too large.
    Routes::new(browser.max_decoding_message_size(MAX_MESSAGE_BYTES))
        .add_service(daemon.max_decoding_message_size(MAX_MESSAGE_BYTES))
        .add_service(skill.max_decoding_message_size(MAX_MESSAGE_BYTES))
        .add_service(notes.max_decoding_message_size(MAX_MESSAGE_BYTES))
        .add_service(pair.max_decoding_message_size(MAX_MESSAGE_BYTES))
        .add_service(dashboard.max_decoding_message_size(MAX_MESSAGE_BYTES))
}
