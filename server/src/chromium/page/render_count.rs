//! How often the browser styled and laid out the documents of a session.
//!
//! While it counts, it also tells of each `console.timeStamp` of a page, with all that
//! it counts: 43 µs and 1.5 KB. So it does not count for a page that uses them much.

use std::collections::hash_map::Entry;
use std::fmt;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::page::Page;
use crate::chromium::connection::params::NoParams;
use crate::chromium::connection::session::CdpSession;
use crate::chromium::error::Result;

/// What the browser counts of it, and the seconds that it took: another process
/// begins to count anew, and does not come to the same times.
const COUNTED_METRICS: [&str; 4] =
    ["RecalcStyleCount", "LayoutCount", "RecalcStyleDuration", "LayoutDuration"];

/// Time stamps of a page that are put up with.
const MAX_TIME_STAMPS: u32 = 1000;

/// Time stamps of the documents of a session so far.
#[derive(Debug, Default)]
pub(crate) struct TimeStampCount(u32);

/// A count. As long as it stays the same, whatever is rendered has the styles and
/// the boxes that it had; what waits to be styled is not counted yet. Scrolling,
/// selecting, and what pictures show, is never counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderCount(String);

/// The answer of `Performance.getMetrics`.
#[derive(Deserialize)]
struct GetMetricsResult {
    metrics: Vec<Metric>,
}

#[derive(Deserialize)]
struct Metric {
    name: String,
    value: f64,
}

impl GetMetricsResult {
    /// None where the browser does not count.
    fn render_count(&self) -> Option<RenderCount> {
        let value = |name: &str| self.metrics.iter().find(|metric| metric.name == name);
        let values = COUNTED_METRICS.map(|name| value(name).map(|metric| metric.value));
        let values = values.into_iter().collect::<Option<Vec<_>>>()?;
        let values: Vec<_> = values.iter().map(f64::to_string).collect();
        Some(RenderCount(values.join(" ")))
    }
}

impl fmt::Display for RenderCount {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Page {
    /// How often the documents that `session` serves were rendered so far; none
    /// where the browser does not count. It does from the first time that it is asked,
    /// and answers while a script runs, too, ahead of questions that were put before.
    ///
    /// # Errors
    /// When the page goes away meanwhile.
    pub async fn render_count(&self, session: &CdpSession) -> Result<Option<RenderCount>> {
        let is_new = match self.time_stamp_counts.lock().entry(session.id().clone()) {
            Entry::Vacant(entry) => {
                entry.insert(TimeStampCount::default());
                true
            }
            Entry::Occupied(entry) if entry.get().0 > MAX_TIME_STAMPS => return Ok(None),
            Entry::Occupied(_) => false,
        };
        if is_new {
            session.call_method::<IgnoredAny>("Performance.enable", &NoParams).await?;
        }
        let metrics: GetMetricsResult =
            session.call_method("Performance.getMetrics", &NoParams).await?;
        Ok(metrics.render_count())
    }

    /// Takes note of a time stamp of a page; the browser stops counting after many.
    pub(crate) fn count_time_stamp(&self, session: &CdpSession) {
        let mut counting = self.time_stamp_counts.lock();
        let Some(TimeStampCount(stamps)) = counting.get_mut(session.id()) else { return };
        *stamps = stamps.saturating_add(1);
        if *stamps == MAX_TIME_STAMPS + 1 {
            session.call_method::<IgnoredAny>("Performance.disable", &NoParams).ignore();
        }
    }

    /// Another page may use fewer of them.
    pub(crate) fn reset_time_stamps(&self) {
        let mut counting = self.time_stamp_counts.lock();
        counting.retain(|id, TimeStampCount(stamps)| {
            let stays = id == self.session().id() && *stamps <= MAX_TIME_STAMPS;
            *stamps = 0;
            stays
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn renders(text: &str) -> Option<String> {
        let metrics: GetMetricsResult = serde_json::from_str(text).unwrap();
        metrics.render_count().map(|renders| renders.to_string())
    }

    #[test]
    fn a_count_names_all_that_is_counted() {
        let all = r#"{"metrics":[{"name":"LayoutCount","value":22},{"name":"Nodes","value":7},{"name":"RecalcStyleCount","value":26},{"name":"LayoutDuration","value":0.0997},{"name":"RecalcStyleDuration","value":0.0575}]}"#;
        assert_eq!(renders(all).as_deref(), Some("26 22 0.0575 0.0997"));
        assert_eq!(renders(r#"{"metrics":[]}"#), None);
        assert_eq!(renders(r#"{"metrics":[{"name":"LayoutCount","value":22}]}"#), None);
    }
}
