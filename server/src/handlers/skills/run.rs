//! Runs a skill: makes its program ready, gives it a session and a token,
//! starts it, hands on what it says, and ends all of that with it.

mod failure;
mod fleet_lease;
mod lease;
mod output;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use browse_proto::{Reason, v1};
use futures::Stream;
use tokio::sync::mpsc;

use crate::{
    daemon::Daemon,
    dispatch::CallContext,
    skills::{
        arguments::SkillArguments,
        environment::{self, Environment},
        manifest::{SessionMode, SkillManifest},
        process::{ProcessError, ProcessExit, SkillProcess},
        process_plan::{Confinement, Limits, ProcessPlan, Purpose},
        progress::{self, ProgressSink},
        runtime::{Runtime, RuntimeCommand, Setup},
        sandbox::{SandboxSession, TrustLevel},
        skill::Skill,
        snapshot,
        tier::Tier,
    },
};
use browse_base::{Error, Result};
use lease::{Lease, SessionChoice};

type RunEvent = Result<v1::RunSkillResponse>;

/// Runs a skill, and streams what it says.
///
/// # Errors
/// Everything that is wrong before its program is made ready.
pub async fn run_skill(
    cx: Arc<CallContext>,
    request: v1::RunSkillRequest,
) -> Result<impl Stream<Item = RunEvent> + Send + 'static> {
    let skills = cx.daemon().skills();
    let found = skills.catalog().find(&request.name, Tier::from_request(request.source))?;
    found.contents()?;
    let hash = skills.hash(&found)?;
    let is_trusted = skills.trust().is_trusted(&found, &hash);
    // Whoever names a bundled skill may not know that the project has one as well.
    let shadowed = match (found.tier, is_trusted) {
        (Tier::Project, false) => skills.catalog().shadowed_tier(&found),
        _ => None,
    };
    // What is trusted is the content, manifest included: that is what runs,
    // whatever becomes of the folder from now on.
    let skill = match is_trusted {
        true => Skill::read_at(snapshot::verified_copy(&found, &hash, skills.cache())?),
        false => found,
    };
    let contents = skill.contents()?;
    let manifest = &contents.manifest;
    cx.set_source(&manifest.host_patterns.join(","));
    if manifest.hosts.is_any() && !is_trusted {
        return Err(untrusted(&skill.name));
    }
    let arguments = SkillArguments::parse(manifest, &request.arg)?;
    let trusted = manifest.needs_trust() && is_trusted;
    let limit = cx.requested_timeout().unwrap_or(manifest.timeout);
    let of_user = trusted && manifest.session == SessionMode::User;
    let session = SessionChoice::choose(&cx, manifest, of_user, is_trusted)?;
    let lease = Lease::acquire(&cx, manifest, session).await?;
    Ok(progress::stream_progress(cx.delivery(), stderr, move |voice| async move {
        let contents = skill.contents()?;
        let manifest = &contents.manifest;
        if manifest.needs_trust() && !trusted {
            voice.write(trust_notice(&skill.name)).await;
        }
        if let Some(tier) = shadowed {
            let (name, tier) = (&skill.name, tier.name());
            let note = format!("note: `{name}` is the skill of this project, not the {tier} one\n");
            voice.write(note).await;
        }
        let free = trusted && manifest.requests_trust;
        let requested = if free {
            TrustLevel::Trusted
        } else {
            TrustLevel::from_allow_unsandboxed(request.allow_unsandboxed)
        };
        let sandbox = cx.daemon().skills().sandbox();
        let hold = sandbox.confine(Purpose::Run, requested, &skill.name).await?;
        for note in hold.notices() {
            voice.write(format!("note: {note}\n")).await;
        }
        let address = cx.daemon().address().to_string();
        let setup = setup(cx.daemon(), &skill, (&hash, &address), (free, requested), &voice);
        let program = contents.runtime.prepare(&setup).await?;
        // Making the program ready is not the program's time.
        let token = lease.mint(&cx, manifest, limit)?;
        let deadline = Instant::now() + limit;
        let base = base_environment(free, request.environment);
        let environment = run_environment(base, &program, &arguments, &hold, token.token());
        let plan = ProcessPlan {
            purpose: Purpose::Run,
            words: program
                .arguments
                .into_iter()
                .chain(arguments.to_command_line().into_iter().map(Into::into))
                .collect(),
            program: program.path,
            environment,
            folder: skill.folder.clone(),
            readable: program.readable,
            writable: Vec::new(),
            limits: Limits::for_purpose(Purpose::Run).with_memory(cx.settings().skill_memory),
            confinement: hold.confinement().clone(),
        };
        let (runtime, ran, name) = (contents.runtime, skill.clone(), skill.name.clone());
        let spares = cx.daemon().skills().spare_supervisors();
        let started = SkillProcess::start_prewarmed(&plan, spares).await;
        let process = started.map_err(|trouble| failure::run_error(&name, limit, trouble))?;
        let outcome = stream_until_exit(process, deadline, &voice).await;
        if matches!(plan.confinement, Confinement::Namespaces { .. }) {
            spares.schedule_refill();
        }
        schedule_after_run(Arc::clone(cx.daemon()), runtime, (ran, hash), (free, requested));
        let outcome = failure::result_document(&name, limit, outcome);
        match lease.transfer_files(&cx) {
            0 => {}
            1 => voice.write("note: it saved a file: `browse downloads` lists it\n").await,
            files => {
                let note = format!("note: it saved {files} files: `browse downloads` lists them\n");
                voice.write(note).await;
            }
        }
        // The token is dead before the caller knows that the program is.
        drop(token);
        if let Some(note) = lease.finish().await {
            voice.write(note).await;
        }
        drop(hold);
        Ok(v1::RunSkillResponse { event: Some(v1::run_skill_response::Event::Output(outcome?)) })
    }))
}

