//! Compares skills with the live pages that they were made for.
//!
//! A page is opened in a session of its own and looked at: nothing is clicked or
//! typed. So only pages are compared that show what the skill needs when they
//! are simply opened; `skill record save` finds out which do.

mod baseline;
mod drift;
mod page_probe;
mod scratch_session;

use browse_proto::{Reason, v1};
use futures::{FutureExt as _, StreamExt as _, stream};
use url::Url;

use super::run;
use crate::{
    dispatch::CallContext,
    skills::{
        manifest::SessionMode,
        progress::ProgressSink,
        record::RecordedPage,
        sandbox::TrustLevel,
        skill::{Skill, SkillContents},
        tier::Tier,
    },
};
use baseline::Baseline;
use browse_base::{Error, Result};
use browse_engine::Outline;
use browse_net::HostPolicy;
use drift::{DriftFinding, DriftSeverity};
use page_probe::ProbeResult;
pub use scratch_session::ScratchSession;

/// Pages that are looked at at once.
const MAX_CONCURRENT_PAGES: usize = 4;

/// How the reason begins when there is no way to a host.
const OFFLINE_PREFIX: &str = "the network does not reach ";

/// Why a skill that asks for the session of its user cannot be checked.
const NEEDS_USER_SESSION: &str =
    "it needs what the session of its user holds, which a check has not";

/// Why one cannot be whose result shows only at the end of a flow.
const NEEDS_FLOW: &str = "its pages show what it needs only after it acted on them";

/// What becomes of requests by other methods than GET, HEAD and OPTIONS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsafeRequests {
    /// They are sent.
    Allowed,
    /// They end below the page.
    Blocked,
}

/// What the session of a fixture reaches.
const FIXTURE_HOST: &str = "fixture.invalid";

/// Checks one skill, or all of them.
pub async fn check_skills(
    cx: &CallContext,
    request: v1::CheckSkillsRequest,
) -> Result<v1::CheckSkillsResponse> {
    let (catalog, tier) = (cx.daemon().skills().catalog(), Tier::from_request(request.source));
    let skills = match &request.name {
        Some(name) => vec![catalog.find(name, tier)?],
        None if request.all => catalog.list(tier),
        None if request.due.is_some() => {
            due_skills(cx, catalog.list(tier), request.due.as_deref())?
        }
        None => {
            let message = "`skill check` needs the name of a skill, `--all` or `--due`";
            return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "skill check"));
        }
    };
    cx.set_source("the pages of the skills");
    let checks: Vec<_> = skills.iter().map(|skill| check_skill(cx, skill).boxed()).collect();
    let found: Vec<CheckedSkill> =
        stream::iter(checks).buffered(MAX_CONCURRENT_PAGES).collect().await;
    record_results(cx, &skills, &found);
    let skills = found.into_iter().map(|checked| checked.health).collect();
    Ok(v1::CheckSkillsResponse { skills })
}

/// What a check found.
struct CheckedSkill {
    health: v1::SkillHealth,
    /// Whether the skill was checked: without its runtime or a network it is due
    /// again at once.
    is_complete: bool,
}

async fn check_skill(cx: &CallContext, skill: &Skill) -> CheckedSkill {
    if let Ok(contents) = skill.contents()
        && let Err(error) = contents.runtime.find(cx.daemon().skills().programs()).await
    {
        // The skill may be as good as ever: this machine cannot run it.
        let health = v1::SkillHealth {
            name: skill.name.clone(),
            state: "unchecked".to_owned(),
            reasons: vec![error.to_string()],
            ..Default::default()
        };
        return CheckedSkill { health, is_complete: false };
    }
    let health = health(cx, skill).await;
    let is_offline = health.state == "unchecked"
        && health.reasons.iter().any(|why| why.starts_with(OFFLINE_PREFIX));
    CheckedSkill { health, is_complete: !is_offline }
}

