//! The deadline that a call sets in its headers.

use std::time::Duration;

use http::HeaderMap;

/// A `grpc-timeout`: a number of one to eight digits that is not zero, and a
/// unit. Source: gRPC over HTTP/2, "Requests".
pub fn parse_grpc_timeout(text: &str) -> Option<Duration> {
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let plain = digits.len() <= 8 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number: u64 = digits.parse().ok().filter(|number| plain && *number > 0)?;
    Some(match unit {
        "H" => Duration::from_secs(number * 3600),
        "M" => Duration::from_secs(number * 60),
        "S" => Duration::from_secs(number),
        "m" => Duration::from_millis(number),
        "u" => Duration::from_micros(number),
        "n" => Duration::from_nanos(number),
        _ => return None,
    })
}

/// The time that a call gives, in the form of gRPC or of Connect; none where it says none, or what
/// cannot be read.
pub fn requested_timeout(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    match text("grpc-timeout") {
        Some(timeout) => parse_grpc_timeout(timeout),
        None => text("connect-timeout-ms")?.parse().ok().map(Duration::from_millis),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_of_grpc_comes_first() {
        let requested = |headers: &[(&'static str, &str)]| {
            let pair = |(name, value): &(&'static str, &str)| {
                (http::HeaderName::from_static(name), value.parse().expect("a header"))
            };
            requested_timeout(&headers.iter().map(pair).collect())
        };
        assert_eq!(requested(&[("grpc-timeout", "250m")]), Some(Duration::from_millis(250)));
        assert_eq!(requested(&[("connect-timeout-ms", "5000")]), Some(Duration::from_secs(5)));
        let both = [("grpc-timeout", "1S"), ("connect-timeout-ms", "5000")];
        assert_eq!(requested(&both), Some(Duration::from_secs(1)));
        for bad in ["", "S", "5", "5x", "-1S", "0S", "123456789S"] {
            assert_eq!(requested(&[("grpc-timeout", bad)]), None, "{bad:?}");
        }
        assert_eq!(requested(&[]), None);
    }
}
