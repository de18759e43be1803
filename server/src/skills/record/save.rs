//! Writes a skill from a recording.

use browse_proto::{Reason, v1};

use super::code::{File, Language};
use super::inputs::Inputs;
use super::manual::{self, About};
use super::plan::Plan;
use super::recordings::Recording;
use super::{fixture, fixture::Notes, place};
use crate::dispatch::Context;
use crate::error::{Error, Result};
use crate::policy::Hosts;
use crate::skills::{check, tier::Tier};

/// Reads that one result may consist of.
const MOST_READS: usize = 20;

/// Writes the skill that the recording of the session comes to.
pub async fn save_skill_record(
    cx: &Context,
    request: v1::SaveSkillRecordRequest,
) -> Result<v1::SaveSkillRecordResponse> {
    let tier = if request.project { Tier::Project } else { Tier::Global };
    let session = cx.session()?;
    let recording = cx.daemon().skills().recordings().read(session.name())?;
    place::check(cx, tier, &request.name)?;
    let draft = Draft::of(&recording, &request);
    let mut draft = draft.map_err(|error| error.or_with("skill", &request.name))?;
    check::settle(cx, &mut draft.notes.pages, &draft.hosts).await?;
    draft.finish()?;
    let wanted = (request.name.as_str(), draft.language.kind());
    let written = place::write(cx, tier, wanted, &draft.files).await?;
    let plan = &draft.plan;
    let kept = u32::try_from(plan.calls.len()).unwrap_or(u32::MAX);
    let dropped = u32::try_from(plan.dropped).unwrap_or(u32::MAX);
    Ok(v1::SaveSkillRecordResponse {
        summary: draft.summary(&request.name, tier),
        name: request.name,
        tier: tier.message().into(),
        path: written.path,
        files: draft.files.iter().map(|(name, _)| name.clone()).collect(),
        kept,
        dropped,
        args: plan.inputs.all.iter().map(argument).collect(),
    })
}

/// A skill that is not written yet.
pub struct Draft {
    /// What it does.
    pub plan: Plan,
    /// Its files, without the SDK.
    pub files: Vec<File>,
    /// What is kept beside the page.
    pub notes: Notes,
    /// `host` or `host:port` that it may visit.
    pub hosts: Vec<String>,
    /// What it is written in.
    pub language: Language,
    /// Path of the fixture within the folder, without extension.
    stem: String,
}

impl Draft {
    /// The skill that `recording` comes to. The same recording gives the same
    /// files.
    ///
    /// # Errors
    /// As [`Plan::of`]; the name or a host is none.
    pub fn of(recording: &Recording, request: &v1::SaveSkillRecordRequest) -> Result<Self> {
        let reads = request.reads.unwrap_or(1) as usize;
        if reads == 0 || reads > MOST_READS {
            return Err(invalid(format!("`--reads` is {reads}, and can be 1 to {MOST_READS}")));
        }
        let inputs = Inputs::read(&request.arg, recording)?;
        let plan = Plan::of(recording, inputs, reads)?;
        let known = plan.inputs.secrets();
        let date = date(recording);
        let mut hosts = plan.hosts.clone();
        hosts.extend(request.host.iter().filter(|host| !plan.hosts.contains(host)).cloned());
        if hosts.is_empty() {
            return Err(Error::new(Reason::SkillRecordingUnfit, "the recording visits no host"));
        }
        Hosts::list(&hosts).map_err(|error| invalid(error.to_string()))?;
        let language = match request.lang() {
            v1::SkillLanguage::Unspecified | v1::SkillLanguage::Ts => Language::TypeScript,
            v1::SkillLanguage::Py => Language::Python,
            v1::SkillLanguage::Rust => Language::Rust,
        };
        let line = |text: &str| crate::skills::manifest::one_line(text);
        let description = request.description.as_deref().map(line);
        let triggers: Vec<_> = request.trigger.iter().map(|trigger| line(trigger)).collect();
        let about = About {
            name: &request.name,
            description: description.as_deref().filter(|text| !text.is_empty()),
            triggers: &triggers,
            hosts: &hosts,
            date: &date,
        };
        let stem = fixture::stem(&plan, &date);
        let url = plan.outputs().last().map(|(call, _)| call.url.clone()).unwrap_or_default();
        let html = recording.page.clone().ok_or_else(|| {
            Error::new(Reason::SkillRecordingUnfit, "the page could not be kept when it was read")
        })?;
        let notes = fixture::notes(&plan, language);
        let mut files = vec![("SKILL.md".to_owned(), manual::write(&about, &plan, language)?)];
        files.extend(language.files(&request.name, &plan, &format!("{stem}.json")));
        files.push((format!("{stem}.html"), fixture::page(&html, &url, &known)));
        Ok(Self { plan, files, notes, hosts, language, stem })
    }

    /// Adds the notes, and looks a last time for what must not be kept.
    ///
    /// # Errors
    /// `SKILL_RECORDING_SECRET`.
    pub fn finish(&mut self) -> Result<()> {
        let notes = serde_json::to_string_pretty(&self.notes)
            .map_err(|error| Error::new(Reason::Bug, error.to_string()))?;
        self.files.push((format!("{}.json", self.stem), notes + "\n"));
        spotless(&self.files, &self.plan.inputs.secrets())
    }

    fn summary(&self, name: &str, tier: Tier) -> String {
        let plan = &self.plan;
        let mut lines = vec![format!(
            "wrote {name} ({}): {} steps kept, {} left out",
            tier.name(),
            plan.calls.len(),
            plan.dropped
        )];
        let given: Vec<_> =
            plan.inputs.all.iter().filter(|input| input.default.is_none()).collect();
        if !given.is_empty() {
            let names: Vec<_> = given.iter().map(|input| format!("`{}`", input.name)).collect();
            lines.push(format!("secrets, which each run is given: {}", names.join(", ")));
        }
        if !plan.denied.is_empty() {
            let names: Vec<_> = plan.denied.iter().map(|name| format!("`{name}`")).collect();
            lines.push(format!("left out because a skill may not run them: {}", names.join(", ")));
        }
        if !self.notes.pages.iter().any(|page| page.reachable) {
            lines.push(
                "`browse skill check` cannot look at it: its pages need its steps".to_owned(),
            );
        }
        let words: Vec<_> = given.iter().map(|input| format!(" --arg {}=…", input.name)).collect();
        lines.push(format!("run it: `browse skill run {name}{}`", words.concat()));
        lines.join("\n")
    }
}

/// The last look: nothing that is to be kept may hold a secret.
fn spotless(files: &[File], known: &[String]) -> Result<()> {
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

fn date(recording: &Recording) -> String {
    humantime::format_rfc3339_seconds(recording.begun).to_string().chars().take(10).collect()
}

fn argument(input: &super::inputs::Input) -> v1::SkillArgument {
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
