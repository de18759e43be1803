//! The settings of traces.

use std::time::Duration;

use browse_base::{Error, Result};
use browse_proto::Reason;
use serde::Deserialize;

use super::endpoint::CollectorUrl;

/// What the errors call the place of a setting.
const PLACE: &str = "`[traces]` of the settings of the gateway";

/// Spans that the queue holds, at least and at most: those of one call fit, and take little memory.
const QUEUE_LIMITS: std::ops::RangeInclusive<usize> = 256..=100_000;

/// Where traces go, and what is in them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceSettings {
    /// The collector: its base URL for OTLP over HTTP, to which `/v1/traces` is added.
    pub endpoint: String,
    /// The part of calls that begin a trace, from 0 to 1. A call whose caller has begun one is
    /// sampled when that says so.
    #[serde(default = "default_sample")]
    pub sample: f64,
    /// Whether the tenant of a call is in its trace.
    #[serde(default)]
    pub tenant: bool,
    /// Whether scheme and host of the requests of pages are in traces.
    #[serde(default)]
    pub hosts: bool,
    /// Spans that wait to be exported at most.
    #[serde(default = "default_queue")]
    pub queue: usize,
    /// The longest that a span waits for others to be exported with.
    #[serde(default = "default_interval", deserialize_with = "crate::duration::from_text")]
    pub interval: Duration,
}

impl TraceSettings {
    /// Checks them; answers where the collector is.
    ///
    /// # Errors
    /// `SETTING_INVALID`, with the name of the setting.
    pub(super) fn check(&self) -> Result<CollectorUrl> {
        if !(0.0..=1.0).contains(&self.sample) {
            return Err(invalid_setting("sample", "it is a number from 0 to 1"));
        }
        if !QUEUE_LIMITS.contains(&self.queue) {
            return Err(invalid_setting("queue", "it is a number from 256 to 100000"));
        }
        CollectorUrl::parse(&self.endpoint).map_err(|why| invalid_setting("endpoint", why))
    }
}

pub(super) fn invalid_setting(setting: &str, why: &str) -> Error {
    let message = format!("the setting `{setting}` of traces is not valid: {why}");
    Error::new(Reason::SettingInvalid, message).with("setting", setting).with("place", PLACE)
}

fn default_sample() -> f64 {
    0.1
}

fn default_queue() -> usize {
    8192
}

fn default_interval() -> Duration {
    Duration::from_secs(5)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<CollectorUrl> {
        toml::from_str::<TraceSettings>(text).expect(text).check()
    }

    #[test]
    fn mistakes_are_named() {
        let endpoint = "endpoint = 'http://collector:4318'";
        check(endpoint).expect("the others have a default");
        check(&format!("{endpoint}\nsample = 1")).expect("a whole number is one, too");
        for (text, setting) in [
            ("endpoint = 'collector:4318'".to_owned(), "endpoint"),
            (format!("{endpoint}\nsample = 1.5"), "sample"),
            (format!("{endpoint}\nsample = nan"), "sample"),
            (format!("{endpoint}\nqueue = 1"), "queue"),
        ] {
            let error = check(&text).map(|_| ()).expect_err(&text);
            assert_eq!(error.metadata()["setting"], setting, "{text}");
        }
    }
}
