//! Chain and batch: each step is a call of its own, with the caller's rights.

use browse_policy::Scopes;
use browse_proto::{Command, Scope, metadata, v1};
use prost::Message;
use prost_types::Any;
use v1::step_result::Outcome;

use super::{
    process::reason,
    world::{World, by},
};

fn step(name: &str, request: &impl Message) -> v1::Step {
    let full = Command::by_name(name).unwrap().request.full_name;
    let type_url = format!("type.googleapis.com/{full}");
    v1::Step { tab: None, request: Some(Any { type_url, value: request.encode_to_vec() }) }
}

fn status() -> v1::Step {
    step("status", &v1::StatusRequest {})
}

fn outcomes(results: &[v1::StepResult]) -> Vec<(String, String)> {
    let word = |result: &v1::StepResult| match result.outcome.as_ref().unwrap() {
        Outcome::Response(_) => "ok".to_owned(),
        Outcome::Error(error) => error.reason.clone(),
    };
    results.iter().map(|result| (result.command.clone(), word(result))).collect()
}

fn pairs(of: &[(&str, &str)]) -> Vec<(String, String)> {
    of.iter().map(|(command, word)| ((*command).to_owned(), (*word).to_owned())).collect()
}

#[tokio::test]
async fn a_chain_grants_nothing_and_stops_at_the_first_error() {
    let world = World::new().await;
    let token = world.mint("ada", Scopes::of(&[Scope::Read]));
    let steps = vec![status(), step("stop", &v1::StopRequest {}), status()];
    let answer =
        world.browser().chain(by(token.token(), v1::ChainRequest { steps })).await.unwrap();
    let expected = pairs(&[("status", "ok"), ("stop", "SCOPE_DENIED")]);
    assert_eq!(outcomes(&answer.get_ref().results), expected);
    assert!(!world.daemon.is_shutting_down());
}

#[tokio::test]
async fn an_error_in_a_batch_ends_its_own_step_only() {
    let world = World::new().await;
    let token = world.mint("ada", Scopes::of(&[Scope::Read]));
    let nested = step("chain", &v1::ChainRequest { steps: vec![status()] });
    let stream = step("activity", &v1::ActivityRequest { follow: true });
    let unknown =
        v1::Step { tab: None, request: Some(Any { type_url: "x".to_owned(), value: Vec::new() }) };
    let torn = v1::Step {
        request: Some(Any {
            value: vec![0xff],
            ..step("is", &v1::IsRequest::default()).request.unwrap()
        }),
        tab: None,
    };
    let steps =
        vec![step("js", &v1::JsRequest::default()), nested, stream, unknown, torn, status()];
    let answer =
        world.browser().batch(by(token.token(), v1::BatchRequest { steps })).await.unwrap();
    let found = outcomes(&answer.get_ref().results);
    let words: Vec<_> = found.iter().map(|(_, word)| word.as_str()).collect();
    let expected = [
        "SCOPE_DENIED",
        "BATCH_INVALID",
        "BATCH_INVALID",
        "COMMAND_UNKNOWN",
        "BATCH_INVALID",
        "ok",
    ];
    assert_eq!(words, expected);
}

#[tokio::test]
async fn a_batch_has_limits() {
    let world = World::new().await;
    for count in [0, 51] {
        let steps = (0..count).map(|_| status()).collect();
        let refused = world.browser().batch(world.root(v1::BatchRequest { steps })).await;
        assert_eq!(reason(&refused.unwrap_err()), "BATCH_INVALID", "{count}");
    }
}

#[tokio::test]
async fn page_content_of_a_step_is_announced_and_cleaned() {
    let world = World::with_browser().await;
    world.load("<title>a</title><p>one\u{200b}two</p>").await;
    let steps = vec![step("text", &v1::TextRequest { target: None })];
    let answer = world.browser().chain(world.root(v1::ChainRequest { steps })).await.unwrap();
    assert!(answer.metadata().contains_key(metadata::UNTRUSTED));
    let result = &answer.get_ref().results[0];
    let Some(Outcome::Response(packed)) = &result.outcome else { panic!("{result:?}") };
    let text = v1::TextResponse::decode(packed.value.as_slice()).unwrap().text;
    assert_eq!(text.trim(), "onetwo");
    assert_eq!(result.tab, Some(1));
    let mut raw = world
        .root(v1::ChainRequest { steps: vec![step("text", &v1::TextRequest { target: None })] });
    raw.metadata_mut().insert(metadata::CONTENT, "raw".parse().unwrap());
    let answer = world.browser().chain(raw).await.unwrap();
    assert!(!answer.metadata().contains_key(metadata::UNTRUSTED));
}
