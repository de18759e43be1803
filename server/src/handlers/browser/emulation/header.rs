//! Headers that go with every request.

use browse_proto::v1;

use super::invalid;
use crate::dispatch::CallContext;
use browse_base::Result;
use browse_chromium::RequestHeader;
use browse_secrets::redact_header;

/// Headers of a session, and bytes of one.
const MAX_HEADERS: usize = 50;
const MAX_HEADER_BYTES: usize = 8_192;

/// Headers that the browser writes itself: another value would break requests.
const BROWSER_HEADERS: [&str; 9] = [
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
pub async fn header(cx: &CallContext, request: v1::HeaderRequest) -> Result<v1::HeaderResponse> {
    let state = match request.header {
        None => cx.page().emulation(),
        Some(text) => {
            let new = parse_header(&text)?;
            let known = cx.page().emulation().headers;
            let more = known.iter().filter(|header| header.name != new.name).count();
            if more >= MAX_HEADERS && !new.value.is_empty() {
                return Err(invalid(format!("{MAX_HEADERS} headers are set already")));
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
    Ok(v1::HeaderResponse { headers: state.headers.iter().map(redacted_header).collect() })
}

/// A header as it may be printed.
pub(super) fn redacted_header(header: &RequestHeader) -> v1::ExtraHeader {
    let value = redact_header(&header.name, &header.value);
    v1::ExtraHeader { name: header.name.clone(), value }
}

/// `name: value`. No message quotes the value: it may be a secret.
fn parse_header(text: &str) -> Result<RequestHeader> {
    let (name, value) = text
        .split_once(':')
        .ok_or_else(|| invalid("a header is written `name: value`, and `name:` to end it"))?;
    let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || name.len() > 200 || !name.bytes().all(is_token) {
        return Err(invalid(format!("`{}` is not a header name", browse_base::quote(&name))));
    }
    if BROWSER_HEADERS.contains(&name.as_str())
        || name.starts_with("proxy-")
        || name.starts_with("sec-")
    {
        return Err(invalid(format!("`{name}` is written by the browser itself")));
    }
    if value.len() > MAX_HEADER_BYTES || !value.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        let message = format!(
            "the value of `{name}` is not printable ASCII of at most {MAX_HEADER_BYTES} bytes"
        );
        return Err(invalid(message));
    }
    Ok(RequestHeader { name, value: value.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_are_told_apart_at_the_first_colon() {
        let header = parse_header(" X-Url : http://a/b ").unwrap();
        assert_eq!((header.name.as_str(), header.value.as_str()), ("x-url", "http://a/b"));
        assert_eq!(parse_header("x-test:").unwrap().value, "");
        for text in ["", "x-test", ": v", "a b: c", "host: x", "Sec-Fetch-Mode: x", "x: a\r\nb: c"]
        {
            assert!(parse_header(text).is_err(), "{text}");
        }
    }

    #[test]
    fn secrets_are_in_no_echo_and_no_error() {
        let header = parse_header("Authorization: Bearer hunter2").unwrap();
        assert_eq!(redacted_header(&header).value, "Bearer [redacted]");
        assert!(!format!("{header:?}").contains("hunter2"));
        let error = parse_header("authorization: hunter2\u{7}").unwrap_err();
        assert!(!error.to_string().contains("hunter2"));
    }
}
