//! When cookies end.

use std::time::{Duration, UNIX_EPOCH};

use browse_chromium::unix_seconds;

/// The last second that can be written: the end of the year 9999.
const MAX_TIMESTAMP_SECONDS: f64 = 253_402_300_799.0;

/// A time that a caller wrote: RFC 3339, a duration from now, or seconds since
/// the epoch.
pub fn parse(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Some(seconds).filter(|seconds| (0.0..=MAX_TIMESTAMP_SECONDS).contains(seconds));
    }
    if let Ok(time) = humantime::parse_rfc3339_weak(text) {
        return time.duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs_f64());
    }
    let duration = humantime::parse_duration(text).ok()?;
    Some(unix_seconds() + duration.as_secs_f64())
        .filter(|seconds| *seconds <= MAX_TIMESTAMP_SECONDS)
}

/// A time as RFC 3339, to the second.
pub fn format_rfc3339(seconds: f64) -> String {
    let since =
        Duration::try_from_secs_f64(seconds.clamp(0.0, MAX_TIMESTAMP_SECONDS)).unwrap_or_default();
    humantime::format_rfc3339_seconds(UNIX_EPOCH + since).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_three_forms() {
        assert_eq!(parse("2030-01-31T12:00:00Z"), Some(1_896_091_200.0));
        assert_eq!(parse("1896091200"), Some(1_896_091_200.0));
        assert!(parse("30d").is_some_and(|time| (time - unix_seconds() - 2_592_000.0).abs() < 5.0));
        for text in ["", "soon", "-1", "NaN", "1e30", "inf", "9999999999999y"] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(format_rfc3339(1_896_091_200.9), "2030-01-31T12:00:00Z");
        assert_eq!(format_rfc3339(f64::INFINITY), "9999-12-31T23:59:59Z");
    }
}
