//! Lists and shows skills.

use browse_proto::{Reason, v1};
use url::Url;

use super::run;
use crate::{
    dispatch::CallContext,
    skills::{
        check_history::{KnownChecks, SkillCheck},
        matching,
        runtime::RuntimeLabels,
        sandbox::SandboxProbe,
        skill::{Skill, SkillContents},
        tier::Tier,
    },
};
use browse_base::{Error, Result};

/// How a trusted run is confined; the words of `skill show`.
const UNCONFINED_DESCRIPTION: &str = "none, for it is trusted: it gets the environment of its caller; the token is \
    good for the hosts above only, and everything that the run started is ended with it";

/// Lists the skills.
pub async fn list_skills(
    cx: &CallContext,
    request: v1::ListSkillsRequest,
) -> Result<v1::ListSkillsResponse> {
    let skills = cx.daemon().skills().catalog().list(Tier::from_request(request.source));
    let known = cx.daemon().skills().checks().all();
    let labels = RuntimeLabels::find(cx.daemon().skills().programs()).await;
    let host = request.host.as_deref().map(host_url).transpose()?;
    let fits = |skill: &&Skill| host.as_ref().is_none_or(|host| allows_url(skill, host));
    let described = |skill: &Skill| {
        let mut described = describe(cx, skill, &labels, &known);
        if let Some(intent) = &request.r#match {
            described.score = Some(matching::score(&skill.contents().ok()?.manifest, intent)?);
        }
        Some(described)
    };
    let mut skills: Vec<_> = skills.iter().filter(fits).filter_map(described).collect();
    cx.set_source("the files of the skills");
    // By name already; the best first.
    skills.sort_by_key(|skill| std::cmp::Reverse(skill.score));
    Ok(v1::ListSkillsResponse { skills })
}

/// The address of a host, as a caller writes it.
fn host_url(host: &str) -> Result<Url> {
    let url = if host.contains("://") { host.to_owned() } else { format!("https://{host}/") };
    Url::parse(&url).ok().filter(Url::has_host).ok_or_else(|| {
        let message = format!("`{}` is not a host", host.escape_debug());
        Error::new(Reason::ArgumentInvalid, message).with("command", "skill list")
    })
}

fn allows_url(skill: &Skill, url: &Url) -> bool {
    skill.contents().is_ok_and(|contents| contents.manifest.hosts.allows(url))
}

/// Shows a skill, also one that cannot run.
pub async fn show_skill(
    cx: &CallContext,
    request: v1::ShowSkillRequest,
) -> Result<v1::ShowSkillResponse> {
    let skills = cx.daemon().skills();
    let skill = skills.catalog().find(&request.name, Tier::from_request(request.source))?;
    cx.set_source("the files of the skill");
    let contents = skill.contents().ok();
    let has_environment =
        contents.as_ref().is_some_and(|contents| contents.manifest.requests_trust)
            && skills.is_trusted(&skill);
    let sandbox = match has_environment {
        true => UNCONFINED_DESCRIPTION.to_owned(),
        false => describe_confinement(skills.sandbox().probe().await.as_ref()),
    };
    let labels = RuntimeLabels::find(skills.programs()).await;
    Ok(v1::ShowSkillResponse {
        skill: Some(describe(cx, &skill, &labels, &skills.checks().all())),
        path: skill.folder.display().to_string(),
        hash: skills.hash(&skill).unwrap_or_default(),
        sandbox,
        prose: contents.map(|contents| contents.prose.clone()).unwrap_or_default(),
    })
}

/// How a run that is not trusted is confined.
fn describe_confinement(found: &SandboxProbe) -> String {
    let described = found.describe();
    match found.backend {
        Some(_) => described,
        None => format!("{described}: it runs with `--allow-unsandboxed` only"),
    }
}

fn describe(
    cx: &CallContext,
    skill: &Skill,
    labels: &RuntimeLabels,
    known: &KnownChecks,
) -> v1::Skill {
    let tier = skill.tier.to_proto().into();
    let check = known.last_check(skill);
    let checked = check.map_or_else(|| "never checked".to_owned(), SkillCheck::summary);
    let Ok(contents) = skill.contents() else {
        return v1::Skill {
            name: skill.name.clone(),
            tier,
            trust: "untrusted".to_owned(),
            problem: skill.problem().unwrap_or_default().to_owned(),
            checked,
            ..v1::Skill::default()
        };
    };
    let SkillContents { manifest, runtime: of, .. } = &*contents;
    let skills = cx.daemon().skills();
    let trust = match skills.is_trusted(skill) {
        true => "trusted",
        false if skills.trust().was_trusted(skill) => "changed",
        false if manifest.needs_trust() => "asks",
        false => "untrusted",
    };
    let (runtime, problem) = match labels.get(*of) {
        Ok(label) => (label, String::new()),
        Err(error) => ("missing".to_owned(), format!("{error}")),
    };
    v1::Skill {
        name: skill.name.clone(),
        description: manifest.description.clone(),
        hosts: manifest.host_patterns.clone(),
        tier,
        runtime,
        language: of.name().to_owned(),
        trust: trust.to_owned(),
        triggers: manifest.triggers.clone(),
        args: manifest.args.iter().map(argument).collect(),
        version: manifest.version.clone(),
        source: manifest.source.name().to_owned(),
        session: manifest.session.name().to_owned(),
        timeout_ms: run::timeout_ms(manifest),
        problem,
        score: None,
        checked,
        checked_ms: check.map(|check| check.time_ms),
        health: check.map(|check| check.state.clone()).unwrap_or_default(),
    }
}

fn argument(argument: &crate::skills::manifest::ArgumentSpec) -> v1::SkillArgument {
    v1::SkillArgument {
        name: argument.name.clone(),
        description: argument.description.clone(),
        required: argument.required,
        default: argument.default.clone(),
    }
}
