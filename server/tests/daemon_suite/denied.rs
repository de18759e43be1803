//! Commands that the user's own configuration switches off.

use std::time::Duration;

use browse_net::HostPolicy;
use browse_policy::{
    Audience, ClientId, ClientKind, Delivery, GrantSpec, Listener, Rate, Scopes, SessionRule,
    TabPolicy,
};
use browse_proto::{Command, Reason, Scope, v1};
use prost::Message;
use prost_types::Any;
use v1::step_result::Outcome;

use super::{
    process::reason,
    world::{World, by},
};

const ALL: &[Scope] = &[Scope::Read, Scope::Write, Scope::Admin, Scope::Meta, Scope::Control];

fn js() -> v1::JsRequest {
    v1::JsRequest { expression: "1".to_owned() }
}

fn steps() -> Vec<v1::Step> {
    let type_url = "type.googleapis.com/browse.v1.JsRequest".to_owned();
    vec![v1::Step { tab: None, request: Some(Any { type_url, value: js().encode_to_vec() }) }]
}

fn outcome(results: &[v1::StepResult]) -> String {
    match results[0].outcome.as_ref().unwrap() {
        Outcome::Response(_) => "ok".to_owned(),
        Outcome::Error(error) => error.reason.clone(),
    }
}

#[tokio::test]
async fn what_is_denied_is_denied_to_owner_and_skill_and_in_steps() {
    let world = World::with_flags(&["--deny=js, fetch"]).await;
    let skill = world.mint("ada", Scopes::of(ALL));
    let root = world.daemon.authority().root_token();
    for token in [root, skill.token()] {
        let denied = world.browser().js(by(token, js())).await.unwrap_err();
        assert_eq!(reason(&denied), "COMMAND_DENIED");
        assert_eq!(denied.message(), "`js` is switched off");
        let send = v1::FetchSendRequest::default();
        let denied = world.browser().fetch_send(by(token, send)).await.unwrap_err();
        assert_eq!(reason(&denied), "COMMAND_DENIED");
        let chain = v1::ChainRequest { steps: steps() };
        let answer = world.browser().chain(by(token, chain)).await.unwrap();
        assert_eq!(outcome(&answer.get_ref().results), "COMMAND_DENIED");
        let batch = v1::BatchRequest { steps: steps() };
        let answer = world.browser().batch(by(token, batch)).await.unwrap();
        assert_eq!(outcome(&answer.get_ref().results), "COMMAND_DENIED");
        world.control().status(by(token, v1::StatusRequest {})).await.unwrap();
    }
}

#[tokio::test]
async fn what_is_denied_is_denied_to_paired_agents() {
    let world = World::with_flags(&["--deny=text"]).await;
    let spec = GrantSpec {
        client: ClientId::new("far").unwrap(),
        audience: Audience::Tunnel,
        kind: ClientKind::Paired,
        scopes: Scopes::of(ALL),
        hosts: HostPolicy::Any,
        tabs: TabPolicy::Own,
        session: SessionRule::Any,
        rate: Rate::Unlimited,
        delivery: Delivery::Guarded,
        lifetime: Duration::from_secs(60),
    };
    let minted = world.daemon.authority().issue(spec).unwrap();
    let check = |name| {
        browse_policy::check(minted.grant(), Command::by_name(name).unwrap(), Listener::Tunnel)
    };
    assert_eq!(check("text").unwrap_err().reason(), Reason::CommandDenied);
    check("url").unwrap();
}
