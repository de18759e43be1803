//! Looks at a live page, and at the fixture of one.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use url::Url;

use super::{
    drift::{self, DriftFinding, DriftSeverity},
    scratch_session::{ScratchSession, VisitFailure},
};
use crate::skills::{
    program::ResultShape,
    record::{RecordedPage, RecordedRead},
};
use browse_base::Result;
use browse_engine::{Engine, Outline, Target};

/// Time that a page gets to show what is looked for.
const PAGE_READY_TIMEOUT: Duration = Duration::from_secs(2);

/// Time between two looks at a page that does not show it yet.
const POLL_INTERVAL: Duration = Duration::from_millis(150);

/// What was found out about a page.
#[derive(Debug, Default)]
pub struct ProbeResult {
    /// What is wrong with the page as a whole.
    pub page_findings: Vec<DriftFinding>,
    /// What is wrong with each selector, in their order.
    pub target_findings: Vec<Option<DriftFinding>>,
    /// What is wrong with each read, in their order.
    pub read_findings: Vec<Vec<DriftFinding>>,
    /// The outline of the page.
    pub outline: Outline,
    /// What the check has not that the page needs: then nothing was compared.
    pub missing: Option<MissingPrerequisite>,
}

/// What a check has not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MissingPrerequisite {
    /// A way to the host.
    Network(String),
    /// A sign-in.
    SignIn,
}

impl MissingPrerequisite {
    /// The words for it.
    pub fn message(&self) -> &str {
        match self {
            Self::Network(problem) => problem,
            Self::SignIn => "the page asks to sign in, which a check does not",
        }
    }
}

impl ProbeResult {
    /// Everything that is wrong.
    pub fn findings(self) -> Vec<DriftFinding> {
        let targets = self.target_findings.into_iter().flatten();
        let mut all: Vec<_> = self
            .page_findings
            .into_iter()
            .chain(targets)
            .chain(self.read_findings.into_iter().flatten())
            .collect();
        all.dedup();
        all
    }
}

/// Opens the address of `page` in `room` and compares. `fixture` is the outline
/// of the page that was kept.
///
/// # Errors
/// The browser fails.
pub async fn probe(
    room: &ScratchSession,
    page: &RecordedPage,
    fixture: Option<&Outline>,
) -> Result<ProbeResult> {
    let mut looked = ProbeResult::default();
    let Ok(url) = Url::parse(&page.url) else {
        looked
            .page_findings
            .push((DriftSeverity::Broken, format!("`{}` is not an address", page.url)));
        return Ok(looked);
    };
    match room.visit(&url).await {
        None => {}
        Some(VisitFailure::Page(problem)) => {
            looked.page_findings.push((DriftSeverity::Broken, problem));
            return Ok(looked);
        }
        Some(trouble) => {
            looked.missing = Some(match trouble {
                VisitFailure::Unreachable(problem) => MissingPrerequisite::Network(problem),
                _ => MissingPrerequisite::SignIn,
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
            looked.missing = Some(MissingPrerequisite::SignIn);
            return Ok(looked);
        }
        looked
            .page_findings
            .push((DriftSeverity::Drifted, format!("the address leads to {place}")));
    }
    let engine = room.tab().engine();
    let until = Instant::now() + PAGE_READY_TIMEOUT;
    loop {
        looked.outline = page_outline(engine, page).await?;
        looked.target_findings = compare_targets(page, &looked.outline, fixture);
        looked.read_findings = compare_reads(engine, page, &looked.outline, fixture).await;
        let broken = |finding: &DriftFinding| finding.0 == DriftSeverity::Broken;
        let whole = !looked.target_findings.iter().flatten().any(broken)
            && !looked.read_findings.iter().flatten().any(broken);
        if whole || Instant::now() > until {
            return Ok(looked);
        }
        sleep(POLL_INTERVAL).await;
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
pub async fn page_outline(engine: &Engine, page: &RecordedPage) -> Result<Outline> {
    let targets: Vec<Target> = page
        .targets
        .iter()
        .map(|used| used.target.parse())
        .collect::<Result<_, browse_engine::Error>>()?;
    let mut regions: Vec<_> = page.reads.iter().map(read_region).collect();
    if regions.is_empty() {
        regions.push(None);
    }
    Ok(engine.outline(&targets, &regions).await?)
}

fn read_region(reading: &RecordedRead) -> Option<Target> {
    reading.arguments.get("target").and_then(Value::as_str)?.parse().ok()
}

fn compare_targets(
    page: &RecordedPage,
    now: &Outline,
    fixture: Option<&Outline>,
) -> Vec<Option<DriftFinding>> {
    let was = |at: usize| {
        fixture.and_then(|fixture| fixture.targets.get(at)).filter(|was| was.count == 1)
    };
    let pairs = page.targets.iter().zip(&now.targets).enumerate();
    pairs.map(|(at, (used, standing))| drift::compare_target(used, standing, was(at))).collect()
}

async fn compare_reads(
    engine: &Engine,
    page: &RecordedPage,
    now: &Outline,
    fixture: Option<&Outline>,
) -> Vec<Vec<DriftFinding>> {
    let regions = |at: usize| Some((now.regions.get(at)?, fixture?.regions.get(at)?));
    let structure = |at: usize, name: &str| {
        regions(at).map(|(now, was)| drift::compare_region(name, now, was)).unwrap_or_default()
    };
    if page.reads.is_empty() {
        return vec![structure(0, "the page")];
    }
    let mut all = Vec::new();
    for (at, reading) in page.reads.iter().enumerate() {
        let name = format!("`{}`", reading.command);
        let mut findings = compare_result(engine, reading).await;
        findings.extend(structure(at, &name));
        all.push(findings);
    }
    all
}

/// Whether a read still answers what it did.
async fn compare_result(engine: &Engine, reading: &RecordedRead) -> Vec<DriftFinding> {
    let name = &reading.command;
    let answer = match run_read(engine, reading).await {
        None => return Vec::new(),
        Some(Ok(answer)) => answer,
        Some(Err(error)) => return vec![(DriftSeverity::Broken, format!("`{name}`: {error}"))],
    };
    let Some(shape) = ResultShape::infer(&reading.answer) else { return Vec::new() };
    if let Some(lack) = shape.missing_part(&answer) {
        return vec![(DriftSeverity::Broken, format!("`{name}`: {lack}"))];
    }
    match (reading.answer.as_str(), answer.as_str()) {
        (Some(was), Some(now)) if drift::is_numeric(was) && !drift::is_numeric(now) => {
            vec![(DriftSeverity::Drifted, format!("`{name}`: it was a number, and is words now"))]
        }
        _ => Vec::new(),
    }
}

/// Reads what the skill reads; none for a command that is not looked into.
async fn run_read(
    engine: &Engine,
    reading: &RecordedRead,
) -> Option<Result<Value, browse_engine::Error>> {
    let text = |name: &str| reading.arguments.get(name).and_then(Value::as_str);
    let target: Option<Target> = text("target").and_then(|target| target.parse().ok());
    let plain = |answer: Result<String, _>| Some(answer.map(Value::from));
    match (reading.command.as_str(), &target) {
        ("text", target) => plain(engine.text(target.as_ref()).await),
        ("html", target) => plain(engine.html(target.as_ref()).await),
        ("markdown", target) => plain(engine.markdown(target.as_ref()).await),
        ("links", _) => {
            let record =
                |link: browse_engine::PageLink| json!({ "text": link.text, "href": link.href });
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
