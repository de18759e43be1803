//! Replays a program before it is written: the same calls, with the rights of
//! the skill, in a session of its own.
//!
//! Nothing is ordered twice. The replay ends before the first step in which the
//! recording saw a form sent, or a request of another method than GET, HEAD and
//! OPTIONS; and until then such requests are held back below the page, should it
//! send one earlier than it did.

use std::time::Duration;

use browse_proto::{Reason, Scope, StepRole, render, v1, wire};
use prost_types::Any;
use serde_json::{Map, Value};
use url::Url;

use crate::{
    dispatch::{self, CallContext},
    handlers::{browser::state, skills::check::ScratchSession},
    session_state::StateContents,
    skills::program::{ArgValue, PlannedCall, ProgramPlan, SkillInputs},
};
use browse_base::{Error, Result};
use browse_net::HostPolicy;
use browse_policy::Delivery;
use browse_policy::{
    Audience, ClientId, ClientKind, GrantSpec, IssuedToken, Rate, Scopes, SessionRule, TabPolicy,
};

/// Time that one step gets.
const STEP_TIMEOUT: Duration = Duration::from_secs(15);

/// Time that a replay gets.
const REPLAY_TIMEOUT: Duration = Duration::from_secs(170);

/// Calls a second that it may make, as those of a run.
const MAX_CALLS_PER_SECOND: u32 = 200;

/// How far a replay came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplayReport {
    /// Steps that it came through.
    pub steps: usize,
    /// Why it ended before the last one.
    pub stop_reason: Option<String>,
    /// Whether it needed what the session of the recording held.
    pub needs_session: bool,
}

/// Replays `plan`. `held` is what the session of the recording held when that
/// began; it is tried with when nothing works without.
///
/// # Errors
/// `SKILL_REPLAY_FAILED`; the browser is not there.
pub async fn replay(
    cx: &CallContext,
    plan: &ProgramPlan,
    hosts: &[String],
    request: &v1::SaveSkillRecordRequest,
    held: Option<&StateContents>,
) -> Result<ReplayReport> {
    let whole = match request.replay() {
        v1::SkillReplay::None => return Ok(ReplayReport::default()),
        v1::SkillReplay::All => true,
        v1::SkillReplay::Unspecified => false,
    };
    let held = held.filter(|held| has_state_for(held, hosts));
    let first = held.filter(|_| request.user_session);
    let outcome = replay_once(cx, plan, hosts, whole, first).await;
    let failed = match outcome {
        Err(error) if error.reason() == Reason::SkillReplayFailed => error,
        outcome => return outcome,
    };
    // What was sent once is not sent again.
    let Some(held) = held.filter(|_| first.is_none() && !whole) else { return Err(failed) };
    match replay_once(cx, plan, hosts, whole, Some(held)).await {
        Ok(replayed) => Ok(ReplayReport { needs_session: true, ..replayed }),
        Err(_) => Err(failed),
    }
}

/// Whether a session holds something for one of these hosts.
fn has_state_for(held: &StateContents, hosts: &[String]) -> bool {
    let storage = held.origins.iter().filter_map(|origin| Url::parse(&origin.origin).ok());
    let mut storage = storage.filter_map(|url| url.host_str().map(str::to_owned));
    held.cookies.iter().any(|cookie| is_in_domain(cookie.host(), hosts))
        || storage.any(|host| is_in_domain(&host, hosts))
}

/// Whether `domain` is one of these hosts, or one that they are below.
fn is_in_domain(domain: &str, hosts: &[String]) -> bool {
    hosts.iter().any(|host| {
        let host = host.rsplit_once(':').map_or(host.as_str(), |(host, _)| host);
        let host = host.trim_start_matches("*.");
        host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
    })
}

async fn replay_once(
    cx: &CallContext,
    plan: &ProgramPlan,
    hosts: &[String],
    whole: bool,
    held: Option<&StateContents>,
) -> Result<ReplayReport> {
    let client = ClientId::new(format!("skill:replay:{:08x}", rand::random::<u32>()))?;
    let room =
        ScratchSession::open_for(cx, "replay", &client, HostPolicy::from_patterns(hosts)?).await?;
    let page = room.tab().page();
    if let Some(held) = held {
        state::restore_into_page(cx, page, held, |domain| is_in_domain(domain, hosts)).await?;
    }
    if !whole {
        room.block_unsafe_requests().await?;
    }
    let token = mint(cx, &client, &room, hosts)?;
    let mut replay = Replay { cx, session: &room, token: &token, inputs: &plan.inputs, step: 0 };
    let mut done = ReplayReport::default();
    for call in &plan.calls {
        replay.step += usize::from(!call.is_synthetic);
        let sent = call.sent.first().filter(|_| !whole);
        if let Some(sent) = sent {
            done.stop_reason = Some(format!(
                "step {}, `{}`, sends {}",
                replay.step,
                call.command.name,
                sent.without_path()
            ));
            return Ok(done);
        }
        let outcome = replay.call(call).await;
        if room.has_blocked_requests() {
            let (step, name) = (replay.step, call.command.name);
            done.stop_reason =
                Some(format!("step {step}, `{name}`, sent something, which was held back"));
            return Ok(done);
        }
        outcome?;
        done.steps += usize::from(!call.is_synthetic);
    }
    Ok(done)
}

