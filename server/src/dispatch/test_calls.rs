//! Calls of a daemon without a browser, for laws over the registry.

use std::sync::Arc;

use browse_proto::Command;
use futures::FutureExt as _;

use super::{CallContext, StepHandlers, call_metadata::CallMetadata};
use crate::{
    daemon::{Daemon, DaemonParts},
    settings::SettingsReader,
};
use browse_policy::{Authority, Grant, Listener};
use browse_sessions::Sessions;

/// No call of a test runs steps.
static NO_STEPS: StepHandlers = StepHandlers {
    run: |_, _| std::future::pending().boxed(),
    save: |_, _| std::future::pending().boxed(),
};

/// A daemon without a browser, whose project and home are `folder`.
pub fn daemon(folder: &tempfile::TempDir) -> Arc<Daemon> {
    let flag = |name: &str| format!("--{name}={}", folder.path().display());
    let flags = [flag("project"), flag("home"), "--keychain=false".to_owned()];
    let reader = SettingsReader::new(&flags, |_| None).expect("flags");
    Daemon::new(DaemonParts {
        settings: reader.read().expect("settings"),
        address: "127.0.0.1:4000".parse().expect("an address"),
        build_id: "test".to_owned(),
        authority: Arc::new(Authority::new().expect("random numbers")),
        sessions: Sessions::new(),
        fleet_sessions: None,
        guardian: None,
        notice: None,
        services: |_, _, _| std::future::pending().boxed(),
    })
}

/// A call of `command` by root.
pub fn call(daemon: &Arc<Daemon>, command: &'static Command, raw: bool) -> Arc<CallContext> {
    let authority = daemon.authority();
    let grant = authority.identify(Some(authority.root_token()), Listener::Local);
    let metadata = CallMetadata { wants_raw: raw, ..CallMetadata::default() };
    context(daemon, &grant.expect("root"), (command, Listener::Local), metadata)
}

/// A call of `command` by the holder of `grant`.
pub fn call_by(
    daemon: &Arc<Daemon>,
    grant: &Arc<Grant>,
    command: &'static Command,
    listener: Listener,
) -> Arc<CallContext> {
    context(daemon, grant, (command, listener), CallMetadata::default())
}

fn context(
    daemon: &Arc<Daemon>,
    grant: &Arc<Grant>,
    (command, listener): (&'static Command, Listener),
    metadata: CallMetadata,
) -> Arc<CallContext> {
    let permit = browse_policy::check(grant, command, listener).expect("a permit");
    Arc::new(CallContext::new(Arc::clone(daemon), &NO_STEPS, permit, metadata))
}
