//! Looks at a live page, and at the fixture of one.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use url::Url;

use super::judge::{self, Finding, Verdict};
use super::room::{Room, VisitFailure};
use crate::engine::{Engine, Outline, Target};
use crate::error::Result;
use crate::skills::record::{Page, Reading, Shape};

/// Time that a page gets to show what is looked for.
const SHOWING: Duration = Duration::from_secs(2);

/// Time between two looks at a page that does not show it yet.
const BETWEEN: Duration = Duration::from_millis(150);

/// What was found out about a page.
#[derive(Debug, Default)]
pub struct Looked {
    /// What is wrong with the page as a whole.
    pub page: Vec<Finding>,
    /// What is wrong with each selector, in their order.
    pub targets: Vec<Option<Finding>>,
    /// What is wrong with each read, in their order.
    pub reads: Vec<Vec<Finding>>,
    /// The outline of the page.
    pub outline: Outline,
    /// What the check has not that the page needs: then nothing was compared.
    pub lacks: Option<Lack>,
}

/// What a check has not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lack {
    /// A way to the host.
    Network(String),
    /// A sign-in.
    SignIn,
}

impl Lack {
    /// The words for it.
    pub fn words(&self) -> &str {
        match self {
            Self::Network(problem) => problem,
            Self::SignIn => "the page asks to sign in, which a check does not",
        }
    }
}

impl Looked {
    /// Everything that is wrong.
    pub fn findings(self) -> Vec<Finding> {
        let targets = self.targets.into_iter().flatten();
        let mut all: Vec<_> =
            self.page.into_iter().chain(targets).chain(self.reads.into_iter().flatten()).collect();
        all.dedup();
        all
    }
}

/// Opens the address of `page` in `room` and compares. `fixture` is the outline
/// of the page that was kept.
///
/// # Errors
/// The browser fails.
pub async fn at(room: &Room, page: &Page, fixture: Option<&Outline>) -> Result<Looked> {
    let mut looked = Looked::default();
    let Ok(url) = Url::parse(&page.url) else {
        looked.page.push((Verdict::Broken, format!("`{}` is no address", page.url)));
        return Ok(looked);
    };
    match room.visit(&url).await {
        None => {}
        Some(VisitFailure::Page(problem)) => {
            looked.page.push((Verdict::Broken, problem));
            return Ok(looked);
        }
        Some(trouble) => {
            looked.lacks = Some(match trouble {
                VisitFailure::Unreachable(problem) => Lack::Network(problem),
                _ => Lack::SignIn,
            });
            return Ok(looked);
        }
    }
    if let Ok(landed) = Url::parse(&room.tab().page().url())
        && (landed.host_str(), landed.path().trim_end_matches('/'))
            != (url.host_str(), url.path().trim_end_matches('/'))
    {
        let place = format!("{}{}", landed.host_str().unwrap_or_default(), landed.path());
        if asks_for_password(room.tab().engine()).await {
            looked.lacks = Some(Lack::SignIn);
            return Ok(looked);
        }
        looked.page.push((Verdict::Drifted, format!("the address leads to {place}")));
    }
    let engine = room.tab().engine();
    let until = Instant::now() + SHOWING;
    loop {
        looked.outline = outline(engine, page).await?;
        looked.targets = targets(page, &looked.outline, fixture);
        looked.reads = reads(engine, page, &looked.outline, fixture).await;
        let broken = |finding: &Finding| finding.0 == Verdict::Broken;
        let whole = !looked.targets.iter().flatten().any(broken)
            && !looked.reads.iter().flatten().any(broken);
        if whole || Instant::now() > until {
            return Ok(looked);
        }
        sleep(BETWEEN).await;
    }
}

/// Whether a page has a field for a password that shows.
async fn asks_for_password(engine: &Engine) -> bool {
    let Ok(field) = "input[type=password]".parse::<Target>() else { return false };
    let outline = engine.outline(&[field], &[]).await;
    outline.is_ok_and(|outline| outline.targets.iter().any(|target| target.visible > 0))
}

