//! Runs a skill: makes its program ready, gives it a session and a token,
//! starts it, hands on what it says, and ends all of that with it.

mod failure;
mod lease;
mod output;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use browse_proto::{Reason, v1};
use futures::Stream;
use tokio::sync::mpsc;

use super::{
    arguments::Arguments,
    environment::{self, Environment},
    events::{self, Voice},
    manifest::{Manifest, SessionWish},
    process::{Ended, Limits, Plan, Process, Purpose, Trouble},
    runtime::{self, Bytecode, Kind, Program, Setup},
    sandbox::{Confinement, Hold, Trust},
    skill::Skill,
    snapshot,
    tier::Tier,
};
use crate::{
    daemon::Daemon,
    dispatch::Context,
    error::{Error, Result},
};
use lease::{Lease, Wish};

type Event = Result<v1::RunSkillResponse>;

/// Runs a skill, and streams what it says.
///
/// # Errors
/// Everything that is wrong before its program is made ready.
pub async fn run_skill(
    cx: Arc<Context>,
    request: v1::RunSkillRequest,
) -> Result<impl Stream<Item = Event> + Send + 'static> {
    let skills = cx.daemon().skills();
    let found = skills.catalog().find(&request.name, Tier::named(request.source))?;
    found.contents()?;
    let hash = skills.hash(&found)?;
    let is_trusted = skills.trust().holds(&found, &hash);
    // What is trusted is the content, manifest included: that is what runs,
    // whatever becomes of the folder from now on.
    let skill = match is_trusted {
        true => snapshot::of(&found, &hash, skills.cache())?,
        false => found,
    };
    let contents = skill.contents()?;
    let manifest = &contents.manifest;
    cx.set_source(&manifest.host_patterns.join(","));
    if manifest.hosts.is_any() && !is_trusted {
        return Err(untrusted(&skill.name));
    }
    let arguments = Arguments::check(manifest, &request.arg)?;
    let trusted = manifest.asks() && is_trusted;
    let limit = cx.named_timeout().unwrap_or(manifest.timeout);
    let of_user = trusted && manifest.session == SessionWish::User;
    let session = Wish::of(&cx, manifest, of_user, is_trusted)?;
    let lease = Lease::take(&cx, manifest, session).await?;
    Ok(events::told(cx.delivery(), stderr, move |voice| async move {
        let contents = skill.contents()?;
        let manifest = &contents.manifest;
        if manifest.asks() && !trusted {
            voice.say(note(&skill.name)).await;
        }
        let free = trusted && manifest.asks_trust;
        let wish = if free { Trust::Trusted } else { Trust::of(request.allow_unsandboxed) };
        let sandbox = cx.daemon().skills().sandbox();
        let hold = sandbox.hold(Purpose::Run, wish, &skill.name).await?;
        for note in hold.notes() {
            voice.say(format!("note: {note}\n")).await;
        }
        let program = prepare(&cx, &skill, &hash, (free, wish), &voice).await?;
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
            limits: Limits::of(Purpose::Run).with_memory(cx.settings().skill_memory),
            confinement: hold.confinement().clone(),
        };
        let (kind, ran, name) = (contents.kind, skill.clone(), skill.name);
        let spares = cx.daemon().skills().spares();
        let started = Process::start_soon(&plan, spares).await;
        let process = started.map_err(|trouble| failure::failure(&name, limit, trouble))?;
        let outcome = finish(process, deadline, &voice).await;
        if matches!(plan.confinement, Confinement::Namespaces { .. }) {
            spares.renew();
        }
        if kind == Kind::Python {
            keep_bytecode(Arc::clone(cx.daemon()), ran, hash, wish);
        }
        let outcome = failure::answer(&name, limit, outcome);
        match lease.hand_files_over(&cx) {
            0 => {}
            1 => voice.say("note: it saved a file: `browse downloads` lists it\n").await,
            files => {
                let note = format!("note: it saved {files} files: `browse downloads` lists them\n");
                voice.say(note).await;
            }
        }
        // The token is dead before the caller knows that the program is.
        drop((token, lease, hold));
        Ok(v1::RunSkillResponse { event: Some(v1::run_skill_response::Event::Output(outcome?)) })
    }))
}

/// Compiles the modules of a skill beside other work, for its next run.
fn keep_bytecode(daemon: Arc<Daemon>, skill: Skill, hash: String, wish: Trust) {
    tokio::spawn(async move {
        let skills = daemon.skills();
        let of = Bytecode {
            skill: &skill,
            hash: &hash,
            cache: skills.cache(),
            programs: skills.programs(),
            sandbox: skills.sandbox(),
            wish,
        };
        runtime::keep_bytecode(&of).await;
    });
}

fn untrusted(skill: &str) -> Error {
    let message = format!("the skill `{skill}` visits any host, and is not trusted");
    Error::new(Reason::SkillUntrusted, message).with("skill", skill)
}

/// Hands on standard error while the program runs, and answers how it ended.
async fn finish(process: Process, deadline: Instant, voice: &Voice) -> Result<Ended, Trouble> {
    let (errors, mut pieces) = mpsc::channel::<Vec<u8>>(1);
    let streamed = async {
        while let Some(piece) = pieces.recv().await {
            voice.say(piece).await;
        }
    };
    let finished = async move { process.finish(deadline, output::LARGEST, &errors).await };
    let (outcome, ()) = tokio::join!(finished, streamed);
    outcome
}

fn stderr(bytes: Vec<u8>) -> v1::RunSkillResponse {
    v1::RunSkillResponse { event: Some(v1::run_skill_response::Event::Stderr(bytes)) }
}

async fn prepare(
    cx: &Context,
    skill: &Skill,
    hash: &str,
    (trusted, wish): (bool, Trust),
    voice: &Voice,
) -> Result<Program> {
    let skills = cx.daemon().skills();
    let address = cx.daemon().address().to_string();
    let setup = Setup {
        skill,
        hash,
        cache: skills.cache(),
        programs: skills.programs(),
        address: &address,
        trusted,
        sandbox: skills.sandbox(),
        wish,
        drafts: skills.drafts(),
        voice,
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
fn note(skill: &str) -> String {
    format!(
        "note: `{skill}` asks for trust and runs without; `browse skill trust {skill}` gives it\n"
    )
}

/// The time of a manifest, for a listing.
pub fn timeout_ms(manifest: &Manifest) -> u64 {
    u64::try_from(manifest.timeout.as_millis()).unwrap_or(u64::MAX)
}
