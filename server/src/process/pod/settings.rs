//! What a pod reads from its environment. Whose it is comes later, by a call of the gateway.

use std::{env, net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use browse_base::{Error, HINT_KEY, Result};
use browse_fleet::{FleetIdentity, PodUid};
use browse_net::HostPolicy;
use browse_proto::Reason;
use browse_sessions::Sessions;

use crate::{
    fleet_sessions::{FleetSessions, FleetSessionsParts, StateObjects},
    session_state::StateKey,
};

/// Folder for what the daemon writes, where neither HOME nor BROWSE_HOME is set.
const DEFAULT_FOLDER: &str = "/tmp/browse";

const DEFAULT_LISTEN: &str = "0.0.0.0:7443";
const DEFAULT_HEALTH: &str = "0.0.0.0:7480";
const DEFAULT_TLS: &str = "/etc/browse/tls";
const DEFAULT_CAPACITY: usize = 10;
const DEFAULT_DRAIN: Duration = Duration::from_secs(25);
const DEFAULT_STATE_INTERVAL: Duration = Duration::from_secs(15);

/// Shortest and longest time between two saves of a session.
const STATE_INTERVALS: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(300)];

/// The settings of a pod.
pub struct PodSettings {
    /// Its uid, by the downward API.
    pub uid: PodUid,
    /// Where the gateway calls.
    pub listen: SocketAddr,
    /// Where probes and metrics are.
    pub health: SocketAddr,
    /// Sessions that it holds at most.
    pub capacity: usize,
    /// Time that running calls get when the pod is to end.
    pub drain_time: Duration,
    /// Hosts that its pages may visit.
    pub hosts: HostPolicy,
    tls: PathBuf,
    state: Option<StateSettings>,
}

/// Where the sessions of a pod are saved, so that another one can restore them.
struct StateSettings {
    url: String,
    key_file: PathBuf,
    interval: Duration,
}

impl PodSettings {
    /// Reads the variables `BROWSE_POD_*`.
    ///
    /// # Errors
    /// `SETTING_INVALID`.
    pub fn from_env() -> Result<Self> {
        Self::read(|name| env::var(name).ok())
    }

    fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let text = |name: &str, default: &str| variable(name).unwrap_or_else(|| default.to_owned());
        let address = |name: &str, default: &str| {
            let value = text(name, default);
            value.parse::<SocketAddr>().map_err(|_| invalid(name, &value, "an address with a port"))
        };
        let uid = text("BROWSE_POD_UID", "");
        let drain = variable("BROWSE_POD_DRAIN");
        let drain_time = match &drain {
            Some(value) => humantime::parse_duration(value)
                .map_err(|_| invalid("BROWSE_POD_DRAIN", value, "a time such as `25s`"))?,
            None => DEFAULT_DRAIN,
        };
        let capacity = match variable("BROWSE_POD_SESSIONS") {
            Some(value) => value.parse().ok().filter(|count| *count > 0).ok_or_else(|| {
                invalid("BROWSE_POD_SESSIONS", &value, "a number of sessions, at least 1")
            })?,
            None => DEFAULT_CAPACITY,
        };
        let hosts = text("BROWSE_POD_HOSTS", "");
        let patterns: Vec<&str> =
            hosts.split(',').map(str::trim).filter(|pattern| !pattern.is_empty()).collect();
        Ok(Self {
            hosts: HostPolicy::from_public_patterns(&patterns)
                .map_err(|_| invalid("BROWSE_POD_HOSTS", &hosts, "a list of hosts"))?,
            uid: PodUid::new(uid.as_str())
                .map_err(|_| invalid("BROWSE_POD_UID", &uid, "the uid of the pod"))?,
            listen: address("BROWSE_POD_LISTEN", DEFAULT_LISTEN)?,
            health: address("BROWSE_POD_HEALTH", DEFAULT_HEALTH)?,
            capacity,
            drain_time,
            tls: text("BROWSE_POD_TLS", DEFAULT_TLS).into(),
            state: StateSettings::read(&variable)?,
        })
    }

    /// The sessions that other pods can restore; none where the fleet has no object store.
    ///
    /// # Errors
    /// `SETTING_INVALID`, also for a store that ignores conditions of writes; `STATE_UNAVAILABLE`.
    pub async fn fleet_sessions(
        &self,
        sessions: &Arc<Sessions>,
    ) -> Result<Option<Arc<FleetSessions>>> {
        let Some(state) = &self.state else { return Ok(None) };
        let key = StateKey::mounted(&state.key_file)?;
        let objects = StateObjects::from_url(&state.url)?;
        objects.check_conditions().await?;
        Ok(Some(FleetSessions::new(FleetSessionsParts {
            sessions: Arc::clone(sessions),
            objects,
            key,
            pod: self.uid.clone(),
            interval: state.interval,
        })))
    }

    /// Flags for the daemon where the environment has no home for it.
    pub fn daemon_flags() -> Vec<String> {
        let folder = PathBuf::from(DEFAULT_FOLDER);
        let is_missing = |name: &str| env::var_os(name).is_none_or(|value| value.is_empty());
        let mut flags = Vec::new();
        if is_missing("BROWSE_HOME") && is_missing("HOME") {
            flags.push(format!("--home={}", folder.join("home").display()));
        }
        if is_missing("BROWSE_PROJECT") {
            flags.push(format!("--project={}", folder.join("project").display()));
        }
        flags
    }

    /// Its certificate.
    ///
    /// # Errors
    /// `CERTIFICATE_UNUSABLE`.
    pub fn identity(&self) -> Result<FleetIdentity> {
        FleetIdentity::read(&self.tls)
    }
}

