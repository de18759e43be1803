//! What a call says about itself in its metadata.

use std::{net::IpAddr, path::PathBuf, time::Duration};

use browse_fleet::{ADDRESS_HEADER, LIFETIME_HEADER};
use browse_proto::{Reason, metadata};
use percent_encoding::percent_decode_str;
use tonic::metadata::MetadataMap;

use crate::session_sharing::CallerProcess;
use browse_base::{Error, HINT_KEY, Result};
use browse_policy::layer::parse_grpc_timeout;
use browse_sessions::TabId;

const TIMEOUT_HEADER: &str = "grpc-timeout";

/// The metadata of a call.
#[derive(Clone, Debug, Default)]
pub struct CallMetadata {
    /// The tab that it names.
    pub tab: Option<TabId>,
    /// The session that it names.
    pub session: Option<String>,
    /// The working directory of the caller.
    pub cwd: Option<PathBuf>,
    /// The program that it comes from, as the command line reports it.
    pub caller: Option<CallerProcess>,
    /// The trace that it is part of: 32 lower-case hexadecimal digits.
    pub trace_id: Option<String>,
    /// The fleet, by the name of its remote, whose browser a skill drives that the call runs.
    pub remote: Option<String>,
    /// Whether page-derived content is asked for as it is.
    pub wants_raw: bool,
    /// Time that the caller gives.
    pub timeout: Option<Duration>,
    /// From where it came, when that is known.
    pub peer: Option<IpAddr>,
    /// Where clients of the DevTools protocol reach the daemon, as a gateway reports it.
    pub gateway_address: Option<String>,
    /// How long the token of the caller is good at that gateway; none for one without an end.
    pub token_lifetime: Option<Duration>,
}

impl CallMetadata {
    /// Reads the metadata.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID` for an entry that cannot be read, or stands there twice.
    pub fn from_metadata(entries: &MetadataMap) -> Result<Self> {
        // What cannot be read is not taken for what is not there: the call would go to
        // another session.
        let decoded = |name: &str| -> Result<Option<String>> {
            let Some(value) = single_entry(entries, name)? else { return Ok(None) };
            match percent_decode_str(value).decode_utf8() {
                Ok(text) => Ok(Some(text.into_owned())),
                Err(_) => Err(invalid_header(format!("`{name}` holds what is not text"))),
            }
        };
        let tab = single_entry(entries, metadata::TAB)?.map(|value| {
            let number = value.bytes().all(|byte| byte.is_ascii_digit()).then(|| value.parse());
            let number = number.and_then(Result::ok);
            number.ok_or_else(|| malformed_header(metadata::TAB, value, "the number of a tab"))
        });
        let timeout = single_entry(entries, TIMEOUT_HEADER)?.map(|value| {
            parse_grpc_timeout(value).ok_or_else(|| {
                malformed_header(TIMEOUT_HEADER, value, "a time such as `10S` or `500m`")
            })
        });
        let lifetime = single_entry(entries, LIFETIME_HEADER)?.map(|value| {
            let malformed = |_| malformed_header(LIFETIME_HEADER, value, "a number of seconds");
            value.parse::<u64>().map_err(malformed)
        });
        Ok(Self {
            tab: tab.transpose()?,
            session: decoded(metadata::SESSION)?,
            cwd: decoded(metadata::CWD)?.map(PathBuf::from).filter(|path| path.is_absolute()),
            // A hint: a value that cannot be read is no reason to refuse the call.
            caller: decoded(metadata::CALLER)?.and_then(|value| value.parse().ok()),
            trace_id: decoded(metadata::TRACEPARENT)?.as_deref().and_then(trace_id),
            remote: single_entry(entries, metadata::REMOTE)?.map(str::to_owned),
            wants_raw: single_entry(entries, metadata::CONTENT)? == Some("raw"),
            timeout: timeout.transpose()?,
            peer: None,
            gateway_address: single_entry(entries, ADDRESS_HEADER)?.map(str::to_owned),
            token_lifetime: lifetime.transpose()?.map(Duration::from_secs),
        })
    }
}

