//! Runs a skill: makes its program ready, gives it a session and a token,
//! starts it, hands on what it says, and ends all of that with it.

mod failure;
mod lease;
mod output;

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};
use std::time::Instant;

use browse_proto::v1;
use futures::Stream;
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use super::{
    arguments::Arguments,
    environment::{self, Environment},
    manifest::{Manifest, SessionWish},
    process::{Ended, Limits, Plan, Process, Purpose, Trouble},
    runtime::{Program, Setup},
    sandbox::{Hold, Trust},
    skill::Skill,
    tier::Tier,
};
use crate::{dispatch::Context, error::Result};
use lease::{Lease, Wish};

/// What waits for a slow reader; the program waits behind it.
const WAITING: usize = 16;

type Event = Result<v1::RunSkillResponse>;

/// Runs a skill, and streams what it says.
///
/// # Errors
/// Everything that is wrong before its program starts.
pub async fn run_skill(
    cx: Arc<Context>,
    request: v1::RunSkillRequest,
) -> Result<impl Stream<Item = Event> + Send + 'static> {
    let skill = cx.daemon().skills().catalog().find(&request.name, Tier::named(request.source))?;
    let contents = skill.contents()?;
    let manifest = &contents.manifest;
    cx.set_source(&manifest.host_patterns.join(","));
    let arguments = Arguments::check(manifest, &request.arg)?;
    let trusted = manifest.asks() && cx.daemon().skills().is_trusted(&skill);
    let limit = cx.named_timeout().unwrap_or(manifest.timeout);
    let of_user = trusted && manifest.session == SessionWish::User;
    let session = Wish::of(&cx, manifest, of_user, cx.daemon().skills().is_trusted(&skill))?;
    let lease = Lease::take(&cx, manifest, session).await?;
    let free = trusted && manifest.asks_trust;
    let sandbox = cx.daemon().skills().sandbox();
    let wish = if free { Trust::Trusted } else { Trust::of(request.allow_unsandboxed) };
    let hold = sandbox.hold(Purpose::Run, wish, &skill.name).await?;
    let program = prepare(&cx, &skill, free, wish).await?;
    // Making the program ready is not the program's time.
    let token = lease.mint(&cx, manifest, limit)?;
    let deadline = Instant::now() + limit;
    let base = base_environment(free, request.environment);
    let environment = variables(base, &program, &arguments, &hold, token.token());
    let plan = Plan {
        purpose: Purpose::Run,
        words: program
            .words
            .into_iter()
            .chain(arguments.words().into_iter().map(Into::into))
            .collect(),
        program: program.path,
        environment,
        folder: skill.folder.clone(),
        readable: program.readable,
        writable: Vec::new(),
        limits: Limits::of(Purpose::Run),
        confinement: hold.confinement().clone(),
    };
    let name = skill.name;
    let started = Process::start(&plan).await;
    let process = started.map_err(|trouble| failure::failure(&name, limit, trouble))?;
    let (sender, receiver) = mpsc::channel(WAITING);
    for note in hold.notes() {
        let _ = sender.try_send(Ok(stderr(format!("note: {note}\n").into_bytes())));
    }
    if manifest.asks() && !trusted {
        let _ = sender.try_send(Ok(note(&name)));
    }
    let task = tokio::spawn(async move {
        let outcome = finish(process, deadline, &sender).await;
        let outcome = failure::answer(&name, limit, outcome);
        // The token is dead before the caller knows that the program is.
        drop((token, lease, hold));
        let event = outcome.map(|output| v1::RunSkillResponse {
            event: Some(v1::run_skill_response::Event::Output(output)),
        });
        let _ = sender.send(event).await;
    });
    Ok(Events { receiver, _task: AbortOnDropHandle::new(task) })
}

/// Streams standard error while the program runs, and answers how it ended.
async fn finish(
    process: Process,
    deadline: Instant,
    events: &mpsc::Sender<Event>,
) -> Result<Ended, Trouble> {
    let (errors, mut pieces) = mpsc::channel::<Vec<u8>>(1);
    let streamed = async {
        while let Some(piece) = pieces.recv().await {
            let _ = events.send(Ok(stderr(piece))).await;
        }
    };
    let finished = async move { process.finish(deadline, output::LARGEST, &errors).await };
    let (outcome, ()) = tokio::join!(finished, streamed);
    outcome
}

fn stderr(bytes: Vec<u8>) -> v1::RunSkillResponse {
    v1::RunSkillResponse { event: Some(v1::run_skill_response::Event::Stderr(bytes)) }
}

async fn prepare(cx: &Context, skill: &Skill, trusted: bool, wish: Trust) -> Result<Program> {
    let skills = cx.daemon().skills();
    let hash = skills.hash(skill)?;
    let address = cx.daemon().address().to_string();
    let setup = Setup {
        skill,
        hash: &hash,
        cache: skills.cache(),
        programs: skills.programs(),
        address: &address,
        trusted,
        sandbox: skills.sandbox(),
        wish,
    };
    skill.contents()?.kind.prepare(&setup).await
}

fn base_environment(trusted: bool, caller: HashMap<String, String>) -> Environment {
    if trusted { environment::of_caller(caller) } else { environment::scrubbed() }
}

/// Address and token are set last: nothing can stand in their place.
fn variables(
    mut environment: Environment,
    program: &Program,
    arguments: &Arguments,
    hold: &Hold,
    token: &str,
) -> Environment {
    environment.extend(program.environment.clone());
    environment.insert("BROWSE_SKILL_ARGS".to_owned(), arguments.json());
    hold.tell(&mut environment);
    environment.insert("BROWSE_SKILL_TOKEN".to_owned(), token.to_owned());
    environment
}

/// What a skill's own messages are preceded by when it runs with less than it
/// asks for.
fn note(skill: &str) -> v1::RunSkillResponse {
    let text = format!(
        "note: `{skill}` asks for trust and runs without; `browse skill trust {skill}` gives it\n"
    );
    stderr(text.into_bytes())
}

/// What a run says. Dropping it, as when the caller leaves, ends the run.
struct Events {
    receiver: mpsc::Receiver<Event>,
    _task: AbortOnDropHandle<()>,
}

impl Stream for Events {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Option<Event>> {
        self.receiver.poll_recv(cx)
    }
}

/// The time of a manifest, for a listing.
pub fn timeout_ms(manifest: &Manifest) -> u64 {
    u64::try_from(manifest.timeout.as_millis()).unwrap_or(u64::MAX)
}
