//! Writes a skill from a recording, or from a trace.

use browse_proto::{Reason, v1};

use super::{
    draft_writer,
    replay::{self, ReplayReport},
    source::RecordingSource,
};
use crate::{
    dispatch::CallContext,
    handlers::skills::check::{self, UnsafeRequests},
    skills::{
        program::{ProgramPlan, ProgramWriter, SkillFile, SkillInputs},
        record::{
            MAX_READS, SkillRecording,
            fixture::{self, FixtureNotes},
            self_description::SelfDescription,
            skill_md::{self, SkillSummary},
        },
        runtime::{self, Runtime},
        tier::Tier,
    },
};
use browse_base::{Error, HINT_KEY, Result};
use browse_net::HostPolicy;
use browse_sessions::Session;

/// Writes the skill that the recording of the session comes to, or the trace that is named.
pub async fn save_skill_record(
    cx: &CallContext,
    request: v1::SaveSkillRecordRequest,
) -> Result<v1::SaveSkillRecordResponse> {
    let source = RecordingSource::find(cx, &request).await?;
    let saved = save_from(cx, request, &source).await;
    saved.map_err(|error| source.complete_error(error))
}

async fn save_from(
    cx: &CallContext,
    request: v1::SaveSkillRecordRequest,
    source: &RecordingSource,
) -> Result<v1::SaveSkillRecordResponse> {
    let tier = if request.global { Tier::Global } else { Tier::Project };
    let recording = &source.recording;
    draft_writer::check_name(cx, tier, &request.name)?;
    let draft = RecordedSkill::from_recording(recording, &request);
    let mut draft = draft.map_err(|error| error.with_default("skill", &request.name))?;
    if request.replay() != v1::SkillReplay::None {
        check_values(&draft.plan)?;
    }
    let held = source.held.as_deref();
    let replayed = replay::replay(cx, &draft.plan, &draft.hosts, &request, held).await?;
    let of_user = request.user_session || replayed.needs_session;
    draft.add_skill_md(&request, recording, of_user)?;
    // A check has not what a flow of the user needs.
    if !of_user {
        let sending = match request.replay() {
            v1::SkillReplay::All => UnsafeRequests::Allowed,
            _ => UnsafeRequests::Blocked,
        };
        let settled =
            check::probe_reachability(cx, &mut draft.notes.pages, &draft.hosts, sending).await;
        // It is only for checks: the skill is none the worse.
        let _ = settled.inspect_err(|error| tracing::debug!(%error, "pages were not looked at"));
    }
    draft.finish()?;
    let runtime = draft.runtime;
    let (path, left) = match request.draft {
        true => {
            draft_writer::stage(cx, runtime, &draft.files).map(|(path, name)| (path, Some(name)))?
        }
        false => {
            let written =
                draft_writer::write_and_commit(cx, tier, (&request.name, runtime), &draft.files)
                    .await?;
            (written.path, None)
        }
    };
    let plan = &draft.plan;
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let unlisted_hosts = unreached_hosts(source.session.as_deref(), &draft.hosts)?;
    Ok(v1::SaveSkillRecordResponse {
        summary: draft.summary(&request, tier, left.as_deref(), &replayed, &unlisted_hosts),
        name: request.name,
        tier: tier.to_proto().into(),
        path,
        files: draft.files.iter().map(|(name, _)| name.clone()).collect(),
        kept: count(plan.steps().count()),
        dropped: count(plan.dropped_steps),
        replayed: count(replayed.steps),
        session: if of_user { "user" } else { "own" }.to_owned(),
        args: plan.inputs.all.iter().map(argument).collect(),
        draft: left,
    })
}

/// A skill that is not written yet.
pub struct RecordedSkill {
    /// What it does.
    pub plan: ProgramPlan,
    /// Its files, without the SDK.
    pub files: Vec<SkillFile>,
    /// What is kept beside the page.
    pub notes: FixtureNotes,
    /// `host` or `host:port` that it may visit.
    pub hosts: Vec<String>,
    /// What its program runs on.
    pub runtime: &'static dyn Runtime,
    /// What wrote its program.
    writer: &'static dyn ProgramWriter,
    /// Path of the fixture within the folder, without extension.
    stem: String,
}

