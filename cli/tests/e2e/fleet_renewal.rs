//! `browse login --renew`: the token of a fleet for programs that read it from its file.

use std::{fs, os::unix::fs::PermissionsExt as _, thread};

use serde_json::{Value, json};

use crate::{
    fleet_login::{error, single_use_tokens, stored, world},
    issuer::Form,
    project::Project,
};

const RENEW: [&str; 3] = ["login", "--renew", "fleet"];
const REJECTED: [&str; 4] = ["login", "--renew", "fleet", "--rejected-stdin"];

/// Grants tokens of an hour, `good-101` and so on.
fn tokens_of_an_hour() -> impl FnMut(&Form) -> (u16, Value) + Send {
    let mut count = 100;
    move |_: &Form| {
        count += 1;
        let (token, refresh) = (format!("good-{count}"), format!("refresh-{count}"));
        (200, json!({ "access_token": token, "refresh_token": refresh, "expires_in": 3600 }))
    }
}

/// Keeps a pairing under this name.
pub fn store_pairing(project: &Project, name: &str) {
    let folder = project.home().join("remotes");
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(format!("{name}.json"));
    let pairing = json!({ "address": "127.0.0.1:1", "pin": "00".repeat(32), "token": "t" });
    fs::write(&path, pairing.to_string()).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("its mode");
}

#[test]
fn a_token_that_ends_soon_is_renewed_and_another_is_not() {
    let (issuer, gateway) = world(single_use_tokens());
    let person = Project::new();
    person.ok(&["login", &gateway.url()]);
    assert_eq!(person.ok(&RENEW), "");
    assert_eq!(stored(&person)["token"], "good-2");
    issuer.answer_tokens(tokens_of_an_hour());
    let renewed = person.json(&RENEW);
    assert_eq!((&renewed["name"], &renewed["url"]), (&json!("fleet"), &json!(gateway.url())));
    assert_eq!(renewed["expires_at"], stored(&person)["expires_at"]);
    assert_eq!(stored(&person)["token"], "good-101");
    // It is good for an hour: neither the issuer nor the gateway is asked.
    let (asked, called) = (issuer.forms("/token").len(), gateway.calls().len());
    issuer.answer_tokens(|_| error("invalid_grant"));
    assert_eq!(person.ok(&RENEW), "");
    assert_eq!((issuer.forms("/token").len(), gateway.calls().len()), (asked, called));
    assert_eq!(stored(&person)["token"], "good-101");
}

#[test]
fn a_token_that_was_rejected_is_renewed_once() {
    let (issuer, gateway) = world(tokens_of_an_hour());
    let person = Project::new();
    person.ok(&["login", &gateway.url()]);
    let asked = issuer.forms("/token").len();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let renewed = person.feed(&REJECTED, "good-101\n");
                assert_eq!((renewed.code, renewed.stdout.as_str()), (Some(0), ""), "{renewed:?}");
            });
        }
    });
    assert_eq!(stored(&person)["token"], "good-102");
    assert_eq!(issuer.forms("/token").len(), asked + 1);
    // The sign-in has ended: what is stored stays.
    issuer.answer_tokens(|_| error("invalid_grant"));
    let ended = person.feed(&REJECTED, "good-102");
    let again = format!("hint: Run `browse login {} --name fleet` again", gateway.url());
    assert!(ended.code == Some(3) && ended.stderr.contains(&again), "{ended:?}");
    assert!(!format!("{ended:?}").contains("good-"), "no token is printed");
    issuer.answer_tokens(|_| (503, json!({})));
    assert_eq!(person.feed(&REJECTED, "good-102").code, Some(4));
    assert_eq!(stored(&person)["token"], "good-102");
    // The issuer gives the same token again.
    let same = json!({ "access_token": "good-102", "refresh_token": "r", "expires_in": 3600 });
    issuer.answer_tokens(move |_| (200, same.clone()));
    let rejected = person.feed(&REJECTED, "good-102");
    assert!(rejected.code == Some(3) && rejected.stderr.contains(&again), "{rejected:?}");
}

#[test]
fn what_cannot_be_renewed_says_so() {
    let short = json!({ "access_token": "good-short", "expires_in": 0 });
    let (_issuer, gateway) = world(move |_| (200, short.clone()));
    let person = Project::new();
    // An API key is good until the gateway rejects it.
    let url = gateway.url();
    let login = person.feed(&["login", &url, "--name", "keys", "--token-stdin"], "good-key");
    assert_eq!(login.code, Some(0), "{login:?}");
    assert_eq!(person.ok(&["login", "--renew", "keys"]), "");
    let rejected = person.feed(&["login", "--renew", "keys", "--rejected-stdin"], "good-key");
    let again = format!("hint: Run `browse login {url} --name keys` again");
    assert!(rejected.code == Some(3) && rejected.stderr.contains(&again), "{rejected:?}");
    // The issuer gave no refresh token.
    person.ok(&["login", &url]);
    assert_eq!(person.fail(&RENEW), ("TOKEN_EXPIRED".to_owned(), 3));
    store_pairing(&person, "paired");
    for (args, reason) in [
        (&["login", "--renew", "paired"][..], "ARGUMENT_INVALID"),
        (&["login", "--renew", "nobody"][..], "REMOTE_UNKNOWN"),
        (&["login", "--renew", "../keys"][..], "ARGUMENT_INVALID"),
        (&["login", "--renew", "keys", &url][..], "ARGUMENT_INVALID"),
        (&["login", "--rejected-stdin"][..], "ARGUMENT_INVALID"),
    ] {
        assert_eq!(person.fail(args), (reason.to_owned(), 2), "{args:?}");
    }
}
