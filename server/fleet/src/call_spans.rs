//! What a sampled call did in its pod, as it travels to the gateway in a header of the response:
//! phases of the command, and requests of pages by method, status and time. It has no URL; origins
//! are in it when the gateway asks for them.
//!
//! The gateway reads it as text of a tenant, since a page may have taken over the pod.

use serde::{Deserialize, Serialize};

/// Header of a response of a pod with [`CallSpans`].
pub const SPANS_HEADER: &str = "browse-spans";

/// Header of a call by which the gateway asks for the origins of requests of pages.
pub const SPAN_HOSTS_HEADER: &str = "browse-span-hosts";

/// Bytes of the header.
pub const MAX_SPANS_BYTES: usize = 4096;

/// Phases of one call.
pub const MAX_PHASES: usize = 32;

/// Requests of pages of one call.
pub const MAX_REQUESTS: usize = 64;

/// Characters of the name of a phase, and of the type of a resource.
const MAX_NAME_CHARS: usize = 40;

/// Characters of an origin.
const MAX_ORIGIN_CHARS: usize = 200;

/// Methods of HTTP that spans name. Source: the attribute `http.request.method` of OpenTelemetry.
const KNOWN_METHODS: [&str; 9] =
    ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"];

/// What stands for a method that a page has made up.
const OTHER_METHOD: &str = "_OTHER";

/// What one call did in its pod. Times are microseconds since the pod got it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallSpans {
    /// Time until the pod had its response.
    #[serde(rename = "d")]
    pub duration_us: u64,
    /// Phases of the command.
    #[serde(rename = "p", default)]
    pub phases: Vec<PhaseSpan>,
    /// Requests of its pages, oldest first.
    #[serde(rename = "r", default)]
    pub requests: Vec<RequestSpan>,
    /// Requests that are left out.
    #[serde(rename = "n", default)]
    pub left_out: u64,
}

/// A phase of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseSpan {
    /// Its name: lower-case letters, digits, blanks, `-` and `_`.
    #[serde(rename = "n")]
    pub name: String,
    /// When it began.
    #[serde(rename = "s")]
    pub start_us: u64,
    /// Its duration.
    #[serde(rename = "d")]
    pub duration_us: u64,
}

/// A request of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestSpan {
    /// Its method, by [`known_method`].
    #[serde(rename = "m")]
    pub method: String,
    /// The type of the resource: `document`, `script`, `xhr`.
    #[serde(rename = "k")]
    pub kind: String,
    /// Status of HTTP; none without a response.
    #[serde(rename = "c", default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// When it began.
    #[serde(rename = "s")]
    pub start_us: u64,
    /// Its duration; none while it had not ended with the call.
    #[serde(rename = "d", default, skip_serializing_if = "Option::is_none")]
    pub duration_us: Option<u64>,
    /// Whether it ended with an error of the network.
    #[serde(rename = "f", default, skip_serializing_if = "std::ops::Not::not")]
    pub is_failed: bool,
    /// Scheme and host with its port, where the gateway asks for it.
    #[serde(rename = "o", default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
}

impl CallSpans {
    /// The header, which is ASCII and has at most [`MAX_SPANS_BYTES`]: the last requests are left
    /// out where all do not fit, then the last phases.
    pub fn encode(mut self) -> Option<String> {
        self.phases.retain(PhaseSpan::is_valid);
        self.phases.truncate(MAX_PHASES);
        self.leave_out(|request| !request.is_valid());
        while self.requests.len() > MAX_REQUESTS {
            self.requests.pop();
            self.left_out += 1;
        }
        loop {
            let text = serde_json::to_string(&self).ok()?;
            if text.len() <= MAX_SPANS_BYTES {
                return Some(text);
            }
            match self.requests.pop() {
                Some(_) => self.left_out += 1,
                None => drop(self.phases.pop()?),
            }
        }
    }

    /// Reads a header of a pod; none when it is not what [`CallSpans::encode`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > MAX_SPANS_BYTES {
            return None;
        }
        let spans: Self = serde_json::from_str(text).ok()?;
        let is_valid = spans.phases.len() <= MAX_PHASES
            && spans.requests.len() <= MAX_REQUESTS
            && spans.phases.iter().all(PhaseSpan::is_valid)
            && spans.requests.iter().all(RequestSpan::is_valid);
        is_valid.then_some(spans)
    }

    fn leave_out(&mut self, is_bad: impl Fn(&RequestSpan) -> bool) {
        let before = self.requests.len();
        self.requests.retain(|request| !is_bad(request));
        self.left_out += (before - self.requests.len()) as u64;
    }
}

impl PhaseSpan {
    fn is_valid(&self) -> bool {
        is_name(&self.name)
    }
}