/// The skills that were not checked for `age`, or changed since.
fn due_skills(cx: &CallContext, skills: Vec<Skill>, age: Option<&str>) -> Result<Vec<Skill>> {
    let age = age.unwrap_or_default();
    let parsed = humantime::parse_duration(age).map_err(|_| {
        let message = format!(
            "`--due` needs an age such as `7d` or `12h`, not `{}`",
            browse_base::quote(age)
        );
        Error::new(Reason::ArgumentInvalid, message).with("command", "skill check")
    })?;
    let shelf = cx.daemon().skills();
    let known = shelf.checks().all();
    // One that cannot be read is due: a check says what is wrong with it.
    let is_due =
        |skill: &Skill| shelf.hash(skill).map_or(true, |hash| known.is_due(skill, &hash, parsed));
    Ok(skills.into_iter().filter(is_due).collect())
}

/// Records what was found. A check is worth no less when that fails.
fn record_results(cx: &CallContext, skills: &[Skill], found: &[CheckedSkill]) {
    let shelf = cx.daemon().skills();
    let mut all = Vec::new();
    for (skill, checked) in skills.iter().zip(found) {
        if checked.is_complete
            && let Ok(hash) = shelf.hash(skill)
        {
            all.push((skill, hash, checked.health.state.as_str()));
        }
    }
    if let Err(error) = shelf.checks().record(&all) {
        tracing::warn!(%error, "the checks were not recorded");
    }
}

async fn health(cx: &CallContext, skill: &Skill) -> v1::SkillHealth {
    let mut health = v1::SkillHealth { name: skill.name.clone(), ..Default::default() };
    let unchecked = |mut health: v1::SkillHealth, why: &str| {
        (health.state, health.reasons) = ("unchecked".to_owned(), vec![why.to_owned()]);
        health
    };
    let (contents, material) = match (skill.contents(), Baseline::read(&skill.folder)) {
        (Ok(contents), Ok(material)) => (contents, material),
        (Err(error), _) => return broken(health, error.to_string()),
        (_, Err(problem)) => return broken(health, problem),
    };
    if let Err(error) = check_program(cx, skill, &contents).await {
        return broken(health, error.to_string());
    }
    let Some(last) = material.pages.last() else {
        return unchecked(health, "neither its fixture nor its program names an address");
    };
    health.url = last.url.clone();
    let of_user = contents.manifest.session == SessionMode::User;
    let pages: Vec<_> = material.pages.iter().filter(|page| page.reachable).collect();
    if pages.is_empty() {
        return unchecked(health, if of_user { NEEDS_USER_SESSION } else { NEEDS_FLOW });
    }
    let hosts = contents.manifest.hosts.clone();
    let mut findings: Vec<DriftFinding> = Vec::new();
    for page in pages {
        let fixture = material.fixture.as_deref().filter(|_| std::ptr::eq(page, last));
        match compare(cx, page, fixture, &hosts).await {
            Ok(ProbeResult { missing: Some(lack), .. }) => {
                return unchecked(health, lack.message());
            }
            Ok(looked) => findings.extend(looked.findings()),
            Err(error) => findings.push((DriftSeverity::Broken, error.to_string())),
        }
    }
    if of_user && !findings.is_empty() {
        return unchecked(health, NEEDS_USER_SESSION);
    }
    if findings.is_empty() && !last.reachable {
        // The pages before it are as they were; the result was not looked at.
        return unchecked(health, NEEDS_FLOW);
    }
    // What is broken comes first.
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.0));
    let state = match findings.first() {
        None => "fresh",
        Some((DriftSeverity::Drifted, _)) => "drifted",
        Some((DriftSeverity::Broken, _)) => "broken",
    };
    health.state = state.to_owned();
    health.reasons = findings.into_iter().map(|(_, reason)| reason).collect();
    health.reasons.dedup();
    health
}