impl RecordedSkill {
    /// The skill that `recording` comes to. The same recording gives the same
    /// files.
    ///
    /// # Errors
    /// As [`Plan::of`]; the name or a host is none.
    pub fn from_recording(
        recording: &SkillRecording,
        request: &v1::SaveSkillRecordRequest,
    ) -> Result<Self> {
        let reads = request.reads.unwrap_or(1) as usize;
        if reads == 0 || reads > MAX_READS {
            return Err(invalid(format!("`--reads` is {reads}, and can be 1 to {MAX_READS}")));
        }
        let inputs = SkillInputs::parse(&request.arg, recording.secret_texts())?;
        let plan = ProgramPlan::from_recording(recording, inputs, reads)?;
        let known = plan.inputs.secrets();
        let date = date(recording);
        let mut hosts = plan.hosts.clone();
        hosts.extend(request.host.iter().filter(|host| !plan.hosts.contains(host)).cloned());
        if hosts.is_empty() {
            return Err(Error::new(Reason::SkillRecordingUnfit, "the recording visits no host"));
        }
        HostPolicy::from_patterns(&hosts).map_err(|error| invalid(error.to_string()))?;
        let (runtime, writer) = runtime_for(request.lang())?;
        let stem = fixture::file_stem(&plan, &date);
        let url = plan.outputs().last().map(|(call, _)| call.url.clone()).unwrap_or_default();
        let html = recording.page.clone().ok_or_else(|| {
            Error::new(Reason::SkillRecordingUnfit, "the page could not be kept when it was read")
        })?;
        let notes = fixture::fixture_notes(&plan, writer);
        let mut files = writer.files(&request.name, &plan, &format!("{stem}.json"));
        files.push((format!("{stem}.html"), fixture::page_html(&html, &url, &known)));
        Ok(Self { plan, files, notes, hosts, runtime, writer, stem })
    }

    /// Adds SKILL.md.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add_skill_md(
        &mut self,
        request: &v1::SaveSkillRecordRequest,
        recording: &SkillRecording,
        of_user: bool,
    ) -> Result<()> {
        let about = SkillSummary {
            description: SelfDescription::from_request(request, &self.plan, &self.hosts),
            name: &request.name,
            hosts: &self.hosts,
            date: &date(recording),
            needs_user_session: of_user,
        };
        let manual = skill_md::write_skill_md(&about, &self.plan, self.writer)?;
        self.files.insert(0, ("SKILL.md".to_owned(), manual));
        Ok(())
    }

    /// Adds the notes, and looks a last time for what must not be kept.
    ///
    /// # Errors
    /// `SKILL_RECORDING_SECRET`.
    pub fn finish(&mut self) -> Result<()> {
        let notes = serde_json::to_string_pretty(&self.notes)
            .map_err(|error| Error::new(Reason::Bug, error.to_string()))?;
        self.files.push((format!("{}.json", self.stem), notes + "\n"));
        check_no_secrets(&self.files, &self.plan.inputs.secrets())
    }

    fn summary(
        &self,
        request: &v1::SaveSkillRecordRequest,
        tier: Tier,
        left: Option<&str>,
        replayed: &ReplayReport,
        unlisted_hosts: &[String],
    ) -> String {
        let (plan, name) = (&self.plan, &request.name);
        let place = left.map_or(tier.name(), |_| "draft");
        let (kept, dropped) = (plan.steps().count(), plan.dropped_steps);
        let mut lines = vec![replay_summary(replayed, kept, request.replay())];
        lines.push(format!("wrote {name} ({place}): {kept} steps kept, {dropped} left out"));
        let mut say = |what: &str, names: &[String]| {
            let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
            lines.extend((!names.is_empty()).then(|| format!("{what}: {}", names.join(", "))));
        };
        let secret = plan.inputs.all.iter().filter(|input| input.default.is_none());
        let secret: Vec<_> = secret.map(|input| input.name.clone()).collect();
        say("secrets, which each run is given", &secret);
        say(
            "left out because a skill may not run them",
            &plan.denied_commands.iter().map(ToString::to_string).collect::<Vec<_>>(),
        );
        say("its pages also load from these; add `--host` for those that it needs", unlisted_hosts);
        let of_user = request.user_session || replayed.needs_session;
        if of_user {
            lines.push(format!(
                "it needs what this session holds, such as a sign-in: its SKILL.md asks for `session: user`, which `browse skill trust {name}` grants"
            ));
        }
        if !of_user && !self.notes.pages.iter().any(|page| page.reachable) {
            lines.push(
                "`browse skill check` cannot look at it: its pages need its steps".to_owned(),
            );
        }
        let words: Vec<_> = secret.iter().map(|name| format!(" --arg {name}=…")).collect();
        let target = if tier == Tier::Project { " --project" } else { "" };
        lines.push(match left {
            Some(draft) => format!(
                "next: `browse skill test {draft}`, then `browse skill commit {draft}{target}`"
            ),
            None => format!("run it: `browse skill run {name}{}`", words.concat()),
        });
        lines.join("\n")
    }
}

