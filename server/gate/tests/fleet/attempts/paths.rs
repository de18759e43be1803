//! Paths and ports: what only other parts of the fleet may call.

use browse_fleet::{
    CLOSE_PATH, CallerRole, CloseRequest, GATE_NAME, PLACE_PATH, PlaceRequest, PodUid,
    RELEASE_PATH, ReleaseRequest, STATUS_PATH, SessionScope, TOKEN_PATH, Tenant, TenantQuota,
    TokenRequest,
};
use http::Method;
use serde_json::json;

use super::{
    Attempt, ExpectedAnswer,
    played::{MEMORY, TwoTenants, VAULT},
    request::{AttemptRequest, Transport},
};

const NO_METHOD: ExpectedAnswer = ExpectedAnswer::Refused(501, "METHOD_UNKNOWN");

/// The attempts.
pub fn attempts(tenants: &TwoTenants) -> Vec<Attempt> {
    [other_targets(tenants), ports_of_pods(tenants), ports_of_replicas(tenants)]
        .into_iter()
        .flatten()
        .collect()
}

/// Targets that another reader could take for others.
fn other_targets(tenants: &TwoTenants) -> Vec<Attempt> {
    let request = tenants.command(VAULT, MEMORY);
    let pod = tenants.victim.address;
    let attempt = |name, how, change: &dyn Fn(&str) -> String, expected| Attempt {
        name,
        how,
        attack: request.clone().with_target(change).token("beta-key"),
        control: request.clone().token("acme-key"),
        proof: tenants.proof(),
        expected,
    };
    let metrics = |address| AttemptRequest::new(address, Method::GET, "/metrics");
    vec![
        attempt(
            "a path with escaped letters",
            "`%2e%2e` is a folder up",
            &|path: &str| format!("/browse.v1.DaemonService/%2e%2e{path}"),
            NO_METHOD,
        ),
        attempt(
            "a path below a tenant",
            "it names `acme`",
            &|path: &str| format!("/acme{path}"),
            NO_METHOD,
        ),
        attempt(
            "a path with an empty part",
            "it is normalized",
            &|path: &str| format!("/{path}"),
            NO_METHOD,
        ),
        attempt("a path in small letters", "paths have no case", &str::to_lowercase, NO_METHOD),
        attempt(
            "a query",
            "its parameters count as headers",
            &|path: &str| format!("{path}?tenant=acme&browse-fleet-tenant=acme"),
            tenants.own(),
        ),
        attempt(
            "an absolute target",
            "the gateway is used as a proxy to a pod",
            &|path: &str| format!("https://{pod}{path}"),
            tenants.own(),
        ),
        attempt(
            "a service of the daemon that is not a command",
            "reflection tells what there is",
            &|_: &str| "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo".to_owned(),
            NO_METHOD,
        ),
        Attempt {
            name: "metrics at the port of clients",
            how: "they count what all tenants do",
            attack: metrics(tenants.world.replicas[0].address).token("beta-key"),
            control: metrics(tenants.probes),
            proof: "browse_pool_claimed".to_owned(),
            expected: NO_METHOD,
        },
    ]
}

/// What the gateway asks a pod, asked at the port of clients.
fn ports_of_pods(tenants: &TwoTenants) -> Vec<Attempt> {
    let clients = tenants.world.replicas[0].address;
    let uid = PodUid::new(tenants.victim.uid()).expect("a uid");
    let token = TokenRequest {
        tenant: Tenant::new("acme").expect("a name"),
        pod: uid.clone(),
        subject: "ann".to_owned(),
        scopes: vec!["read".to_owned()],
        session: SessionScope::Any,
        skill_hosts: None,
        role: CallerRole::Program,
    };
    let close = CloseRequest { pod: uid, session: "spare".to_owned() };
    let attempt = |name, how, request: AttemptRequest| Attempt {
        name,
        how,
        attack: request.clone().token("beta-key"),
        control: request.to(tenants.victim.address).over(tenants.gateway_to_pod()),
        proof: tenants.proof(),
        expected: NO_METHOD,
    };
    let post = |path| AttemptRequest::new(clients, Method::POST, path);
    vec![
        attempt(
            "how a pod is",
            "it says whose it is, and which sessions it has",
            AttemptRequest::new(clients, Method::GET, STATUS_PATH),
        ),
        attempt(
            "a token of a pod",
            "a caller asks for one as the gateway does",
            post(TOKEN_PATH).with_message(&json!(token)),
        ),
        attempt(
            "the end of a session in a pod",
            "a caller asks for it as the gateway does",
            post(CLOSE_PATH).with_message(&json!(close)),
        ),
    ]
}

/// What replicas ask each other, asked at the port of clients and without their certificate.
fn ports_of_replicas(tenants: &TwoTenants) -> Vec<Attempt> {
    let replica = &tenants.world.replicas[0];
    let place = PlaceRequest {
        tenant: Tenant::new("acme").expect("a name"),
        session: VAULT.to_owned(),
        quota: TenantQuota::default(),
        wait_ms: 1000,
        moved_from: None,
    };
    let release = ReleaseRequest { tenant: place.tenant.clone(), session: "spare".to_owned() };
    let post = |path| AttemptRequest::new(replica.address, Method::POST, path);
    let place = post(PLACE_PATH).with_message(&json!(place));
    let release = post(RELEASE_PATH).with_message(&json!(release));
    let between = tenants.gateway_to_replica();
    let at_control = |request: &AttemptRequest| request.clone().to(replica.control);
    let anonymous =
        Transport::Anonymous { peer: GATE_NAME, trusts: tenants.world.gate_identity.clone() };
    let of_pod = Transport::Tls { peer: GATE_NAME, identity: tenants.world.pod_identity.clone() };
    let foreign = tenants.world.foreign_certificate_for(GATE_NAME);
    let foreign = Transport::Tls { peer: GATE_NAME, identity: foreign };
    let attempt = |name, how, attack: AttemptRequest, expected| Attempt {
        name,
        how,
        attack,
        control: at_control(&place).over(between.clone()),
        proof: tenants.proof(),
        expected,
    };
    let mut all = vec![
        attempt(
            "the place of a session",
            "a caller asks for it as a replica does",
            place.clone().token("beta-key"),
            NO_METHOD,
        ),
        attempt(
            "the port of replicas without TLS",
            "the port is open to the network",
            at_control(&place),
            ExpectedAnswer::NoAnswer,
        ),
        attempt(
            "the port of replicas without a certificate",
            "TLS, and nobody says who calls",
            at_control(&place).over(anonymous),
            ExpectedAnswer::NoAnswer,
        ),
        attempt(
            "the port of replicas with the certificate of a pod",
            "who breaks out of a browser has it",
            at_control(&place).over(of_pod),
            ExpectedAnswer::NoAnswer,
        ),
        attempt(
            "the port of replicas with a certificate of one's own",
            "the name is right, and another authority has signed it",
            at_control(&place).over(foreign),
            ExpectedAnswer::NoAnswer,
        ),
    ];
    all.push(Attempt {
        name: "the end of a session at the port of clients",
        how: "its place is given to another one",
        attack: release.clone().token("beta-key"),
        control: at_control(&release).over(between),
        proof: String::new(),
        expected: NO_METHOD,
    });
    all
}
