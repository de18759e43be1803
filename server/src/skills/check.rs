//! Compares skills with the live pages that they were made for.
//!
//! A page is opened in a session of its own and looked at: nothing is clicked or
//! typed. So only pages are compared that show what the skill needs when they
//! are simply opened; `skill record save` finds out which do.

mod judge;
mod look;
mod material;
mod room;

use browse_proto::{Reason, v1};
use futures::{FutureExt as _, StreamExt as _, stream};
use url::Url;

use super::record::Page;
use super::{skill::Skill, tier::Tier};
use crate::dispatch::Context;
use crate::engine::Outline;
use crate::error::{Error, Result};
use crate::policy::Hosts;
use judge::{Finding, Verdict};
use material::Material;
use room::Room;

/// Pages that are looked at at once.
const AT_ONCE: usize = 4;

/// What the session of a fixture reaches.
const NOWHERE: &str = "fixture.invalid";

/// Checks one skill, or all of them.
pub async fn check_skills(
    cx: &Context,
    request: v1::CheckSkillsRequest,
) -> Result<v1::CheckSkillsResponse> {
    let (catalog, tier) = (cx.daemon().skills().catalog(), Tier::named(request.source));
    let skills = match &request.name {
        Some(name) => vec![catalog.find(name, tier)?],
        None if request.all => catalog.list(tier),
        None => {
            let message = "`skill check` wants the name of a skill, or `--all`";
            return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "skill check"));
        }
    };
    cx.set_source("the pages of the skills");
    let checks: Vec<_> = skills.iter().map(|skill| health(cx, skill).boxed()).collect();
    let skills = stream::iter(checks).buffered(AT_ONCE).collect().await;
    Ok(v1::CheckSkillsResponse { skills })
}

async fn health(cx: &Context, skill: &Skill) -> v1::SkillHealth {
    let mut health = v1::SkillHealth { name: skill.name.clone(), ..Default::default() };
    let unchecked = |mut health: v1::SkillHealth, why: &str| {
        (health.state, health.reasons) = ("unchecked".to_owned(), vec![why.to_owned()]);
        health
    };
    let (contents, material) = match (skill.contents(), Material::read(&skill.folder)) {
        (Ok(contents), Ok(material)) => (contents, material),
        (Err(error), _) => return broken(health, error.to_string()),
        (_, Err(problem)) => return broken(health, problem),
    };
    let Some(last) = material.pages.last() else {
        return unchecked(health, "neither its fixture nor its program names an address");
    };
    health.url = last.url.clone();
    let pages: Vec<_> = material.pages.iter().filter(|page| page.reachable).collect();
    if pages.is_empty() {
        return unchecked(health, "its pages show what it needs only after it acted on them");
    }
    let hosts = contents.manifest.hosts.clone();
    let mut findings: Vec<Finding> = Vec::new();
    for page in pages {
        let fixture = material.fixture.as_deref().filter(|_| std::ptr::eq(page, last));
        match compare(cx, page, fixture, &hosts).await {
            Ok(found) => findings.extend(found),
            Err(error) => findings.push((Verdict::Broken, error.to_string())),
        }
    }
    // What is broken comes first.
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.0));
    let state = match findings.first() {
        None => "fresh",
        Some((Verdict::Drifted, _)) => "drifted",
        Some((Verdict::Broken, _)) => "broken",
    };
    health.state = state.to_owned();
    health.reasons = findings.into_iter().map(|(_, reason)| reason).collect();
    health.reasons.dedup();
    health
}

fn broken(mut health: v1::SkillHealth, why: String) -> v1::SkillHealth {
    (health.state, health.reasons) = ("broken".to_owned(), vec![why]);
    health
}

async fn compare(
    cx: &Context,
    page: &Page,
    fixture: Option<&str>,
    hosts: &Hosts,
) -> Result<Vec<Finding>> {
    if let Ok(url) = Url::parse(&page.url) {
        let broken = |why: String| Ok(vec![(Verdict::Broken, why)]);
        if !hosts.allows(&url) {
            return broken(format!("{} is none of its hosts", url.host_str().unwrap_or_default()));
        }
        if let Err(error) = cx.check_address(&url) {
            return broken(error.to_string());
        }
    }
    let was = match fixture {
        Some(html) => Some(of_fixture(cx, page, html).await?),
        None => None,
    };
    let room = Room::open(cx, hosts.clone()).await?;
    Ok(look::at(&room, page, was.as_ref()).await?.findings())
}

/// The outline of a page that was kept, shown where no network is.
async fn of_fixture(cx: &Context, page: &Page, html: &str) -> Result<Outline> {
    let room = Room::open(cx, Hosts::list([NOWHERE])?).await?;
    room.show(html).await?;
    look::outline(room.tab().engine(), page).await
}

/// Looks at the pages of a skill that is about to be written, and keeps of each
/// what shows when it is simply opened.
///
/// # Errors
/// A host is none.
pub async fn settle(cx: &Context, pages: &mut [Page], hosts: &[String]) -> Result<()> {
    let hosts = Hosts::list(hosts)?;
    let looks: Vec<_> = pages.iter_mut().map(|page| settle_one(cx, page, &hosts).boxed()).collect();
    stream::iter(looks).buffered(AT_ONCE).collect::<Vec<()>>().await;
    Ok(())
}

async fn settle_one(cx: &Context, page: &mut Page, hosts: &Hosts) {
    let looked = async {
        let room = Room::open(cx, hosts.clone()).await?;
        look::at(&room, page, None).await
    };
    // What cannot be looked at is not looked at later either.
    let Ok(looked) = looked.await else { return };
    if !looked.page.is_empty() {
        page.targets.clear();
        page.reads.clear();
        return;
    }
    for (used, standing) in page.targets.iter_mut().zip(&looked.outline.targets) {
        used.demands = Some(standing.demands.clone());
    }
    let mut fine = looked.targets.iter().map(Option::is_none);
    page.targets.retain(|_| fine.next().unwrap_or(false));
    let mut fine = looked.reads.iter().map(Vec::is_empty);
    page.reads.retain(|_| fine.next().unwrap_or(false));
    page.reachable = !page.targets.is_empty() || !page.reads.is_empty();
}
