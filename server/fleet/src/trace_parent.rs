//! The place of a call in a trace: the header `traceparent` of W3C Trace Context, level 1.
//! Source: <https://www.w3.org/TR/trace-context-1/#traceparent-header>.

use std::fmt;

/// Characters of version 00. Later versions begin with as many of the same meaning.
const LENGTH: usize = 55;

/// The flag of a call that is recorded.
const SAMPLED: u8 = 1;

/// The id of a trace: 16 bytes, of which one at least is not zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TraceId([u8; 16]);

/// The id of a span: 8 bytes, of which one at least is not zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SpanId([u8; 8]);

/// Which span of which trace a call comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceParent {
    /// The trace.
    pub trace_id: TraceId,
    /// The span of the caller.
    pub span_id: SpanId,
    /// Whether the caller may have recorded it.
    pub is_sampled: bool,
}

impl TraceId {
    /// An id of these bytes; none of zeros.
    pub fn new(bytes: [u8; 16]) -> Option<Self> {
        (bytes != [0; 16]).then_some(Self(bytes))
    }

    /// Its bytes.
    pub fn bytes(&self) -> [u8; 16] {
        self.0
    }
}

impl SpanId {
    /// An id of these bytes; none of zeros.
    pub fn new(bytes: [u8; 8]) -> Option<Self> {
        (bytes != [0; 8]).then_some(Self(bytes))
    }
}

impl TraceParent {
    /// Reads a header. Version 00 has its exact length; later versions may have more at the end.
    pub fn parse(text: &str) -> Option<Self> {
        if !text.is_ascii() || text.len() < LENGTH {
            return None;
        }
        let (known, rest) = text.split_at(LENGTH);
        let mut parts = known.split('-');
        let [version] = hex_bytes::<1>(parts.next()?)?;
        let trace_id = TraceId::new(hex_bytes(parts.next()?)?)?;
        let span_id = SpanId::new(hex_bytes(parts.next()?)?)?;
        let [flags] = hex_bytes::<1>(parts.next()?)?;
        let ends_well = match version {
            0 => rest.is_empty(),
            0xff => false,
            _ => rest.is_empty() || rest.starts_with('-'),
        };
        let is_whole = parts.next().is_none() && ends_well;
        is_whole.then_some(Self { trace_id, span_id, is_sampled: flags & SAMPLED != 0 })
    }
}

/// Bytes of lower-case hexadecimal digits.
fn hex_bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    if digits.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = (digit(pair[0])? << 4) | digit(pair[1])?;
    }
    Some(bytes)
}

fn digit(sign: u8) -> Option<u8> {
    match sign {
        b'0'..=b'9' => Some(sign - b'0'),
        b'a'..=b'f' => Some(sign - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Display for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Debug for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags = u8::from(self.is_sampled);
        write!(f, "00-{}-{}-{flags:02x}", self.trace_id, self.span_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_header_is_read_and_written() {
        let read = TraceParent::parse(GOOD).expect("it is valid");
        assert!(read.is_sampled);
        assert_eq!(read.trace_id.to_string(), "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!(read.span_id.to_string(), "00f067aa0ba902b7");
        assert_eq!(read.to_string(), GOOD);
        let unsampled = format!("{}00", &GOOD[..53]);
        assert!(!TraceParent::parse(&unsampled).expect("it is valid").is_sampled);
        // Other flags have no meaning here.
        let flags = |flags: &str| TraceParent::parse(&format!("{}{flags}", &GOOD[..53]));
        assert!(flags("ff").expect("it is valid").is_sampled);
        assert!(!flags("fe").expect("it is valid").is_sampled);
    }

    #[test]
    fn a_later_version_is_read_by_what_it_has_of_this_one() {
        let later = GOOD.replacen("00", "cc", 1);
        for end in ["", "-", "-more"] {
            let read = TraceParent::parse(&format!("{later}{end}")).expect(end);
            assert_eq!(read.to_string(), GOOD, "{end}");
        }
        assert_eq!(TraceParent::parse(&format!("{later}.more")), None);
        assert_eq!(TraceParent::parse(&GOOD.replacen("00", "ff", 1)), None);
    }

    #[test]
    fn what_is_malformed_is_not_a_place_in_a_trace() {
        let upper = GOOD.to_uppercase();
        let zeros = "0".repeat(32);
        for bad in [
            "",
            "00",
            &upper,
            &GOOD[..54],
            &format!("{GOOD}-"),
            &format!("{GOOD} "),
            &format!(" {GOOD}"),
            &GOOD.replace("4bf92f3577b34da6a3ce929d0e0e4736", &zeros),
            &GOOD.replace("00f067aa0ba902b7", "0000000000000000"),
            &GOOD.replace("-00f0", "-0-f0"),
            &GOOD.replace('-', "_"),
            &GOOD.replace("4b", "ä"),
            &GOOD.replace("4b", "4g"),
            &"-".repeat(55),
            &"0".repeat(55),
        ] {
            assert_eq!(TraceParent::parse(bad), None, "{bad:?}");
        }
    }
}
