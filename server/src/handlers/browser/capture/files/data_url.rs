//! Addresses that hold their content: <https://www.rfc-editor.org/rfc/rfc2397>.

use base64::{
    Engine as _,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use browse_proto::Reason;

use browse_base::{Error, Result};

/// As browsers read it: padding may be left out.
const LENIENT_BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// The MIME type and the content of a `data:` address.
///
/// # Errors
/// `URL_INVALID` when it has no comma, or is not the base64 that it says.
pub fn parse(url: &str) -> Result<(String, Vec<u8>)> {
    let wrong = |why: &str| {
        let message = format!("the data: address {why}");
        Error::new(Reason::UrlInvalid, message).with("url", browse_base::quote(url))
    };
    let rest = url.get(5..).unwrap_or_default();
    let (kind, body) = rest.split_once(',').ok_or_else(|| wrong("has no comma"))?;
    let body = body.split('#').next().unwrap_or_default();
    let bytes: Vec<u8> = percent_encoding::percent_decode_str(body).collect();
    let kind = kind.trim();
    let (mime, is_base64) = match kind.rsplit_once(';') {
        Some((mime, end)) if end.trim().eq_ignore_ascii_case("base64") => (mime, true),
        _ => (kind, false),
    };
    let bytes = match is_base64 {
        true => {
            let plain: Vec<u8> =
                bytes.into_iter().filter(|byte| !byte.is_ascii_whitespace()).collect();
            LENIENT_BASE64.decode(plain).map_err(|_| wrong("is not valid base64"))?
        }
        false => bytes,
    };
    let mime = if mime.is_empty() { "text/plain" } else { mime };
    Ok((mime.to_owned(), bytes))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn both_forms_are_read() {
        let read = |url| {
            parse(url)
                .ok()
                .map(|(mime, bytes)| (mime, String::from_utf8_lossy(&bytes).into_owned()))
        };
        let pair = |mime: &str, text: &str| Some((mime.to_owned(), text.to_owned()));
        assert_eq!(read("data:,a%20b"), pair("text/plain", "a b"));
        assert_eq!(
            read("data:text/html;charset=utf-8,<p>#x"),
            pair("text/html;charset=utf-8", "<p>")
        );
        assert_eq!(read("data:image/png;base64,aGk="), pair("image/png", "hi"));
        assert_eq!(read("data:image/png;BASE64,aG%6B"), pair("image/png", "hi"));
        assert_eq!(read("data:image/png;base64,!"), None);
        assert_eq!(read("data:image/png"), None);
    }
}