/// A token with the rights of the skill to be. It ends with the replay.
fn mint(
    cx: &CallContext,
    client: &ClientId,
    room: &ScratchSession,
    hosts: &[String],
) -> Result<IssuedToken> {
    cx.daemon().authority().issue(GrantSpec {
        client: client.clone(),
        audience: Audience::Skill,
        kind: ClientKind::Skill,
        scopes: Scopes::of(&[Scope::Read, Scope::Write]),
        hosts: HostPolicy::from_patterns(hosts)?,
        tabs: TabPolicy::Session,
        session: SessionRule::Only(room.session().name().to_owned()),
        rate: Rate::PerSecond(MAX_CALLS_PER_SECOND),
        delivery: Delivery::Raw,
        lifetime: REPLAY_TIMEOUT,
    })
}

struct Replay<'a> {
    cx: &'a CallContext,
    session: &'a ScratchSession,
    token: &'a IssuedToken,
    inputs: &'a SkillInputs,
    /// The step of the program, from 1.
    step: usize,
}

impl Replay<'_> {
    async fn call(&self, call: &PlannedCall) -> Result<()> {
        let request = self.request(call)?;
        let (cx, session) = (self.cx, self.session.session().name());
        let grant = self.token.grant();
        let answer = match dispatch::saves_file(call.command) {
            true => dispatch::run_save_as(cx, grant, session, &request, STEP_TIMEOUT).await,
            false => {
                let answer = dispatch::run_as(cx, grant, session, &request, STEP_TIMEOUT).await;
                answer.and_then(|answer| read_result(call, &answer))
            }
        };
        let answer = answer.map_err(|error| match error.reason() {
            Reason::BrowserGone | Reason::ShuttingDown | Reason::Bug => error,
            _ => {
                let quotes = error.page_quotes().into_iter();
                let failed = self.failed(call, &error.to_string());
                quotes.fold(failed, |failed, quote| {
                    failed.with_quote(&quote.about, self.redacted(&quote.text))
                })
            }
        })?;
        if call.command.step_role == StepRole::Open && !call.is_synthetic {
            self.check_page(call)?;
        }
        let Some(output) = &call.result else { return Ok(()) };
        match output.shape.missing_part(&answer) {
            Some(lack) => Err(self.failed(call, &lack)),
            None => Ok(()),
        }
    }

    /// Refuses a page that is another one than the recording came to.
    fn check_page(&self, call: &PlannedCall) -> Result<()> {
        let place = |url: &str| {
            let url = Url::parse(url).ok()?;
            Some(format!("{}{}", browse_net::host_and_port(&url), url.path().trim_end_matches('/')))
        };
        let (now, then) = (place(&self.session.tab().page().url()), place(&call.url));
        match (now, then) {
            (Some(now), Some(then)) if now != then => {
                Err(self.failed(call, &format!("it came to {now}, and to {then} when recorded")))
            }
            _ => Ok(()),
        }
    }

    fn request(&self, call: &PlannedCall) -> Result<Any> {
        let fields = call.fields.iter().map(|(field, given)| {
            let value = match given {
                ArgValue::Text(pieces) => Value::from(self.inputs.expand(pieces)),
                ArgValue::Texts(texts) => {
                    texts.iter().map(|pieces| self.inputs.expand(pieces)).collect()
                }
                ArgValue::Scalar(value) => value.clone(),
            };
            (field.name.to_owned(), value)
        });
        let fields: Map<String, Value> = fields.collect();
        let message = call.command.request;
        let value = wire::encode(message, &fields)
            .map_err(|error| Error::new(Reason::Bug, error.to_string()))?;
        Ok(Any { type_url: format!("type.googleapis.com/browse.v1.{}", message.name), value })
    }

    fn failed(&self, call: &PlannedCall, problem: &str) -> Error {
        let (step, name) = (self.step.max(1), call.command.name);
        let message = format!("the replay failed at step {step}, `{name}`");
        let error = Error::new(Reason::SkillReplayFailed, message).with("step", step);
        // It names targets, which are words of the page.
        error.with("problem", self.redacted(problem))
    }

    /// A text without the secrets of the recording.
    fn redacted(&self, text: &str) -> String {
        let text = browse_secrets::redact(text).into_owned();
        let known = self.inputs.secrets();
        known.iter().fold(text, |text, secret| browse_secrets::redact_secret(&text, secret))
    }
}

/// What a command that reads answered, as a skill gets it.
fn read_result(call: &PlannedCall, answer: &Any) -> Result<Value> {
    if call.result.is_none() {
        return Ok(Value::Null);
    }
    let response = wire::decode(call.command.response, &answer.value)
        .map_err(|error| Error::new(Reason::Bug, error.to_string()))?;
    let text = render::result_json(call.command, &response);
    Ok(serde_json::from_str(&text).unwrap_or(Value::Null))
}

#[cfg(test)]
mod tests {
    use super::is_in_domain;

    #[test]
    fn cookies_of_a_domain_go_to_the_hosts_below_it() {
        let hosts = ["shop.example.com:8443".to_owned()];
        for (domain, wanted) in [
            ("shop.example.com", true),
            ("example.com", true),
            ("ple.com", false),
            ("a.shop.example.com", false),
            ("other.com", false),
        ] {
            assert_eq!(is_in_domain(domain, &hosts), wanted, "{domain}");
        }
    }
}
