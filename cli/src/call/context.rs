//! What travels beside a request: who asks, for which tab, until when.

use std::{path::Path, time::Duration};

use browse_proto::metadata;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use tonic::metadata::{Ascii, MetadataMap, MetadataValue};

use crate::{caller, connect::ConnectedDaemon, globals::Globals};

/// What a path may hold as it is.
const PATH_CHARACTERS: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'_').remove(b'-').remove(b'~');

/// Bytes of one value: a daemon closes the connection above 16 KiB of headers in all.
const MAX_VALUE_BYTES: usize = 12 << 10;

/// The context of a call.
#[derive(Clone, Debug, Default)]
pub struct InvocationContext {
    token: Option<String>,
    tab: Option<u64>,
    session: Option<String>,
    scopes: Option<&'static str>,
    /// The fleet whose browser a skill drives that the daemon of the project runs.
    fleet: Option<String>,
    directory: Option<String>,
    caller: Option<String>,
    traceparent: Option<String>,
    raw: bool,
    /// Time that the daemon has; none on a stream without end.
    pub timeout: Option<Duration>,
}

impl InvocationContext {
    /// The context of a call to `daemon`. Our working directory is nobody's
    /// business on another machine.
    pub fn new(
        globals: &Globals,
        daemon: &ConnectedDaemon,
        directory: &Path,
        timeout: Option<Duration>,
    ) -> Self {
        use std::os::unix::ffi::OsStrExt as _;
        let directory =
            percent_encode(directory.as_os_str().as_bytes(), PATH_CHARACTERS).to_string();
        let is_local = daemon.expected_identity.is_none() && daemon.address.is_local();
        Self {
            token: daemon.token.clone(),
            tab: globals.tab,
            session: globals.session.clone(),
            scopes: globals.scopes,
            // A daemon of this machine is called for a remote in this case alone.
            fleet: globals.remote.clone().filter(|_| is_local),
            directory: is_local.then_some(directory),
            // Who names a session knows which one it uses.
            caller: (is_local && globals.session.is_none())
                .then(caller::nearest_lasting_ancestor)
                .flatten(),
            traceparent: globals.traceparent.clone(),
            raw: globals.raw,
            timeout,
        }
    }

    /// Writes the metadata. A value that no header can carry names nothing
    /// that exists, and the daemon says so when it gets an empty one.
    pub fn write_metadata(&self, into: &mut MetadataMap) {
        let mut put = |name: &'static str, value: &str| {
            let value = Some(value).filter(|value| value.len() <= MAX_VALUE_BYTES);
            let value = value.and_then(|value| value.parse::<MetadataValue<Ascii>>().ok());
            into.insert(name, value.unwrap_or_else(|| MetadataValue::from_static("")));
        };
        if let Some(token) = &self.token {
            put(metadata::AUTHORIZATION, &format!("Bearer {token}"));
        }
        if let Some(tab) = self.tab {
            put(metadata::TAB, &tab.to_string());
        }
        if let Some(session) = &self.session {
            put(metadata::SESSION, session);
        }
        if let Some(scopes) = self.scopes {
            put(metadata::SCOPES, scopes);
        }
        if let Some(fleet) = &self.fleet {
            put(metadata::REMOTE, fleet);
        }
        if let Some(directory) = &self.directory {
            put(metadata::CWD, directory);
        }
        if let Some(traceparent) = &self.traceparent {
            put(metadata::TRACEPARENT, traceparent);
        }
        if let Some(caller) = &self.caller {
            put(metadata::CALLER, caller);
        }
        if self.raw {
            put(metadata::CONTENT, "raw");
        }
    }
}
