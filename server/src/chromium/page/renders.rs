//! How often the browser styled and laid out the documents of a session.

use std::fmt;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::page::Page;
use crate::chromium::connection::params::NoParams;
use crate::chromium::connection::session::Session;
use crate::chromium::error::Result;

/// What the browser counts of it, and the seconds that it took: another process
/// begins to count anew, and does not come to the same times.
const COUNTED: [&str; 4] =
    ["RecalcStyleCount", "LayoutCount", "RecalcStyleDuration", "LayoutDuration"];

/// A count. As long as it stays the same, whatever is rendered has the styles and
/// the boxes that it had; what waits to be styled is not counted yet. Scrolling, and
/// what pictures show, is never counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Renders(String);

/// The answer of `Performance.getMetrics`.
#[derive(Deserialize)]
struct Metrics {
    metrics: Vec<Metric>,
}

#[derive(Deserialize)]
struct Metric {
    name: String,
    value: f64,
}

impl Metrics {
    /// None where the browser does not count.
    fn renders(&self) -> Option<Renders> {
        let value = |name: &str| self.metrics.iter().find(|metric| metric.name == name);
        let values = COUNTED.map(|name| value(name).map(|metric| metric.value));
        let values = values.into_iter().collect::<Option<Vec<_>>>()?;
        let values: Vec<_> = values.iter().map(f64::to_string).collect();
        Some(Renders(values.join(" ")))
    }
}

impl fmt::Display for Renders {
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
    pub async fn renders(&self, session: &Session) -> Result<Option<Renders>> {
        if self.counting.lock().insert(session.id().clone()) {
            session.call_method::<IgnoredAny>("Performance.enable", &NoParams).ignore();
        }
        let metrics: Metrics = session.call_method("Performance.getMetrics", &NoParams).await?;
        Ok(metrics.renders())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn renders(text: &str) -> Option<String> {
        let metrics: Metrics = serde_json::from_str(text).unwrap();
        metrics.renders().map(|renders| renders.to_string())
    }

    #[test]
    fn a_count_names_all_that_is_counted() {
        let all = r#"{"metrics":[{"name":"LayoutCount","value":22},{"name":"Nodes","value":7},{"name":"RecalcStyleCount","value":26},{"name":"LayoutDuration","value":0.0997},{"name":"RecalcStyleDuration","value":0.0575}]}"#;
        assert_eq!(renders(all).as_deref(), Some("26 22 0.0575 0.0997"));
        assert_eq!(renders(r#"{"metrics":[]}"#), None);
        assert_eq!(renders(r#"{"metrics":[{"name":"LayoutCount","value":22}]}"#), None);
    }
}
