//! The attempts at two pods of `browsed --pod`, each with its browser: past the gateway, and with
//! the numbers of what the other tenant has.

use std::net::SocketAddr;

use browse_fleet::{
    CLOSE_PATH, GATE_NAME, POD_HEADER, POD_NAME, STATUS_PATH, TENANT_HEADER, TOKEN_PATH,
};
use browse_proto::metadata;
use http::Method;
use serde_json::{Value, json};

use super::{
    Attempt, ExpectedAnswer, assert_distinct, identifiers,
    played::VAULT,
    request::{AttemptRequest, Transport},
};
use crate::{
    real_pods::RealPod,
    support::{World, send},
};

/// Attempts at pods that there are at least.
const MIN_ATTEMPTS: usize = 25;

/// A command that every pod answers.
const SESSION_LIST: &str = "session list";

/// Text of the page that `acme` has open.
pub const SECRET: &str = "Open the vault";

const NO_POD: ExpectedAnswer = ExpectedAnswer::Refused(403, "POD_MISMATCH");

/// A fleet with the pods of two tenants: `acme`, and `beta` who attacks.
pub struct TwoPods {
    pub world: World,
    /// The pod of `acme`.
    pub victim: RealPod,
    /// The pod of `beta`.
    attacker: RealPod,
    /// The tab of `acme` with its page, which `beta` has none of this number.
    pub tab: u64,
    /// A ref of an element of that page.
    pub element: String,
}

impl TwoPods {
    async fn new() -> Self {
        let world = World::keeping_sessions(10).await;
        let (victim, attacker) = tokio::join!(
            RealPod::start("victim", &world.pod_identity, &[]),
            RealPod::start("attacker", &world.pod_identity, &[]),
        );
        world.cluster.add_pod(victim.record.clone());
        let mut pods = Self { world, victim, attacker, tab: 0, element: String::new() };
        let page = format!("<title>Vault of acme</title><p>{SECRET}</p><button>Go</button>");
        for tab in ["first", "second", "third"] {
            let opened = pods.must("acme", VAULT, "newtab", &json!({})).await;
            // JSON has numbers of 64 bits as text.
            let number = opened["tab_id"].as_str().and_then(|number| number.parse().ok());
            pods.tab = number.or(opened["tab_id"].as_u64()).expect(tab);
        }
        pods.must("acme", VAULT, "load-html", &json!({ "html": page })).await;
        let snapshot = pods.must("acme", VAULT, "snapshot", &json!({ "interactive": true })).await;
        pods.element = first_ref(&snapshot["tree"].to_string());
        let cookie = json!({ "cookie": "vaultcookie=1", "domain": "example.com" });
        pods.must("acme", VAULT, "cookie", &cookie).await;
        pods.must("acme", VAULT, "network har start", &json!({})).await;
        for session in ["spare", "closing"] {
            pods.must("acme", session, "session new", &json!({ "name": session })).await;
        }
        pods.world.cluster.add_pod(pods.attacker.record.clone());
        let own = json!({ "html": "<title>Own</title>Own page" });
        pods.must("beta", "work", "load-html", &own).await;
        pods
    }

    async fn must(&self, tenant: &str, session: &str, command: &str, body: &Value) -> Value {
        let address = self.world.replicas[0].address;
        let answer = send(address, tenant, session, command, body, &[]).await;
        assert_eq!(answer.reason(), "ok", "{command}: {answer:?}");
        answer.body
    }

    /// Where the pod of `acme` takes calls.
    fn address(&self) -> SocketAddr {
        self.victim.record.address.expect("an address")
    }

    fn gateway(&self) -> Transport {
        Transport::Tls { peer: POD_NAME, identity: self.world.gate_identity.clone() }
    }

    /// A token of a pod, as the gateway gets one.
    async fn token_of(&self, pod: &RealPod, tenant: &str, session: Value) -> String {
        let request =
            AttemptRequest::new(pod.record.address.expect("an address"), Method::POST, TOKEN_PATH);
        let message = token_request(tenant, pod.record.uid.as_str(), session);
        let reply = request.with_message(&message).over(self.gateway()).send().await;
        let text = reply.expect("an answer").text;
        let answer: Value = serde_json::from_str(&text).expect(&text);
        answer["token"].as_str().expect(&text).to_owned()
    }
}

/// What the gateway asks a pod for a token.
fn token_request(tenant: &str, pod: &str, session: Value) -> Value {
    json!({
        "tenant": tenant,
        "pod": pod,
        "subject": "ann",
        "scopes": ["read", "write", "meta", "admin", "control"],
        "session": session,
    })
}

/// The first ref in a snapshot.
fn first_ref(tree: &str) -> String {
    let begin = tree.find("@e").expect("a ref");
    let digits = tree[begin + 2..].chars().take_while(char::is_ascii_digit);
    format!("@e{}", digits.collect::<String>())
}

/// Connections of callers that are not the gateway.
fn connections(pods: &TwoPods) -> Vec<Attempt> {
    let status = AttemptRequest::new(pods.address(), Method::GET, STATUS_PATH);
    let world = &pods.world;
    let with = |identity| Transport::Tls { peer: POD_NAME, identity };
    let anonymous = Transport::Anonymous { peer: POD_NAME, trusts: world.gate_identity.clone() };
    let rows = [
        ("a connection without TLS", "the port is open to the network", Transport::Plain),
        ("a caller without a certificate", "TLS, and nobody says who calls", anonymous),
        (
            "the certificate of a pod",
            "who breaks out of a browser has it",
            with(world.pod_identity.clone()),
        ),
        (
            "a certificate for another name",
            "the authority of the fleet has signed it",
            with(world.certificate_for("client.browse.internal")),
        ),
        (
            "a certificate of one's own for the gateway",
            "another authority has signed it",
            with(world.foreign_certificate_for(GATE_NAME)),
        ),
    ];
    let attempts = rows.into_iter().map(|(name, how, transport)| Attempt {
        name,
        how,
        attack: status.clone().over(transport),
        control: status.clone().over(pods.gateway()),
        proof: pods.victim.record.uid.to_string(),
        expected: ExpectedAnswer::NoAnswer,
    });
    attempts.collect()
}

