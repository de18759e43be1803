//! Waiting for what a page will do.

use std::time::Duration;

use browse_proto::{Reason, v1};
use tokio::time::Instant;

use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_chromium::LoadState;
use browse_engine::{Predicate, Target};
use browse_sessions::Tab;

/// Time between two looks at an address, which no event announces in full.
const URL_POLL_INTERVAL: Duration = Duration::from_millis(25);

/// Waits until every condition of the request holds.
pub async fn wait(cx: &CallContext, request: v1::WaitRequest) -> Result<v1::WaitResponse> {
    let begun = Instant::now();
    let tab = cx.tab();
    let conditions = parse_conditions(&request)?;
    for condition in &conditions {
        // A margin, so that the answer is ours and not the dispatcher's.
        let last = cx.deadline() - Duration::from_millis(20);
        let met = tokio::time::timeout_at(last, wait_until_met(tab, condition, last)).await;
        match met {
            Ok(met) => met?,
            Err(_) => return Err(wait_timed_out(condition)),
        }
    }
    let waited = begun.elapsed();
    let words: Vec<_> = conditions.iter().map(WaitCondition::description).collect();
    Ok(v1::WaitResponse {
        summary: format!("{} after {} ms", words.join(", "), waited.as_millis()),
        waited_ms: waited.as_millis() as u64,
    })
}

enum WaitCondition {
    Time(Duration),
    Load(LoadState),
    Url(glob::Pattern),
    Page(Predicate, String),
}

impl WaitCondition {
    fn description(&self) -> String {
        match self {
            Self::Time(time) => format!("waited {} ms", time.as_millis()),
            Self::Load(LoadState::NetworkIdle) => "network idle".to_owned(),
            Self::Load(_) => "loaded".to_owned(),
            Self::Url(glob) => format!("address matches `{glob}`"),
            Self::Page(_, words) => words.clone(),
        }
    }
}

fn parse_conditions(request: &v1::WaitRequest) -> Result<Vec<WaitCondition>> {
    let mut conditions = Vec::new();
    if request.load {
        conditions.push(WaitCondition::Load(LoadState::Load));
    }
    if request.networkidle {
        conditions.push(WaitCondition::Load(LoadState::NetworkIdle));
    }
    if let Some(pattern) = &request.url {
        let glob = glob::Pattern::new(pattern);
        let glob =
            glob.map_err(|error| invalid_argument(format!("`{pattern}` is not a glob: {error}")))?;
        conditions.push(WaitCondition::Url(glob));
    }
    if let Some(text) = &request.text {
        let words = format!("`{text}` is on the page");
        conditions.push(WaitCondition::Page(Predicate::Text(text.clone()), words));
    }
    if let Some(hidden) = &request.hidden {
        let words = format!("`{hidden}` is hidden");
        conditions.push(WaitCondition::Page(Predicate::Hidden(parse_target(hidden)?), words));
    }
    if let Some(gone) = &request.gone {
        let words = format!("`{gone}` is gone");
        conditions.push(WaitCondition::Page(Predicate::Gone(parse_target(gone)?), words));
    }
    if let Some(count) = &request.count {
        let Some(counted) = &request.target else {
            return Err(invalid_argument("`--count` needs a target to count".to_owned()));
        };
        let (least, most) = parse_count_range(count)?;
        let words = format!("`{counted}` shows {count} times");
        conditions.push(WaitCondition::Page(
            Predicate::Count(parse_target(counted)?, least, most),
            words,
        ));
        return Ok(conditions);
    }
    match request.target.as_deref().map(|text| (text, text.parse())) {
        Some((_, Ok(ms))) => conditions.push(WaitCondition::Time(Duration::from_millis(ms))),
        Some((text, Err(_))) => {
            let words = format!("`{text}` is visible");
            conditions.push(WaitCondition::Page(Predicate::Visible(parse_target(text)?), words));
        }
        None => {}
    }
    if conditions.is_empty() {
        return Err(invalid_argument("nothing to wait for".to_owned()));
    }
    Ok(conditions)
}

/// `3` is three, `3+` is three or more.
fn parse_count_range(count: &str) -> Result<(u32, u32)> {
    let (number, open) = match count.strip_suffix('+') {
        Some(number) => (number, true),
        None => (count, false),
    };
    let number = number.parse().map_err(|_| {
        invalid_argument(format!("`--count` is `{count}`, and not a number such as 3 or 3+"))
    })?;
    Ok((number, if open { u32::MAX } else { number }))
}

async fn wait_until_met(tab: &Tab, condition: &WaitCondition, last: Instant) -> Result<()> {
    match condition {
        WaitCondition::Time(time) => tokio::time::sleep(*time).await,
        WaitCondition::Load(milestone) => {
            tab.page().wait_for_current(*milestone).await?;
        }
        WaitCondition::Url(glob) => {
            while !glob.matches(&tab.page().url()) {
                tokio::time::sleep(URL_POLL_INTERVAL).await;
            }
        }
        WaitCondition::Page(predicate, _) => tab.engine().wait(predicate, last).await?,
    }
    Ok(())
}

fn parse_target(text: &str) -> Result<Target> {
    Ok(text.parse::<Target>()?)
}

fn invalid_argument(message: String) -> Error {
    Error::new(Reason::ArgumentInvalid, message).with("command", "wait")
}

fn wait_timed_out(condition: &WaitCondition) -> Error {
    let message = format!("the deadline passed before: {}", condition.description());
    Error::new(Reason::WaitTimeout, message)
}
