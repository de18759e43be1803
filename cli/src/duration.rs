//! Durations as people write them: `30s`, `500ms`, `2m`, `1m30s`, `1.5s`.
//! A bare number is milliseconds, as in `BROWSE_IDLE_TIMEOUT`.

use std::time::Duration;

/// Reads `text`; `None` when it is not a duration, or none above zero.
pub fn parse(text: &str) -> Option<Duration> {
    let mut total = 0.0;
    let mut rest = text.trim();
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number: f64 = rest[..digits].parse().ok()?;
        let unit = &rest[digits..];
        let letters = unit.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(unit.len());
        let factor = match &unit[..letters] {
            "" if total == 0.0 => 0.001,
            "ms" => 0.001,
            "s" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            _ => return None,
        };
        total += number * factor;
        rest = unit[letters..].trim_start();
    }
    let duration = Duration::try_from_secs_f64(total).ok()?;
    (duration.as_millis() > 0).then_some(duration)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_a_duration() {
        let ms = |text| parse(text).map(|duration| duration.as_millis());
        assert_eq!(ms("30s"), Some(30_000));
        assert_eq!(ms("500ms"), Some(500));
        assert_eq!(ms("2m"), Some(120_000));
        assert_eq!(ms("1m30s"), Some(90_000));
        assert_eq!(ms("1.5s"), Some(1_500));
        assert_eq!(ms("250"), Some(250));
        for wrong in ["", "0", "0s", "-1s", "fast", "5 parsecs", "1e9h", "5s3"] {
            assert_eq!(ms(wrong), None, "{wrong}");
        }
    }
}