impl StateSettings {
    fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Self>> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let Some(url) = set("BROWSE_POD_STATE") else { return Ok(None) };
        let key_file = set("BROWSE_POD_STATE_KEY_FILE").ok_or_else(|| {
            let name = "BROWSE_POD_STATE_KEY_FILE";
            let message = format!("`{name}` is not set, and BROWSE_POD_STATE is");
            Error::new(Reason::SettingInvalid, message)
                .with("setting", name)
                .with("place", "the environment")
                .with(HINT_KEY, "Mount a Secret with the key: `openssl rand -hex 32`")
        })?;
        let interval = match set("BROWSE_POD_STATE_INTERVAL") {
            Some(value) => {
                let interval = humantime::parse_duration(&value).ok();
                let [shortest, longest] = STATE_INTERVALS;
                interval.filter(|time| (shortest..=longest).contains(time)).ok_or_else(|| {
                    invalid("BROWSE_POD_STATE_INTERVAL", &value, "a time from 1s to 5m")
                })?
            }
            None => DEFAULT_STATE_INTERVAL,
        };
        Ok(Some(Self { url, key_file: key_file.into(), interval }))
    }
}

fn invalid(name: &str, value: &str, expected: &str) -> Error {
    let message = format!("`{}` is not {expected}", value.escape_debug());
    Error::new(Reason::SettingInvalid, message).with("setting", name).with("place", name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<PodSettings> {
        PodSettings::read(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn state_is_off_unless_there_is_a_store_with_a_key() {
        let read = |variables: &[(&str, &str)]| {
            let all = [&[("BROWSE_POD_UID", "a")][..], variables].concat();
            read(&all).map(|settings| settings.state)
        };
        assert!(read(&[]).expect("it is whole").is_none());
        let (url, key) =
            (("BROWSE_POD_STATE", "s3://b/p"), ("BROWSE_POD_STATE_KEY_FILE", "/etc/k"));
        let state = read(&[url, key]).expect("it is whole").expect("there is a store");
        assert_eq!((state.url.as_str(), state.interval), ("s3://b/p", DEFAULT_STATE_INTERVAL));
        for variables in [&[url][..], &[url, key, ("BROWSE_POD_STATE_INTERVAL", "10ms")]] {
            let error = read(variables).map(drop).expect_err("it is not whole");
            assert_eq!(error.reason(), Reason::SettingInvalid);
        }
    }

    #[test]
    fn a_pod_knows_its_uid_and_has_defaults_for_the_rest() {
        let settings = read(&[("BROWSE_POD_UID", "7a-1")]).expect("it is whole");
        assert_eq!((settings.uid.as_str(), settings.capacity), ("7a-1", DEFAULT_CAPACITY));
        assert_eq!(settings.listen.to_string(), DEFAULT_LISTEN);
        for (name, value) in [
            ("BROWSE_POD_UID", ""),
            ("BROWSE_POD_LISTEN", "7443"),
            ("BROWSE_POD_SESSIONS", "0"),
            ("BROWSE_POD_DRAIN", "soon"),
            ("BROWSE_POD_HOSTS", "a b"),
        ] {
            let error = read(&[("BROWSE_POD_UID", "a"), (name, value)]);
            // The later of two is not seen.
            let error = if name == "BROWSE_POD_UID" { read(&[(name, value)]) } else { error };
            let error = error.map(|_| ()).expect_err(name);
            assert_eq!(error.reason(), Reason::SettingInvalid, "{name}");
        }
    }
}