/// The outline of what `page` is about. Without reads that is all of it.
///
/// # Errors
/// The page does not answer.
pub async fn outline(engine: &Engine, page: &Page) -> Result<Outline> {
    let targets: Vec<Target> = page
        .targets
        .iter()
        .map(|used| used.target.parse())
        .collect::<Result<_, crate::engine::Error>>()?;
    let mut regions: Vec<_> = page.reads.iter().map(region).collect();
    if regions.is_empty() {
        regions.push(None);
    }
    Ok(engine.outline(&targets, &regions).await?)
}

fn region(reading: &Reading) -> Option<Target> {
    reading.arguments.get("target").and_then(Value::as_str)?.parse().ok()
}

fn targets(page: &Page, now: &Outline, fixture: Option<&Outline>) -> Vec<Option<Finding>> {
    let was = |at: usize| {
        fixture.and_then(|fixture| fixture.targets.get(at)).filter(|was| was.count == 1)
    };
    let pairs = page.targets.iter().zip(&now.targets).enumerate();
    pairs.map(|(at, (used, standing))| judge::target(used, standing, was(at))).collect()
}

async fn reads(
    engine: &Engine,
    page: &Page,
    now: &Outline,
    fixture: Option<&Outline>,
) -> Vec<Vec<Finding>> {
    let regions = |at: usize| Some((now.regions.get(at)?, fixture?.regions.get(at)?));
    let structure = |at: usize, name: &str| {
        regions(at).map(|(now, was)| judge::region(name, now, was)).unwrap_or_default()
    };
    if page.reads.is_empty() {
        return vec![structure(0, "the page")];
    }
    let mut all = Vec::new();
    for (at, reading) in page.reads.iter().enumerate() {
        let name = format!("`{}`", reading.command);
        let mut findings = result(engine, reading).await;
        findings.extend(structure(at, &name));
        all.push(findings);
    }
    all
}

/// Whether a read still answers what it did.
async fn result(engine: &Engine, reading: &Reading) -> Vec<Finding> {
    let name = &reading.command;
    let answer = match read(engine, reading).await {
        None => return Vec::new(),
        Some(Ok(answer)) => answer,
        Some(Err(error)) => return vec![(Verdict::Broken, format!("`{name}`: {error}"))],
    };
    let Some(shape) = Shape::of(&reading.answer) else { return Vec::new() };
    if let Some(lack) = shape.lacks(&answer) {
        return vec![(Verdict::Broken, format!("`{name}`: {lack}"))];
    }
    match (reading.answer.as_str(), answer.as_str()) {
        (Some(was), Some(now)) if judge::is_figures(was) && !judge::is_figures(now) => {
            vec![(Verdict::Drifted, format!("`{name}`: it was a number, and is words now"))]
        }
        _ => Vec::new(),
    }
}

/// Reads what the skill reads; none for a command that is not looked into.
async fn read(engine: &Engine, reading: &Reading) -> Option<Result<Value, crate::engine::Error>> {
    let text = |name: &str| reading.arguments.get(name).and_then(Value::as_str);
    let target: Option<Target> = text("target").and_then(|target| target.parse().ok());
    let plain = |answer: Result<String, _>| Some(answer.map(Value::from));
    match (reading.command.as_str(), &target) {
        ("text", target) => plain(engine.text(target.as_ref()).await),
        ("html", target) => plain(engine.html(target.as_ref()).await),
        ("markdown", target) => plain(engine.markdown(target.as_ref()).await),
        ("links", _) => {
            let record =
                |link: crate::engine::Link| json!({ "text": link.text, "href": link.href });
            Some(engine.links().await.map(|links| links.into_iter().map(record).collect()))
        }
        ("attrs", Some(target)) => {
            let record = |(name, value)| json!({ "name": name, "value": value });
            Some(engine.attrs(target).await.map(|all| all.into_iter().map(record).collect()))
        }
        ("get", Some(target)) => match text("property")? {
            "value" => plain(engine.value(target).await),
            "name" => plain(engine.describe(target).await.map(|described| described.name)),
            _ => None,
        },
        _ => None,
    }
}
