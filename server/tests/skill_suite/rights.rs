//! What a skill may do, and what it sees.

use std::collections::HashMap;

use browse_proto::v1::{RunSkillRequest, ShowSkillRequest, TrustSkillRequest};
use serde_json::{Value, json};

use crate::{
    daemon::{Daemon, Failure},
    shelf::skill,
};

const ENVIRONMENT: &str = "import json, os; print(json.dumps(dict(os.environ)))";

async fn environment(daemon: &Daemon, name: &str) -> HashMap<String, String> {
    let environment = [("API_KEY", "k"), ("BROWSE_TOKEN", "root"), ("BROWSE_SKILL_TOKEN", "other")];
    let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let request = RunSkillRequest {
        name: name.to_owned(),
        environment: environment.into(),
        ..Default::default()
    };
    let outcome = daemon.run_with(request, None).await;
    serde_json::from_value(outcome.output.expect("it prints")).unwrap()
}

async fn trust(daemon: &Daemon, name: &str) {
    let request = TrustSkillRequest { name: name.to_owned(), ..Default::default() };
    daemon.skills().await.trust_skill(request).await.unwrap();
}

async fn shown(daemon: &Daemon, name: &str) -> String {
    let request = ShowSkillRequest { name: name.to_owned(), ..Default::default() };
    let response = daemon.skills().await.show_skill(request).await.unwrap().into_inner();
    response.skill.unwrap().trust
}

#[tokio::test]
async fn an_untrusted_skill_sees_a_scrubbed_environment() {
    let daemon = Daemon::start().await;
    skill(&daemon.home(), "a", "").file("script.py", ENVIRONMENT);
    let mut names: Vec<_> = environment(&daemon, "a").await.into_keys().collect();
    names.retain(|name| !["LANG", "LC_ALL", "LC_CTYPE", "TERM", "TZ"].contains(&name.as_str()));
    names.sort();
    assert_eq!(names, ["BROWSE_ADDR", "BROWSE_SKILL_ARGS", "BROWSE_SKILL_TOKEN", "PATH"]);
}

#[tokio::test]
async fn trust_gives_the_callers_environment_until_a_file_changes() {
    let daemon = Daemon::start().await;
    let draft = skill(&daemon.home(), "a", "trusted: true").file("script.py", ENVIRONMENT);
    assert!(!environment(&daemon, "a").await.contains_key("API_KEY"));
    assert_eq!(shown(&daemon, "a").await, "asks");
    trust(&daemon, "a").await;
    let seen = environment(&daemon, "a").await;
    assert_eq!((seen["API_KEY"].as_str(), seen.contains_key("BROWSE_TOKEN")), ("k", false));
    assert_eq!(seen["BROWSE_ADDR"], daemon.address);
    assert!(
        !seen.contains_key("SECRET_OF_THE_USER"),
        "the daemon's environment is not the caller's"
    );
    assert_eq!(shown(&daemon, "a").await, "trusted");
    draft.file("notes.txt", "changed");
    assert!(!environment(&daemon, "a").await.contains_key("API_KEY"));
    assert_eq!(shown(&daemon, "a").await, "changed");
}

#[tokio::test]
async fn trust_that_is_not_asked_for_gives_nothing() {
    let daemon = Daemon::start().await;
    skill(&daemon.home(), "a", "").file("script.py", ENVIRONMENT);
    trust(&daemon, "a").await;
    assert!(!environment(&daemon, "a").await.contains_key("API_KEY"));
}

#[tokio::test]
async fn a_skill_without_trust_is_told_so() {
    let daemon = Daemon::start().await;
    skill(&daemon.home(), "a", "session: user").shell("echo null");
    let outcome = daemon.run("a").await;
    assert!(outcome.stderr.starts_with("note: `a` asks for trust"), "{}", outcome.stderr);
    trust(&daemon, "a").await;
    assert_eq!(daemon.run("a").await.stderr, "");
}

/// Calls an RPC by its path with the token of the run, and prints the reason.
const CALL: &str = r#"
import { browse, skill } from './_lib/browse.ts';
await skill(async () => {
  const reasons: Record<string, string> = {};
  for (const path of ['BrowserService/Js', 'SkillService/RunSkill', 'SkillService/TrustSkill', 'SkillService/ListSkills',
    'SkillService/TestSkill', 'SkillService/StageSkill', 'SkillService/CommitSkill', 'SkillService/DiscardSkill',
    'SkillService/RemoveSkill', 'SkillService/UpgradeSkill', 'SkillService/ShowSkill', 'SkillService/DiffSkill',
    'DaemonService/Stop', 'DaemonService/NewSession', 'DaemonService/Activity', 'BrowserService/Nothing']) {
    const command = { path: `/browse.v1.${path}`, request: 'GetUrlRequest', response: 'GetUrlResponse' };
    try {
      for await (const _ of browse.stream(command, {}));
      reasons[path] = 'allowed';
    } catch (error) {
      reasons[path] = (error as { reason: string }).reason;
    }
  }
  return reasons;
});
"#;

#[tokio::test]
async fn a_skill_may_read_and_write_and_nothing_else() {
    let daemon = Daemon::start().await;
    skill(&daemon.home(), "a", "").typescript(CALL);
    let outcome = daemon.run("a").await;
    let Some(Value::Object(reasons)) = outcome.output else { panic!("{outcome:?}") };
    for (path, reason) in reasons {
        let expected = if path.ends_with("Nothing") { "METHOD_UNKNOWN" } else { "SCOPE_DENIED" };
        assert_eq!(reason, json!(expected), "{path}");
    }
}

#[tokio::test]
async fn only_root_trusts() {
    let daemon = Daemon::start().await;
    let unknown = TrustSkillRequest { name: "nothing".to_owned(), ..Default::default() };
    let error = Failure::from(daemon.skills().await.trust_skill(unknown).await.unwrap_err());
    assert_eq!(error.reason, "SKILL_NOT_FOUND");
}

#[tokio::test]
async fn a_trusted_run_has_the_session_that_its_caller_names() {
    let daemon = Daemon::start().await;
    skill(&daemon.home(), "a", "").shell("echo null");
    assert_eq!(refusal(&daemon, "default").await.as_deref(), Some("SESSION_DENIED"));
    trust(&daemon, "a").await;
    // One that does not exist is opened.
    assert_eq!(refusal(&daemon, "new").await, None);
    assert_eq!(refusal(&daemon, "default").await, None);
}

/// Why a run in this session is refused, if it is.
async fn refusal(daemon: &Daemon, session: &str) -> Option<String> {
    let request = RunSkillRequest { name: "a".to_owned(), ..Default::default() };
    let mut request = tonic::Request::new(request);
    request.metadata_mut().insert("browse-session", session.parse().unwrap());
    let refused = daemon.skills().await.run_skill(request).await.err();
    refused.map(|status| Failure::from(status).reason)
}
