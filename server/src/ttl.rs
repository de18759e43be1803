//! The value of `--ttl`: how long something that is given out is good.

use std::time::Duration;

use browse_base::{Error, Result};
use browse_proto::Reason;

/// Reads a time from one second to `longest`, a whole number of hours or days, for `command`.
///
/// # Errors
/// `ARGUMENT_INVALID`.
pub fn parse(command: &str, text: &str, longest: Duration) -> Result<Duration> {
    let time = humantime::parse_duration(text).ok();
    time.filter(|time| (Duration::from_secs(1)..=longest).contains(time)).ok_or_else(|| {
        let hours = longest.as_secs() / 3600;
        let longest = if hours > 24 { format!("{}d", hours / 24) } else { format!("{hours}h") };
        let quoted = browse_base::quote(text);
        let message =
            format!("`--ttl` is a time from 1s to {longest}, such as 30m, and not `{quoted}`");
        Error::new(Reason::ArgumentInvalid, message).with("command", command)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_limits() {
        let day = Duration::from_secs(24 * 3600);
        assert_eq!(parse("x", "90m", day).expect("a time"), Duration::from_secs(5400));
        assert_eq!(parse("x", "24h", day).expect("the longest"), day);
        for (text, longest, limit) in
            [("0s", day, "24h"), ("25h", day, "24h"), ("soon", day, "24h"), ("8d", day * 7, "7d")]
        {
            let error = parse("x", text, longest).expect_err(text).to_string();
            assert!(error.contains(&format!("to {limit},")), "{error}");
        }
    }
}
