//! When cookies end.

use std::time::{Duration, UNIX_EPOCH};

use crate::chromium::now;

/// The last second that can be written: the end of the year 9999.
const LAST: f64 = 253_402_300_799.0;

/// A time that a caller wrote: RFC 3339, a duration from now, or seconds since
/// the epoch.
pub fn read(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Some(seconds).filter(|seconds| (0.0..=LAST).contains(seconds));
    }
    if let Ok(time) = humantime::parse_rfc3339_weak(text) {
        return time.duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs_f64());
    }
    let duration = humantime::parse_duration(text).ok()?;
    Some(now() + duration.as_secs_f64()).filter(|seconds| *seconds <= LAST)
}

/// A time as RFC 3339, to the second.
pub fn write(seconds: f64) -> String {
    let since = Duration::try_from_secs_f64(seconds.clamp(0.0, LAST)).unwrap_or_default();
    humantime::format_rfc3339_seconds(UNIX_EPOCH + since).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_three_forms() {
        assert_eq!(read("2030-01-31T12:00:00Z"), Some(1_896_091_200.0));
        assert_eq!(read("1896091200"), Some(1_896_091_200.0));
        assert!(read("30d").is_some_and(|time| (time - now() - 2_592_000.0).abs() < 5.0));
        for text in ["", "soon", "-1", "NaN", "1e30", "inf", "9999999999999y"] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(write(1_896_091_200.9), "2030-01-31T12:00:00Z");
        assert_eq!(write(f64::INFINITY), "9999-12-31T23:59:59Z");
    }
}
