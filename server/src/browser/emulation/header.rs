//! Headers that go with every request.

use browse_proto::v1;

use super::invalid;
use crate::{chromium::Header, dispatch::Context, error::Result, secrets::redact_header};

/// Headers of a session, and bytes of one.
const MOST: usize = 50;
const LONGEST: usize = 8_192;

/// Headers that the browser writes itself: another value would break requests.
const OWN: [&str; 9] = [
    "connection",
    "content-length",
    "content-encoding",
    "host",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Sets, removes or lists headers.
pub async fn header(cx: &Context, request: v1::HeaderRequest) -> Result<v1::HeaderResponse> {
    let state = match request.header {
        None => cx.page().emulation(),
        Some(text) => {
            let new = parse(&text)?;
            let known = cx.page().emulation().headers;
            let more = known.iter().filter(|header| header.name != new.name).count();
            if more >= MOST && !new.value.is_empty() {
                return Err(invalid(format!("{MOST} headers are set already")));
            }
            cx.page()
                .emulate(|state| {
                    state.headers.retain(|header| header.name != new.name);
                    if !new.value.is_empty() {
                        state.headers.push(new);
                    }
                })
                .await?
        }
    };
    Ok(v1::HeaderResponse { headers: state.headers.iter().map(shown).collect() })
}

/// A header as it may be printed.
pub(super) fn shown(header: &Header) -> v1::ExtraHeader {
    let value = redact_header(&header.name, &header.value);
    v1::ExtraHeader { name: header.name.clone(), value }
}

/// `name: value`. No message quotes the value: it may be a secret.
fn parse(text: &str) -> Result<Header> {
    let (name, value) = text
        .split_once(':')
        .ok_or_else(|| invalid("a header is written `name: value`, and `name:` to end it"))?;
    let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || name.len() > 200 || !name.bytes().all(is_token) {
        return Err(invalid(format!("`{}` is no name of a header", crate::error::quote(&name))));
    }
    if OWN.contains(&name.as_str()) || name.starts_with("proxy-") || name.starts_with("sec-") {
        return Err(invalid(format!("`{name}` is written by the browser itself")));
    }
    if value.len() > LONGEST || !value.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        let message =
            format!("the value of `{name}` is not printable ASCII of at most {LONGEST} bytes");
        return Err(invalid(message));
    }
    Ok(Header { name, value: value.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_are_told_apart_at_the_first_colon() {
        let header = parse(" X-Url : http://a/b ").unwrap();
        assert_eq!((header.name.as_str(), header.value.as_str()), ("x-url", "http://a/b"));
        assert_eq!(parse("x-test:").unwrap().value, "");
        for text in ["", "x-test", ": v", "a b: c", "host: x", "Sec-Fetch-Mode: x", "x: a\r\nb: c"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn secrets_are_in_no_echo_and_no_error() {
        let header = parse("Authorization: Bearer hunter2").unwrap();
        assert_eq!(shown(&header).value, "Bearer [redacted]");
        assert!(!format!("{header:?}").contains("hunter2"));
        let error = parse("authorization: hunter2\u{7}").unwrap_err();
        assert!(!error.to_string().contains("hunter2"));
    }
}