/// The trace id of a `traceparent`; one that is malformed is ignored, as W3C Trace Context
/// has it (section 3.2.2).
fn trace_id(traceparent: &str) -> Option<String> {
    let mut parts = traceparent.split('-');
    let (version, trace) = (parts.next()?, parts.next()?);
    let is_hex = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let is_valid = version.len() == 2 && is_hex(version) && version != "ff";
    let names_trace = trace.len() == 32 && is_hex(trace) && trace.bytes().any(|byte| byte != b'0');
    (is_valid && names_trace && parts.count() >= 2).then(|| trace.to_owned())
}

/// The text of an entry that may stand there once.
fn single_entry<'a>(entries: &'a MetadataMap, name: &str) -> Result<Option<&'a str>> {
    let mut all = entries.get_all(name).iter();
    let Some(first) = all.next() else { return Ok(None) };
    if all.next().is_some() {
        return Err(invalid_header(format!("`{name}` stands there more than once")));
    }
    let text = first.to_str();
    text.map(Some).map_err(|_| invalid_header(format!("`{name}` holds what is not text")))
}

fn malformed_header(name: &str, value: &str, wanted: &str) -> Error {
    invalid_header(format!("`{name}` is {wanted}, not `{}`", browse_base::quote(value)))
}

/// A header that cannot be read; it belongs to no command.
fn invalid_header(message: String) -> Error {
    let hint = "Send each header once, as the table in docs/remote-access.md has it";
    Error::new(Reason::ArgumentInvalid, message).with(HINT_KEY, hint)
}

#[cfg(test)]
mod tests {
    use browse_proto::metadata;
    use tonic::metadata::{MetadataMap, MetadataValue};

    use super::{CallMetadata, Duration, parse_grpc_timeout, trace_id};

    #[test]
    fn a_traceparent_that_is_malformed_is_ignored() {
        let id = "4bf92f3577b34da6a3ce929d0e0e4736";
        let good = format!("00-{id}-00f067aa0ba902b7-01");
        assert_eq!(trace_id(&good).as_deref(), Some(id));
        assert_eq!(trace_id(&good.replace("00-4", "01-4")).as_deref(), Some(id), "a later version");
        for bad in ["", "00", id, "00-0-0-0", &good.to_uppercase(), &good.replace("00-4", "ff-4")] {
            assert_eq!(trace_id(bad), None, "{bad}");
        }
        assert_eq!(trace_id(&good.replace(id, &"0".repeat(32))), None);
    }

    #[test]
    fn what_cannot_be_read_is_not_taken_for_what_is_not_there() {
        let read = |values: &[&[u8]]| {
            let mut entries = MetadataMap::new();
            for value in values {
                let value = MetadataValue::try_from(*value).expect("a header");
                entries.append(metadata::SESSION, value);
            }
            CallMetadata::from_metadata(&entries).map(|call| call.session).map_err(|_| ())
        };
        assert_eq!(read(&[]), Ok(None));
        assert_eq!(read(&[b"work"]), Ok(Some("work".to_owned())));
        assert_eq!(read(&[b"w%C3%B6rk"]), Ok(Some("w\u{f6}rk".to_owned())));
        for values in
            [&[&b"w\xf6rk"[..]][..], &[b"w%F6rk"], &["w\u{f6}rk".as_bytes()], &[b"a", b"b"]]
        {
            assert_eq!(read(values), Err(()), "{values:?}");
        }
    }

    #[test]
    fn timeouts_are_read_as_grpc_writes_them() {
        assert_eq!(parse_grpc_timeout("1500m"), Some(Duration::from_millis(1500)));
        assert_eq!(parse_grpc_timeout("2S"), Some(Duration::from_secs(2)));
        for text in
            ["", "S", "12", "123456789S", "-1S", "+1S", "0S", "00m", "timeout0", "1.5S", "1x", "1é"]
        {
            assert_eq!(parse_grpc_timeout(text), None, "{text}");
        }
    }
}
