//! The attempts at a gateway with pods that are played: those record each call that comes to them.

use std::net::SocketAddr;

use browse_fleet::{GATE_NAME, POD_NAME};
use browse_gate::{login::LoginSettings, server};
use tokio_util::sync::CancellationToken;

use super::{
    Attempt, ExpectedAnswer, assert_distinct, headers,
    issuer::TenantIssuer,
    paths, raw,
    request::{AttemptRequest, Transport},
    sessions, tokens,
};
use crate::support::{FakePod, World};

/// Attempts at the gateway that there are at least.
const MIN_ATTEMPTS: usize = 40;

/// A session that `acme` alone has. Both tenants have one named `work`.
pub const VAULT: &str = "vault";

/// A command that needs a session and opens none.
pub const MEMORY: &str = "memory";

/// A fleet with two tenants: `acme`, and `beta` who attacks.
pub struct TwoTenants {
    pub world: World,
    pub issuer: TenantIssuer,
    /// The pod of `acme`.
    pub victim: FakePod,
    /// The pod of `beta`.
    pub attacker: FakePod,
    /// Where a replica has its metrics.
    pub probes: SocketAddr,
    /// A token of the pod of `acme`.
    pub pod_token: String,
    done: CancellationToken,
}

impl TwoTenants {
    async fn new() -> Self {
        let issuer = TenantIssuer::new();
        let world = World::with_login(10, &issuer.settings(), LoginSettings::default()).await;
        let victim = world.add_pod().await;
        let opened = world.call(0, "acme", "work", "goto").await;
        assert_eq!(opened.pod(), victim.uid(), "{opened:?}");
        let pod_token = opened.body["token"].as_str().expect("a token").to_owned();
        assert_eq!(world.call(0, "acme", VAULT, "goto").await.pod(), victim.uid());
        let attacker = world.add_pod().await;
        assert_eq!(world.call(0, "beta", "work", "goto").await.pod(), attacker.uid());
        let done = CancellationToken::new();
        let listener = server::bind(([127, 0, 0, 1], 0).into()).await.expect("a port");
        let probes = listener.local_addr().expect("an address");
        let gateway = std::sync::Arc::clone(&world.replicas[0].gateway);
        tokio::spawn(server::serve_probes(listener, gateway, done.clone(), done.clone()));
        Self { world, issuer, victim, attacker, probes, pod_token, done }
    }

    /// A command at the gateway.
    pub fn command(&self, session: &str, command: &str) -> AttemptRequest {
        AttemptRequest::command(self.world.replicas[0].address, session, command)
    }

    /// What only the pod of `acme` answers.
    pub fn proof(&self) -> String {
        self.victim.uid().to_owned()
    }

    /// The answer of the pod of `beta`.
    pub fn own(&self) -> ExpectedAnswer {
        ExpectedAnswer::Own(self.attacker.uid().to_owned())
    }

    /// A connection of the gateway to a pod.
    pub fn gateway_to_pod(&self) -> Transport {
        Transport::Tls { peer: POD_NAME, identity: self.world.gate_identity.clone() }
    }

    /// A connection of a replica to another one.
    pub fn gateway_to_replica(&self) -> Transport {
        Transport::Tls { peer: GATE_NAME, identity: self.world.gate_identity.clone() }
    }
}

impl Drop for TwoTenants {
    fn drop(&mut self) {
        self.done.cancel();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_attempt_at_the_gateway_reaches_another_tenant() {
    let tenants = TwoTenants::new().await;
    let attempts: Vec<Attempt> = [
        tokens::attempts(&tenants),
        sessions::attempts(&tenants),
        headers::attempts(&tenants),
        paths::attempts(&tenants),
        raw::attempts(&tenants),
    ]
    .into_iter()
    .flatten()
    .collect();
    assert_distinct(&attempts);
    assert!(attempts.len() >= MIN_ATTEMPTS, "{} attempts", attempts.len());
    let mut wrong = Vec::new();
    for attempt in &attempts {
        let before = tenants.victim.calls().len();
        wrong.extend(attempt.check_attack().await);
        if tenants.victim.calls().len() != before {
            wrong.push(format!("{}: the pod of `acme` was called", attempt.name));
        }
        wrong.extend(attempt.check_control().await);
    }
    assert!(wrong.is_empty(), "{} attempts:\n{}", attempts.len(), wrong.join("\n"));
    assert_eq!(tenants.victim.tenant().as_deref(), Some("acme"));
}
