//! Headers that parts of the fleet set, or a proxy in front of it, sent by a caller.

use browse_fleet::{MISMATCH_HEADER, MOVED_HEADER, POD_HEADER, TENANT_HEADER};
use browse_proto::metadata;

use super::{
    Attempt,
    played::{MEMORY, TwoTenants},
    request::AttemptRequest,
};

/// The attempts: each is served by the pod of the caller.
pub fn attempts(tenants: &TwoTenants) -> Vec<Attempt> {
    let request = tenants.command("work", MEMORY);
    let uid = tenants.victim.uid().to_owned();
    let address = tenants.victim.address.to_string();
    let with = |name, value: &str| request.clone().with(name, value);
    let rows: Vec<(&'static str, &'static str, AttemptRequest)> = vec![
        ("the header of the tenant", "the pod believes it", with(TENANT_HEADER, "acme")),
        ("the header of the pod", "the call goes to it", with(POD_HEADER, &uid)),
        (
            "the headers of a call to a pod",
            "they are passed on as they are",
            with(TENANT_HEADER, "acme").with(POD_HEADER, &uid),
        ),
        (
            "the header of the tenant, twice",
            "one of them stays",
            with(TENANT_HEADER, "beta").with_another(TENANT_HEADER, "acme"),
        ),
        (
            "headers that the connection names",
            "they are taken away after the gateway has set them",
            with("connection", "browse-fleet-tenant, browse-fleet-pod, authorization")
                .with(TENANT_HEADER, "acme"),
        ),
        (
            "the answer of a wrong pod",
            "the gateway looks for another one",
            with(MISMATCH_HEADER, "1"),
        ),
        ("the answer of a pod that ends", "the session is moved", with(MOVED_HEADER, "1")),
        ("the program of a caller", "its process is trusted", with(metadata::CALLER, "1:1")),
        ("the folder of a caller", "files are read there", with(metadata::CWD, "/tmp/browse")),
        (
            "the host of a tenant",
            "the host says whose session it is",
            with("host", "acme.example.com"),
        ),
        (
            "the host of a proxy",
            "the same behind a proxy",
            with("x-forwarded-host", "acme.example.com"),
        ),
        ("the user of a proxy", "a proxy has checked it", with("x-forwarded-user", "acme")),
        ("the address of a pod", "a router of sandboxes goes there", with("x-sandbox-id", &uid)),
        ("another path", "a proxy has rewritten it", with("x-original-url", "/fleet/v1/status")),
        (
            "the address of a pod as a destination",
            "Envoy goes there",
            with("x-envoy-original-dst-host", &address),
        ),
    ];
    let attempts = rows.into_iter().map(|(name, how, request)| Attempt {
        name,
        how,
        attack: request.clone().token("beta-key"),
        control: request.token("acme-key"),
        proof: uid.clone(),
        expected: tenants.own(),
    });
    attempts.collect()
}
