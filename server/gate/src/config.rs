//! The file with the settings of the gateway.

use std::{
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use browse_base::{Error, HINT_KEY, Result};
use browse_proto::Reason;
use serde::Deserialize;

use crate::{
    auth::AuthSettings, login::LoginSettings, placement::PlacementSettings, traces::TraceSettings,
};

/// The settings.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateConfig {
    /// Where clients call: HTTP/1.1 and HTTP/2, without TLS unless `public_tls` is set.
    pub listen: SocketAddr,
    /// Where the other replicas call, by mutual TLS.
    pub control: SocketAddr,
    /// Where probes and metrics are.
    pub health: SocketAddr,
    /// Folder with `tls.crt`, `tls.key` and `ca.crt` of the fleet.
    pub tls: PathBuf,
    /// Folder with `tls.crt` and `tls.key` for clients; none where something in front has TLS.
    #[serde(default)]
    pub public_tls: Option<PathBuf>,
    /// The URL at which clients reach the gateway, for the addresses that `cdp-url` gives out;
    /// without it, that of the call counts.
    #[serde(default)]
    pub public_url: Option<String>,
    /// Port of the pods.
    #[serde(default = "default_pod_port")]
    pub pod_port: u16,
    /// Sessions of one tenant in a pod.
    #[serde(default = "default_sessions_per_pod")]
    pub sessions_per_pod: usize,
    /// Time without a session after which the pod of a tenant is deleted.
    #[serde(default = "default_empty_pod_time", deserialize_with = "crate::duration::from_text")]
    pub empty_pod_time: Duration,
    /// Time without a call after which a session is closed.
    #[serde(
        default = "default_idle_session_time",
        deserialize_with = "crate::duration::from_text"
    )]
    pub idle_session_time: Duration,
    /// Whether the pods save their sessions in an object store: one whose pod ends is restored on
    /// another one.
    #[serde(default)]
    pub restore_sessions: bool,
    /// Time that running calls get when the gateway is to end.
    #[serde(default = "default_drain_time", deserialize_with = "crate::duration::from_text")]
    pub drain_time: Duration,
    /// Whether each call is a line of the log.
    #[serde(default)]
    pub access_log: bool,
    /// The cluster.
    pub cluster: ClusterConfig,
    /// Who may call.
    pub auth: AuthSettings,
    /// How the command line signs in.
    #[serde(default)]
    pub login: LoginSettings,
    /// Where traces go; without it, there are none.
    #[serde(default)]
    pub traces: Option<TraceSettings>,
}

/// The settings about the cluster.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClusterConfig {
    /// Namespace of the fleet.
    pub namespace: String,
    /// Value of the label `browse.dev/pod` of its pods, and of `browse.dev/pool` of the warm ones.
    pub fleet: String,
    /// The Lease by which a replica leads.
    pub lease: String,
    /// Deployment of the gateway: pods with a tenant are deleted with it.
    #[serde(default)]
    pub owner: Option<String>,
    /// Where pods come from agent-sandbox; without it, they are those of a Deployment.
    #[serde(default)]
    pub sandbox: Option<SandboxConfig>,
}

/// The settings about agent-sandbox.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SandboxConfig {
    /// The SandboxWarmPool.
    pub warm_pool: String,
    /// Time in which a claim has to get a pod that is ready. Then it is given up.
    #[serde(default = "default_claim_time", deserialize_with = "crate::duration::from_text")]
    pub claim_time: Duration,
    /// Claims that may wait for their pod at a time.
    #[serde(default = "default_waiting_claims")]
    pub waiting_claims: usize,
}

impl GateConfig {
    /// Reads the file.
    ///
    /// # Errors
    /// `SETTING_INVALID`.
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path)
            .map_err(|error| invalid(path, &format!("it cannot be read: {error}")))?;
        let config = Self::parse(&text).map_err(|error| invalid(path, &error))?;
        Ok(config)
    }

    fn parse(text: &str) -> std::result::Result<Self, String> {
        let config: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        let waiting_claims = config.cluster.sandbox.as_ref().map(|sandbox| sandbox.waiting_claims);
        match (config.sessions_per_pod, waiting_claims) {
            (0, _) => Err("`sessions_per_pod` is at least 1".to_owned()),
            (_, Some(0)) => Err("`waiting_claims` is at least 1".to_owned()),
            _ => Ok(config),
        }
    }

    /// The settings of the placement.
    pub fn placement(&self) -> PlacementSettings {
        PlacementSettings {
            sessions_per_pod: self.sessions_per_pod,
            empty_pod_time: self.empty_pod_time,
            idle_session_time: self.idle_session_time,
        }
    }
}

fn default_pod_port() -> u16 {
    7443
}

fn default_sessions_per_pod() -> usize {
    10
}

fn default_empty_pod_time() -> Duration {
    Duration::from_secs(30)
}

fn default_idle_session_time() -> Duration {
    Duration::from_secs(30 * 60)
}

fn default_claim_time() -> Duration {
    Duration::from_secs(60)
}

fn default_waiting_claims() -> usize {
    20
}

fn default_drain_time() -> Duration {
    Duration::from_secs(30)
}

fn invalid(path: &Path, why: &str) -> Error {
    let message = format!("`{}`: {}", path.display(), why.trim_end());
    Error::new(Reason::SettingInvalid, message)
        .with("setting", "config")
        .with("place", path.display())
        .with(HINT_KEY, "Fix the file; docs/fleet.md has each setting")
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"
        listen = "0.0.0.0:8080"
        control = "0.0.0.0:7444"
        health = "0.0.0.0:7481"
        tls = "/etc/browse/tls"
        [cluster]
        namespace = "browse"
        fleet = "browse"
        lease = "browse-gate"
        [auth]
        api_keys = "/etc/browse/keys.toml"
    "#;

    #[test]
    fn what_is_left_out_has_a_default() {
        let config = GateConfig::parse(WHOLE).expect("it is whole");
        assert_eq!((config.pod_port, config.sessions_per_pod), (7443, 10));
        assert_eq!(config.empty_pod_time, Duration::from_secs(30));
        assert!(!config.restore_sessions && !config.access_log && config.traces.is_none());
    }

    #[test]
    fn mistakes_are_named() {
        for (change, named) in [
            ("sessions_per_pod = 0\n", "sessions_per_pod"),
            ("empty_pod_time = \"soon\"\n", "soon"),
            ("lisen = 1\n", "lisen"),
        ] {
            let error = GateConfig::parse(&format!("{change}{WHOLE}")).expect_err(change);
            assert!(error.contains(named), "{error}");
        }
        assert!(GateConfig::parse("").is_err());
    }

    #[test]
    fn pods_come_from_agent_sandbox_where_its_pool_is_named() {
        assert!(GateConfig::parse(WHOLE).expect("it is whole").cluster.sandbox.is_none());
        let with = |more: &str| {
            GateConfig::parse(&format!("{WHOLE}\n[cluster.sandbox]\nwarm_pool = \"p\"\n{more}"))
        };
        let sandbox = with("").expect("it is whole").cluster.sandbox.expect("it is set");
        assert_eq!((sandbox.warm_pool.as_str(), sandbox.waiting_claims), ("p", 20));
        assert_eq!(sandbox.claim_time, Duration::from_secs(60));
        let error = with("waiting_claims = 0").expect_err("none could wait");
        assert!(error.contains("waiting_claims"), "{error}");
    }
}