/// The runtime of a language, and what writes programs for it: TypeScript where
/// none is asked for.
fn runtime_for(
    language: v1::SkillLanguage,
) -> Result<(&'static dyn Runtime, &'static dyn ProgramWriter)> {
    let language = match language {
        v1::SkillLanguage::Unspecified => v1::SkillLanguage::Ts,
        language => language,
    };
    let mut all = runtime::ALL
        .into_iter()
        .filter_map(|runtime| runtime.program_writer().map(|writer| (runtime, writer)));
    all.find(|(_, writer)| writer.language() == language)
        .ok_or_else(|| Error::new(Reason::Bug, "no runtime writes this language"))
}

/// How far the replay came, in words.
fn replay_summary(replayed: &ReplayReport, kept: usize, wanted: v1::SkillReplay) -> String {
    match (&replayed.stop_reason, wanted) {
        (_, v1::SkillReplay::None) => "not replayed".to_owned(),
        (None, _) => format!("replayed all {kept} steps in a session of its own"),
        (Some(why), _) => format!(
            "replayed {} of {kept} steps in a session of its own: {why}; `--replay all` goes on",
            replayed.steps
        ),
    }
}

/// Hosts that the pages of the session load from and the skill does not reach,
/// at most five.
fn unreached_hosts(session: Option<&Session>, hosts: &[String]) -> Result<Vec<String>> {
    let own = HostPolicy::from_patterns(hosts)?;
    let mut found: Vec<String> = Vec::new();
    let tabs = session.map(Session::tabs).unwrap_or_default();
    for line in tabs.iter().flat_map(|tab| tab.network().all()) {
        let Ok(url) = url::Url::parse(&line.summary.url) else { continue };
        let host = url.host_str().unwrap_or_default().to_owned();
        let is_web = matches!(url.scheme(), "http" | "https") && line.summary.r#type != "document";
        if is_web && !own.allows(&url) && !found.contains(&host) && found.len() < 5 {
            found.push(host);
        }
    }
    Ok(found)
}

/// Refuses to replay a program with secrets that were in the memory of an earlier daemon.
fn check_values(plan: &ProgramPlan) -> Result<()> {
    let missing = plan.inputs.missing_values();
    if missing.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = missing.iter().map(|name| format!("`{name}`")).collect();
    let given: Vec<_> = missing.iter().map(|name| format!("--arg {name}=<value>")).collect();
    let message = format!(
        "what was typed for {} was in the memory of a daemon that has ended",
        names.join(", ")
    );
    let hint = format!("Give it again: `{}`, or add `--replay none`", given.join(" "));
    Err(Error::new(Reason::SkillRecordingSecret, message).with(HINT_KEY, hint))
}

/// The last look: nothing that is to be kept may hold a secret.
fn check_no_secrets(files: &[SkillFile], known: &[String]) -> Result<()> {
    let dirty =
        |text: &str| known.iter().any(|secret| secret.len() >= 4 && text.contains(secret.as_str()));
    match files.iter().find(|(_, text)| dirty(text)) {
        None => Ok(()),
        Some((name, _)) => {
            let message = format!("`{name}` would hold a secret");
            Err(Error::new(Reason::SkillRecordingSecret, message))
        }
    }
}

fn date(recording: &SkillRecording) -> String {
    humantime::format_rfc3339_seconds(recording.started_at).to_string().chars().take(10).collect()
}

fn argument(input: &crate::skills::program::SkillInput) -> v1::SkillArgument {
    v1::SkillArgument {
        name: input.name.clone(),
        description: String::new(),
        required: input.default.is_none(),
        default: input.default.clone(),
    }
}

fn invalid(message: String) -> Error {
    Error::new(Reason::ArgumentInvalid, message).with("command", "skill record save")
}