/// Whether the program of a skill would start on this machine.
async fn check_program(cx: &CallContext, skill: &Skill, contents: &SkillContents) -> Result<()> {
    let skills = cx.daemon().skills();
    let hash = skills.hash(skill)?;
    let trusted = contents.manifest.requests_trust && skills.trust().is_trusted(skill, &hash);
    let trust_level = match trusted {
        true => TrustLevel::Trusted,
        false => TrustLevel::Untrusted,
    };
    let (progress, _) = ProgressSink::new();
    let setup = run::setup(cx.daemon(), skill, (&hash, ""), (trusted, trust_level), &progress);
    match contents.runtime.check(&setup).await {
        // Its pages can be compared all the same.
        Err(error) if error.reason() == Reason::SandboxUnavailable => Ok(()),
        checked => checked,
    }
}

fn broken(mut health: v1::SkillHealth, why: String) -> v1::SkillHealth {
    (health.state, health.reasons) = ("broken".to_owned(), vec![why]);
    health
}

async fn compare(
    cx: &CallContext,
    page: &RecordedPage,
    fixture: Option<&str>,
    hosts: &HostPolicy,
) -> Result<ProbeResult> {
    if let Ok(url) = Url::parse(&page.url) {
        let broken = |why: String| {
            Ok(ProbeResult {
                page_findings: vec![(DriftSeverity::Broken, why)],
                ..ProbeResult::default()
            })
        };
        if !hosts.allows(&url) {
            return broken(format!("{} is none of its hosts", url.host_str().unwrap_or_default()));
        }
        if let Err(error) = cx.check_address(&url) {
            return broken(error.to_string());
        }
    }
    let was = match fixture {
        Some(html) => Some(fixture_outline(cx, page, html).await?),
        None => None,
    };
    let room = ScratchSession::open(cx, hosts.clone()).await?;
    page_probe::probe(&room, page, was.as_ref()).await
}

/// The outline of a page that was kept, shown where no network is.
async fn fixture_outline(cx: &CallContext, page: &RecordedPage, html: &str) -> Result<Outline> {
    let room = ScratchSession::open(cx, HostPolicy::from_patterns([FIXTURE_HOST])?).await?;
    room.show_html(html).await?;
    page_probe::page_outline(room.tab().engine(), page).await
}

/// Looks at the pages of a skill that is about to be written, and keeps of each
/// what shows when it is simply opened. `sending` says whether the pages may send
/// requests such as POST meanwhile.
///
/// # Errors
/// A host is none.
pub async fn probe_reachability(
    cx: &CallContext,
    pages: &mut [RecordedPage],
    hosts: &[String],
    sending: UnsafeRequests,
) -> Result<()> {
    let hosts = HostPolicy::from_patterns(hosts)?;
    let looks: Vec<_> =
        pages.iter_mut().map(|page| probe_page(cx, page, &hosts, sending).boxed()).collect();
    stream::iter(looks).buffered(MAX_CONCURRENT_PAGES).collect::<Vec<()>>().await;
    Ok(())
}

async fn probe_page(
    cx: &CallContext,
    page: &mut RecordedPage,
    hosts: &HostPolicy,
    sending: UnsafeRequests,
) {
    let looked = async {
        let room = ScratchSession::open(cx, hosts.clone()).await?;
        if sending == UnsafeRequests::Blocked {
            room.block_unsafe_requests().await?;
        }
        page_probe::probe(&room, page, None).await
    };
    // What cannot be looked at is not looked at later either.
    let Ok(looked) = looked.await else { return };
    if !looked.page_findings.is_empty() || looked.missing.is_some() {
        page.targets.clear();
        page.reads.clear();
        return;
    }
    for (used, standing) in page.targets.iter_mut().zip(&looked.outline.targets) {
        used.demands = Some(standing.demands.clone());
    }
    let mut fine = looked.target_findings.iter().map(Option::is_none);
    page.targets.retain(|_| fine.next().unwrap_or(false));
    let wanted = page.reads.len();
    let mut fine = looked.read_findings.iter().map(Vec::is_empty);
    page.reads.retain(|_| fine.next().unwrap_or(false));
    // A page whose result does not show is one that needs the steps before it.
    let shows = page.reads.len() == wanted || wanted == 0;
    page.reachable = shows && (!page.targets.is_empty() || !page.reads.is_empty());
}
