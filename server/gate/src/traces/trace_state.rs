//! The header `tracestate`, in which systems of tracing carry values of their own. The gateway has
//! none, and keeps what is valid with its span. Source:
//! <https://www.w3.org/TR/trace-context-1/#tracestate-header>.

use std::collections::BTreeSet;

use http::HeaderValue;

/// Members of a list.
const MAX_MEMBERS: usize = 32;

/// Characters of a list: what every system carries at least.
const MAX_CHARS: usize = 512;

/// Characters of a value, and of a key without a system.
const MAX_PART_CHARS: usize = 256;

/// Characters of a key before the name of its system, and of that name.
const MAX_TENANT_CHARS: usize = 241;
const MAX_SYSTEM_CHARS: usize = 14;

/// The list of all headers of that name; none when there is none, or when it is malformed.
pub fn read<'a>(headers: impl Iterator<Item = &'a HeaderValue>) -> Option<String> {
    let mut members = Vec::new();
    let mut keys = BTreeSet::new();
    for header in headers {
        for member in header.to_str().ok()?.split(',') {
            let member = member.trim_matches([' ', '\t']);
            if member.is_empty() {
                continue;
            }
            let (key, value) = member.split_once('=')?;
            if !(is_key(key) && is_value(value) && keys.insert(key)) {
                return None;
            }
            members.push(member);
        }
    }
    let list = members.join(",");
    let is_good = (1..=MAX_MEMBERS).contains(&members.len()) && list.len() <= MAX_CHARS;
    is_good.then_some(list)
}

fn is_key(key: &str) -> bool {
    match key.split_once('@') {
        None => starts_with_letter(key) && is_key_part(key, MAX_PART_CHARS),
        Some((tenant, system)) => {
            is_key_part(tenant, MAX_TENANT_CHARS)
                && tenant.starts_with(|sign: char| sign.is_ascii_alphanumeric())
                && is_key_part(system, MAX_SYSTEM_CHARS)
                && starts_with_letter(system)
        }
    }
}

fn starts_with_letter(text: &str) -> bool {
    text.starts_with(|sign: char| sign.is_ascii_lowercase())
}

fn is_key_part(text: &str, max_chars: usize) -> bool {
    let is_sign =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-*/".contains(&byte);
    (1..=max_chars).contains(&text.len()) && text.bytes().all(is_sign)
}

fn is_value(value: &str) -> bool {
    let is_sign = |byte: u8| (b' '..=b'~').contains(&byte) && byte != b'=';
    (1..=MAX_PART_CHARS).contains(&value.len()) && value.bytes().all(is_sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[&str]) -> Option<String> {
        let headers: Vec<HeaderValue> =
            values.iter().map(|value| value.parse().expect("a header")).collect();
        read(headers.iter())
    }

    #[test]
    fn a_list_that_is_valid_is_kept() {
        assert_eq!(of(&["a=1,b@c=x y"]).as_deref(), Some("a=1,b@c=x y"));
        assert_eq!(of(&["a=1 , ,b=2", "\t0x/y@z=3"]).as_deref(), Some("a=1,b=2,0x/y@z=3"));
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[" , "]), None);
    }

    #[test]
    fn a_list_with_one_malformed_member_is_left_out_whole() {
        let many = (0..33).map(|number| format!("k{number}=1")).collect::<Vec<_>>().join(",");
        let long = format!("a={}", "x".repeat(257));
        let long_in_all = format!("a={0},b={0}", "x".repeat(256));
        for list in [
            "a",
            "a=",
            "=1",
            "A=1",
            "1=1",
            "a=1,a=2",
            "a=1=2",
            "a@B=1",
            "a@=1",
            "a@1=1",
            "a b=1",
            &many,
            &long,
            &long_in_all,
        ] {
            assert_eq!(of(&["ok=1", list]), None, "{list}");
        }
    }
}
