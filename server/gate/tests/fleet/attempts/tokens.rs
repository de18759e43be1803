//! Tokens that say `acme` and are not its own.

use browse_base::hex;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{
    Attempt, ExpectedAnswer,
    issuer::{KEY_ID, SigningKey, claims, now, sign_with_secret},
    played::{MEMORY, TwoTenants, VAULT},
    request::AttemptRequest,
};

/// `{"alg":"none","typ":"JWT"}` and `{"alg":"nOnE","typ":"JWT"}`.
const NO_ALGORITHM: &str = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0";
const NO_ALGORITHM_IN_CAPITALS: &str = "eyJhbGciOiJuT25FIiwidHlwIjoiSldUIn0";

const INVALID: ExpectedAnswer = ExpectedAnswer::Refused(401, "TOKEN_INVALID");
const EXPIRED: ExpectedAnswer = ExpectedAnswer::Refused(401, "TOKEN_EXPIRED");

/// The attempts.
pub fn attempts(tenants: &TwoTenants) -> Vec<Attempt> {
    let request = tenants.command(VAULT, MEMORY);
    let good = tenants.issuer.token(&json!({}));
    let control = request.clone().token(&good);
    let attempt = |name, how, attack: AttemptRequest, expected| Attempt {
        name,
        how,
        attack,
        control: control.clone(),
        proof: tenants.proof(),
        expected,
    };
    let mut all = vec![
        attempt(
            "no token",
            "the session is named, and nobody calls",
            request.clone(),
            ExpectedAnswer::Refused(401, "TOKEN_MISSING"),
        ),
        attempt(
            "two tokens",
            "one of one's own, and a forged one behind it",
            request.clone().token("beta-key").with_another("authorization", "Bearer acme"),
            INVALID,
        ),
        attempt(
            "a key as a password",
            "another scheme of HTTP, whose user is the tenant",
            request.clone().with("authorization", "Basic YWNtZTphY21lLWtleQ=="),
            INVALID,
        ),
    ];
    for (name, how, token) in of_others(tenants).into_iter().chain(forged(tenants, &good)) {
        all.push(attempt(name, how, request.clone().token(&token), INVALID));
    }
    for (name, how, changed, expected) in of_the_issuer() {
        let token = tenants.issuer.token(&changed);
        all.push(attempt(name, how, request.clone().token(&token), expected));
    }
    all
}

/// Tokens that are good for something else.
fn of_others(tenants: &TwoTenants) -> Vec<(&'static str, &'static str, String)> {
    vec![
        (
            "the token of a pod",
            "what the gateway sends to the pod is sent to the gateway",
            tenants.pod_token.clone(),
        ),
        (
            "the hash of a key",
            "who reads the file of API keys has their hashes",
            hex(&Sha256::digest("acme-key")),
        ),
        ("a key in capitals", "keys are compared without their case", "ACME-KEY".to_owned()),
    ]
}

/// JWTs that the issuer did not sign.
fn forged(tenants: &TwoTenants, good: &str) -> Vec<(&'static str, &'static str, String)> {
    let posing = SigningKey::new();
    let acme = claims(&json!({}));
    let of_beta = tenants.issuer.token(&json!({ "tenant": "beta" }));
    let part = |token: &str, at: usize| token.split('.').nth(at).unwrap_or_default().to_owned();
    let public = serde_json::to_string(&tenants.issuer.key.public()).expect("JSON");
    vec![
        ("another key", "signed by another key of the same id", posing.sign(&acme, |_| ())),
        (
            "a key of an unknown id",
            "signed by a key that the issuer does not have",
            posing.sign(&acme, |header| header.kid = Some("2026-2".to_owned())),
        ),
        (
            "no key id",
            "the only key of the issuer is taken, and the signature is not looked at",
            posing.sign(&acme, |header| header.kid = None),
        ),
        (
            "a key that the token brings along",
            "the headers `jwk` and `jku` name the key of the attacker",
            posing.sign(&acme, |header| {
                header.jwk = Some(posing.public());
                header.jku = Some("https://evil.example/jwks.json".to_owned());
            }),
        ),
        (
            "a key id that is a path",
            "an empty file is read as a secret key",
            sign_with_secret(b"", "../../../../dev/null", &acme),
        ),
        (
            "no algorithm",
            "`alg` is `none`, and there is no signature",
            format!("{NO_ALGORITHM}.{}.", part(good, 1)),
        ),
        (
            "no algorithm in capitals",
            "`alg` is `nOnE`, with the signature of another token",
            format!("{NO_ALGORITHM_IN_CAPITALS}.{}.{}", part(good, 1), part(&of_beta, 2)),
        ),
        (
            "the public key as a secret",
            "`alg` is `HS256`, and the key is what everybody can read",
            sign_with_secret(public.as_bytes(), KEY_ID, &acme),
        ),
        (
            "claims of another token",
            "the signature of one's own token, over the claims of `acme`",
            format!("{}.{}.{}", part(&of_beta, 0), part(good, 1), part(&of_beta, 2)),
        ),
    ]
}

/// JWTs that the issuer has signed for somebody else, or for another time or place.
fn of_the_issuer() -> Vec<(&'static str, &'static str, Value, ExpectedAnswer)> {
    let tenant = |name, how, tenant: Value| (name, how, json!({ "tenant": tenant }), INVALID);
    vec![
        ("an old token", "it has expired", json!({ "exp": now() - 3600 }), EXPIRED),
        ("a token of tomorrow", "it is not valid yet", json!({ "nbf": now() + 86_400 }), EXPIRED),
        (
            "another audience",
            "a token of `acme` for another service",
            json!({ "aud": "mail" }),
            INVALID,
        ),
        (
            "another issuer",
            "an issuer whose keys are the same",
            json!({ "iss": "https://issuer.example.evil.example" }),
            INVALID,
        ),
        tenant("a tenant with a slash", "the path of a stored session", json!("beta/../acme")),
        tenant("a tenant with a dot at its end", "names of hosts may end with one", json!("acme.")),
        tenant("a tenant with a zero byte", "text of C ends there", json!("acme\u{0}")),
        tenant("a tenant with a line feed", "a second header follows", json!("acme\nx: y")),
        tenant("a tenant with a blank", "it is cut off", json!(" acme")),
        tenant("a tenant of look-alikes", "its first letter is Cyrillic", json!("\u{430}cme")),
        tenant("a tenant without width", "a joiner is not seen", json!("acme\u{200d}")),
        tenant("a tenant in wide letters", "they are normalized", json!("\u{ff41}cme")),
        tenant("two tenants", "the second one counts", json!(["beta", "acme"])),
        tenant("a list of tenants in a text", "it is split", json!("beta,acme")),
        (
            "a tenant in capitals",
            "names are compared without their case",
            json!({ "tenant": "ACME" }),
            ExpectedAnswer::Refused(404, "SESSION_NOT_FOUND"),
        ),
        (
            "a token for another session",
            "the session of the call is not that of the token",
            json!({ "browse_session": "work" }),
            ExpectedAnswer::Refused(403, "SESSION_DENIED"),
        ),
        (
            "a token for all sessions",
            "a star stands for each",
            json!({ "browse_session": "*" }),
            INVALID,
        ),
        (
            "a token for a session of look-alikes",
            "the name is normalized",
            json!({ "browse_session": "v\u{430}ult" }),
            INVALID,
        ),
        (
            "a token for no session",
            "an empty claim counts as absent",
            json!({ "browse_session": null }),
            INVALID,
        ),
    ]
}