impl RequestSpan {
    fn is_valid(&self) -> bool {
        known_method(&self.method) == self.method
            && is_name(&self.kind)
            && self.status.is_none_or(|status| (100..=599).contains(&status))
            && self.origin.as_deref().is_none_or(is_origin)
    }
}

/// The method as a span has it: one that HTTP defines, else `_OTHER`.
pub fn known_method(method: &str) -> &'static str {
    KNOWN_METHODS.into_iter().find(|known| *known == method).unwrap_or(OTHER_METHOD)
}

fn is_name(name: &str) -> bool {
    let is_sign = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b' ' | b'-' | b'_')
    };
    (1..=MAX_NAME_CHARS).contains(&name.len()) && name.bytes().all(is_sign)
}

fn is_origin(origin: &str) -> bool {
    let host = ["http://", "https://", "ws://", "wss://"]
        .into_iter()
        .find_map(|scheme| origin.strip_prefix(scheme));
    let is_sign = |byte: u8| byte.is_ascii_graphic() && !b"/?#@\\\"".contains(&byte);
    origin.len() <= MAX_ORIGIN_CHARS
        && host.is_some_and(|host| !host.is_empty() && host.bytes().all(is_sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(number: u64) -> RequestSpan {
        RequestSpan {
            method: "GET".to_owned(),
            kind: "script".to_owned(),
            status: Some(200),
            start_us: number * 1_000,
            duration_us: Some(250_000),
            is_failed: false,
            origin: Some(format!("https://host-{number}.example:8443")),
        }
    }

    fn phase(name: &str) -> PhaseSpan {
        PhaseSpan { name: name.to_owned(), start_us: 1, duration_us: 2 }
    }

    #[test]
    fn what_was_done_travels() {
        let open = RequestSpan { status: None, duration_us: None, origin: None, ..request(2) };
        let spans = CallSpans {
            duration_us: 300_000,
            phases: vec![phase("tab"), phase("step get text")],
            requests: vec![request(1), open, RequestSpan { is_failed: true, ..request(3) }],
            left_out: 4,
        };
        let text = spans.clone().encode().expect("it fits");
        assert!(text.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{text}");
        assert_eq!(CallSpans::parse(&text), Some(spans));
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let requests: Vec<_> = (0..500).map(request).collect();
        let spans = CallSpans { requests, phases: vec![phase("tab")], ..CallSpans::default() };
        let text = spans.encode().expect("a part fits");
        assert!((MAX_SPANS_BYTES - 150..=MAX_SPANS_BYTES).contains(&text.len()), "{}", text.len());
        let read = CallSpans::parse(&text).expect("it is valid");
        assert_eq!(read.requests.len() as u64 + read.left_out, 500);
        assert_eq!((read.requests.first(), read.phases.len()), (Some(&request(0)), 1));
        let long = CallSpans { phases: vec![phase("a"); 500], ..CallSpans::default() };
        let read = CallSpans::parse(&long.encode().expect("a part fits")).expect("it is valid");
        assert_eq!(read.phases.len(), MAX_PHASES);
    }

    #[test]
    fn a_pod_cannot_write_what_it_wants() {
        let of = |change: fn(&mut RequestSpan)| {
            let mut changed = request(1);
            change(&mut changed);
            let spans = CallSpans { requests: vec![changed], ..CallSpans::default() };
            (serde_json::to_string(&spans).expect("JSON"), spans)
        };
        let changes: [fn(&mut RequestSpan); 8] = [
            |request| request.method = "BREW".to_owned(),
            |request| request.kind = "<b>".to_owned(),
            |request| request.kind = String::new(),
            |request| request.status = Some(99),
            |request| request.origin = Some("https://a.example/secret".to_owned()),
            |request| request.origin = Some("https://user@a.example".to_owned()),
            |request| request.origin = Some("javascript://a".to_owned()),
            |request| request.origin = Some(format!("https://{}", "a".repeat(300))),
        ];
        for change in changes {
            let (text, spans) = of(change);
            assert_eq!(CallSpans::parse(&text), None, "{text}");
            let cleaned = CallSpans::parse(&spans.encode().expect("it fits")).expect("it is valid");
            assert_eq!((cleaned.requests.len(), cleaned.left_out), (0, 1), "{text}");
        }
        for text in
            ["", "{}", "[]", "{\"d\":-1}", "{\"d\":1,\"p\":[{\"n\":\"A\",\"s\":1,\"d\":1}]}"]
        {
            assert_eq!(CallSpans::parse(text), None, "{text}");
        }
        assert_eq!(CallSpans::parse(&format!("{{\"d\":1}}{}", " ".repeat(4096))), None);
    }

    #[test]
    fn a_method_that_a_page_made_up_has_no_name() {
        assert_eq!(known_method("PATCH"), "PATCH");
        for method in ["get", "BREW", "", "_OTHER"] {
            assert_eq!(known_method(method), "_OTHER", "{method}");
        }
    }
}