/// Makes ready what only the next run of a skill needs, beside other work.
fn schedule_after_run(
    daemon: Arc<Daemon>,
    runtime: &'static dyn Runtime,
    (skill, hash): (Skill, String),
    trust: (bool, TrustLevel),
) {
    tokio::spawn(async move {
        let (voice, _) = ProgressSink::new();
        runtime.after_run(&setup(&daemon, &skill, (&hash, ""), trust, &voice)).await;
    });
}

/// What a runtime makes the program of `skill` ready with.
pub fn setup<'a>(
    daemon: &'a Daemon,
    skill: &'a Skill,
    (hash, address): (&'a str, &'a str),
    (trusted, trust_level): (bool, TrustLevel),
    progress: &'a ProgressSink,
) -> Setup<'a> {
    let skills = daemon.skills();
    Setup {
        skill,
        hash,
        cache: skills.cache(),
        programs: skills.programs(),
        address,
        trusted,
        sandbox: skills.sandbox(),
        trust_level,
        drafts: skills.drafts(),
        progress,
    }
}

fn untrusted(skill: &str) -> Error {
    let message = format!("the skill `{skill}` visits any host, and is not trusted");
    Error::new(Reason::SkillUntrusted, message).with("skill", skill)
}

/// Hands on standard error while the program runs, and answers how it ended.
async fn stream_until_exit(
    process: SkillProcess,
    deadline: Instant,
    voice: &ProgressSink,
) -> Result<ProcessExit, ProcessError> {
    let (errors, mut pieces) = mpsc::channel::<Vec<u8>>(1);
    let streamed = async {
        while let Some(piece) = pieces.recv().await {
            voice.write(piece).await;
        }
    };
    let finished = async move { process.finish(deadline, output::MAX_OUTPUT_BYTES, &errors).await };
    let (outcome, ()) = tokio::join!(finished, streamed);
    outcome
}

fn stderr(bytes: Vec<u8>) -> v1::RunSkillResponse {
    v1::RunSkillResponse { event: Some(v1::run_skill_response::Event::Stderr(bytes)) }
}

fn base_environment(trusted: bool, caller: HashMap<String, String>) -> Environment {
    if trusted { environment::caller_environment(caller) } else { environment::scrubbed() }
}

/// Address and token are set last: nothing can stand in their place.
fn run_environment(
    mut environment: Environment,
    program: &RuntimeCommand,
    arguments: &SkillArguments,
    hold: &SandboxSession,
    token: &str,
) -> Environment {
    environment.extend(program.environment.clone());
    environment.insert("BROWSE_SKILL_ARGS".to_owned(), arguments.json());
    hold.set_variables(&mut environment);
    environment.insert("BROWSE_SKILL_TOKEN".to_owned(), token.to_owned());
    environment
}

/// What a skill's own messages are preceded by when it runs with less than it
/// asks for.
fn trust_notice(skill: &str) -> String {
    format!(
        "note: `{skill}` asks for trust and runs without; `browse skill trust {skill}` gives it\n"
    )
}

/// The time of a manifest, for a listing.
pub fn timeout_ms(manifest: &SkillManifest) -> u64 {
    u64::try_from(manifest.timeout.as_millis()).unwrap_or(u64::MAX)
}
