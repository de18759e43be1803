//! The options of a PDF: from flags or from a payload, as Chromium takes them.

use browse_proto::{Command, MessageType, Reason, v1, wire};
use prost::Message as _;
use serde_json::{Map, Value, json};

use super::length::parse_inches;
use browse_base::{Error, Result};

/// A footer of page numbers. Chromium prints templates without styles of their
/// own at a size of nothing.
const PAGE_NUMBERS: &str = "<div style=\"width:100%;font-size:9px;text-align:center\">\
    <span class=\"pageNumber\"></span> / <span class=\"totalPages\"></span></div>";

/// An empty template; without one Chromium prints date, title and address.
const EMPTY_TEMPLATE: &str = "<span></span>";

/// The options as the caller gave them: those of the payload, when there is
/// one.
///
/// # Errors
/// `ARGUMENT_INVALID` when it is not JSON object, has an unknown key, a value
/// of another kind, or contradicts itself.
pub fn merge_payload(request: v1::PdfRequest, command: &'static Command) -> Result<v1::PdfRequest> {
    let Some(text) = &request.from_file else { return Ok(request) };
    let wrong = |why: String| invalid(format!("the payload: {why}"));
    let payload: Map<String, Value> =
        serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
    let payload: Map<String, Value> =
        payload.into_iter().map(|(key, value)| (to_snake_case(&key), value)).collect();
    if payload.contains_key("from_file") {
        return Err(wrong("it cannot name another one".to_owned()));
    }
    let message = MessageType::by_name("browse.v1.PdfRequest")
        .ok_or_else(|| Error::new(Reason::Bug, "the contract has no PdfRequest"))?;
    let encoded = wire::encode(message, &payload).map_err(|error| wrong(error.to_string()))?;
    let set = wire::set_fields(&encoded);
    if let Some((first, second)) = command.exclusive_pair(|field| set.contains(&field.number)) {
        return Err(wrong(format!("`{}` and `{}` contradict each other", first.name, second.name)));
    }
    v1::PdfRequest::decode(encoded.as_slice()).map_err(|error| wrong(error.to_string()))
}

/// `headerTemplate` and `header-template` as `header_template`.
fn to_snake_case(key: &str) -> String {
    let mut out = String::new();
    for letter in key.chars() {
        match letter {
            '-' => out.push('_'),
            letter if letter.is_ascii_uppercase() => {
                out.push('_');
                out.push(letter.to_ascii_lowercase());
            }
            letter => out.push(letter),
        }
    }
    out
}

/// The parameters of `Page.printToPDF`.
///
/// # Errors
/// `ARGUMENT_INVALID` for a length that is none, and for a paper that its
/// margins fill.
pub fn print_parameters(request: &v1::PdfRequest) -> Result<Value> {
    let (width, height) = paper_size(request)?;
    let margin = |name: &str, own: &Option<String>| match (own, &request.margins) {
        (Some(text), _) => parse_length(name, text),
        (None, Some(text)) => parse_length("--margins", text),
        (None, None) => Ok(1.0 / 2.54),
    };
    let top = margin("--margin-top", &request.margin_top)?;
    let right = margin("--margin-right", &request.margin_right)?;
    let bottom = margin("--margin-bottom", &request.margin_bottom)?;
    let left = margin("--margin-left", &request.margin_left)?;
    let (across, down) = if request.landscape { (height, width) } else { (width, height) };
    if left + right >= across || top + bottom >= down {
        return Err(invalid("the margins leave no room on the paper".to_owned()));
    }
    let footer = match request.page_numbers {
        true => Some(PAGE_NUMBERS),
        false => request.footer_template.as_deref(),
    };
    let header = request.header_template.as_deref();
    Ok(json!({
        "landscape": request.landscape,
        "displayHeaderFooter": header.is_some() || footer.is_some(),
        "headerTemplate": header.filter(|html| !html.is_empty()).unwrap_or(EMPTY_TEMPLATE),
        "footerTemplate": footer.filter(|html| !html.is_empty()).unwrap_or(EMPTY_TEMPLATE),
        "printBackground": request.print_background,
        "paperWidth": width,
        "paperHeight": height,
        "marginTop": top,
        "marginRight": right,
        "marginBottom": bottom,
        "marginLeft": left,
        "preferCSSPageSize": request.prefer_css_page_size,
        // An outline is made of tags.
        "generateTaggedPDF": request.tagged || request.outline,
        "generateDocumentOutline": request.outline,
    }))
}

/// Width and height of the paper, in inches.
fn paper_size(request: &v1::PdfRequest) -> Result<(f64, f64)> {
    let sides = match (&request.width, &request.height) {
        (Some(width), Some(height)) => {
            let sides = (parse_length("--width", width)?, parse_length("--height", height)?);
            if sides.0 <= 0.0 || sides.1 <= 0.0 {
                return Err(invalid("the paper has no size".to_owned()));
            }
            return Ok(sides);
        }
        (None, None) => match request.format() {
            v1::PaperFormat::Unspecified | v1::PaperFormat::Letter => (8.5, 11.0),
            v1::PaperFormat::A4 => (210.0 / 25.4, 297.0 / 25.4),
            v1::PaperFormat::Legal => (8.5, 14.0),
        },
        (Some(_), None) => return Err(invalid("`--width` needs `--height`".to_owned())),
        (None, Some(_)) => return Err(invalid("`--height` needs `--width`".to_owned())),
    };
    Ok(sides)
}

fn parse_length(name: &str, text: &str) -> Result<f64> {
    parse_inches(text).map_err(|why| invalid(format!("`{name}`: {why}")))
}

fn invalid(message: String) -> Error {
    Error::new(Reason::ArgumentInvalid, message).with("command", "pdf")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(payload: &str) -> Result<Value, String> {
        let command = Command::by_name("pdf").expect("a command");
        let request = v1::PdfRequest { from_file: Some(payload.to_owned()), ..Default::default() };
        let request =
            merge_payload(request, command).and_then(|request| print_parameters(&request));
        request.map_err(|error| error.to_string())
    }

    #[test]
    fn a_payload_takes_the_names_of_the_flags() {
        let params = from(r#"{"format": "a4", "printBackground": true, "margin-top": "1in"}"#);
        let params = params.expect("it is good");
        assert_eq!(params["marginTop"], 1.0);
        assert_eq!(params["printBackground"], true);
        assert!((params["paperWidth"].as_f64().expect("a number") - 8.2677).abs() < 0.001);
    }

    #[test]
    fn a_payload_is_checked_like_flags() {
        for (payload, word) in [
            ("[]", "payload"),
            (r#"{"colour": "red"}"#, "colour"),
            (r#"{"landscape": "yes"}"#, "landscape"),
            (r#"{"format": "a4", "width": "1in"}"#, "contradict"),
            (r#"{"page_numbers": true, "footer_template": "x"}"#, "contradict"),
            (r#"{"width": "10cm"}"#, "`--width` needs `--height`"),
            (r#"{"margins": "20cm"}"#, "no room"),
            (r#"{"from_file": "x"}"#, "another"),
        ] {
            let message = from(payload).expect_err(payload);
            assert!(message.contains(word), "{payload}: {message}");
        }
    }
}
