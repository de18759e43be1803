//! Names of sessions, in headers and messages.

use browse_proto::metadata;
use serde_json::json;

use super::{
    Attempt, ExpectedAnswer,
    played::{MEMORY, TwoTenants, VAULT},
    request::AttemptRequest,
};

const BAD_NAME: ExpectedAnswer = ExpectedAnswer::Refused(400, "ARGUMENT_INVALID");

/// The attempts.
pub fn attempts(tenants: &TwoTenants) -> Vec<Attempt> {
    [named_by_headers(tenants), named_by_messages(tenants)].into_iter().flatten().collect()
}

fn named_by_headers(tenants: &TwoTenants) -> Vec<Attempt> {
    let request = tenants.command(VAULT, MEMORY);
    let attempt = |name, how, attack: AttemptRequest, expected| Attempt {
        name,
        how,
        attack: attack.token("beta-key"),
        control: request.clone().token("acme-key"),
        proof: tenants.proof(),
        expected,
    };
    let named = |value: &[u8]| request.clone().with(metadata::SESSION, value);
    vec![
        attempt("the name of a session", "it is of `acme` alone", named(b"vault"), tenants.own()),
        attempt("tenant and session", "a key as the store has it", named(b"acme/vault"), BAD_NAME),
        attempt("a relative path", "out of one's own folder", named(b"../acme/vault"), BAD_NAME),
        attempt("a dotted path", "both parts are dots", named(b".."), tenants.own()),
        attempt("an escaped path", "it is decoded later", named(b"..%2Facme%2Fvault"), BAD_NAME),
        attempt("a pattern", "a star stands for each session", named(b"*"), BAD_NAME),
        attempt("an empty name", "it stands for each session", named(b""), BAD_NAME),
        attempt(
            "two sessions",
            "one's own is checked, and the other one used",
            named(b"work").with_another(metadata::SESSION, "vault"),
            BAD_NAME,
        ),
        attempt("two sessions in one header", "it is split", named(b"work, vault"), BAD_NAME),
        attempt(
            "a session of look-alikes",
            "the name is normalized",
            named("v\u{430}ult".as_bytes()),
            BAD_NAME,
        ),
        attempt(
            "a session that is not text",
            "what cannot be read counts as absent",
            named(b"v\xe4ult"),
            BAD_NAME,
        ),
    ]
}

/// Of `session close`, whose message has the name. `spare` is open nowhere, so that nothing ends.
fn named_by_messages(tenants: &TwoTenants) -> Vec<Attempt> {
    let request = tenants.command("work", "session close");
    let control = request.clone().token("acme-key").with_message(&json!({ "name": "spare" }));
    let attempt = |name, how, attack: AttemptRequest, expected| Attempt {
        name,
        how,
        attack: attack.token("beta-key"),
        control: control.clone(),
        proof: tenants.proof(),
        expected,
    };
    let message = |text: &str| request.clone().with_body(text);
    let spare = r#"{"name":"spare"}"#;
    let kind = |kind: &str| message(spare).with("content-type", kind);
    vec![
        attempt(
            "a message that names another session",
            "the header is checked, and the message is used",
            message(spare),
            tenants.own(),
        ),
        attempt(
            "a message with two names",
            "each reader takes another one",
            message(r#"{"name":"work","name":"spare"}"#),
            tenants.own(),
        ),
        attempt(
            "a message with a path",
            "the name is that of an object of the store",
            message(r#"{"name":"../acme/spare"}"#),
            BAD_NAME,
        ),
        attempt(
            "a message with a list of names",
            "the type of a field is not checked",
            message(r#"{"name":["spare"]}"#),
            ExpectedAnswer::Refused(405, "REQUEST_INVALID"),
        ),
        attempt(
            "a message of another type",
            "the gateway does not read it, and the pod does",
            kind("text/plain"),
            ExpectedAnswer::Refused(405, "REQUEST_INVALID"),
        ),
        attempt(
            "a message with a second type",
            "each reader takes another one",
            kind("text/plain").with_another("content-type", "application/json"),
            ExpectedAnswer::Refused(405, "REQUEST_INVALID"),
        ),
        attempt(
            "a message of gRPC-Web in text",
            "its base64 is not read by the gateway",
            kind("application/grpc-web-text"),
            ExpectedAnswer::Refused(200, "grpc-status 3"),
        ),
        attempt(
            "two messages of gRPC",
            "the first one is checked, and the second one used",
            message("\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}")
                .with("content-type", "application/grpc"),
            ExpectedAnswer::Refused(200, "grpc-status 3"),
        ),
    ]
}