/// Calls with the certificate of the gateway, as a gateway with a mistake would make them.
async fn calls(pods: &TwoPods) -> Vec<Attempt> {
    let any = json!("any");
    let token = pods.token_of(&pods.victim, "acme", any.clone()).await;
    let of_work = json!({ "only": "work" });
    let narrow = pods.token_of(&pods.victim, "acme", of_work).await;
    let of_beta = pods.token_of(&pods.attacker, "beta", any).await;
    let uid = pods.victim.record.uid.as_str();
    let call = |command: &str| {
        AttemptRequest::command(pods.address(), VAULT, command)
            .over(pods.gateway())
            .with(POD_HEADER, uid)
            .with(TENANT_HEADER, "acme")
            .token(&token)
    };
    let attempt = |name, how, attack: AttemptRequest, expected| Attempt {
        name,
        how,
        attack,
        control: call(SESSION_LIST),
        proof: format!("\"{VAULT}\""),
        expected,
    };
    let list = || call(SESSION_LIST);
    let other = pods.attacker.record.uid.as_str();
    vec![
        attempt(
            "a call for another tenant",
            "its header is not looked at",
            list().with(TENANT_HEADER, "beta"),
            NO_POD,
        ),
        attempt(
            "a call for a tenant in capitals",
            "names have no case",
            list().with(TENANT_HEADER, "ACME"),
            NO_POD,
        ),
        attempt(
            "a call for no tenant",
            "an empty header counts as absent",
            list().with(TENANT_HEADER, ""),
            NO_POD,
        ),
        attempt(
            "a call for another pod",
            "its address was used again",
            list().with(POD_HEADER, other),
            NO_POD,
        ),
        attempt(
            "a call for no pod",
            "an empty header counts as absent",
            list().with(POD_HEADER, ""),
            NO_POD,
        ),
        attempt(
            "the token of another pod",
            "one pod takes what another one has given out",
            list().token(&of_beta),
            ExpectedAnswer::Refused(401, "TOKEN_FOREIGN"),
        ),
        attempt(
            "a token of the edge at a pod",
            "the gateway passes on what it gets",
            list().token("acme-key"),
            ExpectedAnswer::Refused(401, "TOKEN_INVALID"),
        ),
        attempt(
            "two sessions at a pod",
            "the first one is checked, and the second one used",
            list().with(metadata::SESSION, "work").with_another(metadata::SESSION, VAULT),
            ExpectedAnswer::Refused(400, "ARGUMENT_INVALID"),
        ),
        Attempt {
            name: "a token of one session at a pod",
            how: "the gateway lets the call pass",
            attack: call("text").token(&narrow),
            control: call("text"),
            proof: SECRET.to_owned(),
            expected: ExpectedAnswer::Refused(403, "SESSION_DENIED"),
        },
    ]
}

/// What the gateway asks a pod itself.
fn control_requests(pods: &TwoPods) -> Vec<Attempt> {
    let uid = pods.victim.record.uid.as_str();
    let other = pods.attacker.record.uid.as_str();
    let post = |path, message: &Value| {
        let request = AttemptRequest::new(pods.address(), Method::POST, path);
        request.with_message(message).over(pods.gateway())
    };
    let token = |tenant, pod| post(TOKEN_PATH, &token_request(tenant, pod, json!("any")));
    let close = |pod| post(CLOSE_PATH, &json!({ "pod": pod, "session": "closing" }));
    let at_probes = |request: AttemptRequest| request.to(pods.victim.health).over(Transport::Plain);
    let status = AttemptRequest::new(pods.address(), Method::GET, STATUS_PATH).over(pods.gateway());
    let attempt = |name, how, attack, control, proof: &str, expected| Attempt {
        name,
        how,
        attack,
        control,
        proof: proof.to_owned(),
        expected,
    };
    let own = || token("acme", uid);
    vec![
        attempt(
            "a second tenant",
            "the pod is given once more",
            token("beta", uid),
            own(),
            "\"token\"",
            NO_POD,
        ),
        attempt(
            "a token of another pod",
            "its address was used again",
            token("acme", other),
            own(),
            "\"token\"",
            NO_POD,
        ),
        attempt(
            "the end of a session in another pod",
            "its address was used again",
            close(other),
            close(uid),
            uid,
            NO_POD,
        ),
        attempt(
            "a token at the port of probes",
            "it needs no certificate",
            at_probes(own()),
            own(),
            "\"token\"",
            ExpectedAnswer::Status(405),
        ),
        attempt(
            "the sessions at the port of probes",
            "it needs no certificate",
            at_probes(status.clone()),
            status,
            uid,
            ExpectedAnswer::Status(404),
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn no_attempt_at_a_pod_reaches_another_tenant() {
    let pods = TwoPods::new().await;
    let mut attempts = connections(&pods);
    attempts.extend(calls(&pods).await);
    attempts.extend(control_requests(&pods));
    attempts.extend(identifiers::attempts(&pods));
    assert_distinct(&attempts);
    assert!(attempts.len() >= MIN_ATTEMPTS, "{} attempts", attempts.len());
    let mut wrong = Vec::new();
    for attempt in &attempts {
        wrong.extend(attempt.check_attack().await);
        wrong.extend(attempt.check_control().await);
    }
    assert!(wrong.is_empty(), "{} attempts:\n{}", attempts.len(), wrong.join("\n"));
}
