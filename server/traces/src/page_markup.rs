//! The markup of a document: from the flat list that the page script answers to the nested
//! lists that Playwright's trace viewer draws.
//!
//! The list is flat because documents nest deeper than a JSON parser follows, and its texts
//! stand in a table so that secrets are taken out of each by itself.

use serde::Deserialize;
use serde_json::Value;

/// Opens an element: its name, how many attributes it has, then names and values.
const OPEN: u64 = 1;
/// A text.
const TEXT: u64 = 2;
/// Closes the last element.
const CLOSE: u64 = 3;

/// What the page script answers of a document.
#[derive(Debug, Deserialize)]
pub struct DocumentTokens {
    /// Numbers: what begins, and places in `strings`.
    pub tokens: Vec<u64>,
    /// Texts, each once.
    pub strings: Vec<String>,
}

/// The list is not well formed.
#[derive(Debug, PartialEq, Eq)]
pub struct MarkupError;

impl DocumentTokens {
    /// The document as JSON: `[name, {attributes}, ...children]`, where a text is a string; and
    /// how many elements and texts it has.
    ///
    /// # Errors
    /// The list is not well formed, or has not exactly one root.
    pub fn to_json(&self) -> Result<(String, u32), MarkupError> {
        let mut out = String::new();
        let (mut depth, mut roots, mut nodes) = (0_usize, 0, 0);
        let mut tokens = self.tokens.iter().copied();
        while let Some(token) = tokens.next() {
            if token == CLOSE {
                depth = depth.checked_sub(1).ok_or(MarkupError)?;
                out.push(']');
                continue;
            }
            nodes += 1;
            match depth {
                0 => roots += 1,
                _ => out.push(','),
            }
            match token {
                OPEN => {
                    out.push('[');
                    out.push_str(&self.string(tokens.next())?);
                    out.push_str(",{");
                    for place in 0..tokens.next().ok_or(MarkupError)? {
                        if place > 0 {
                            out.push(',');
                        }
                        out.push_str(&self.string(tokens.next())?);
                        out.push(':');
                        out.push_str(&self.string(tokens.next())?);
                    }
                    out.push('}');
                    depth += 1;
                }
                TEXT if depth > 0 => out.push_str(&self.string(tokens.next())?),
                _ => return Err(MarkupError),
            }
        }
        (depth == 0 && roots == 1).then_some((out, nodes)).ok_or(MarkupError)
    }

    /// A text as JSON.
    fn string(&self, place: Option<u64>) -> Result<String, MarkupError> {
        let place = place.and_then(|place| usize::try_from(place).ok()).ok_or(MarkupError)?;
        let text = self.strings.get(place).ok_or(MarkupError)?;
        Ok(Value::from(text.as_str()).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(tokens: &[u64]) -> DocumentTokens {
        let strings = ["HTML", "lang", "en", "a \"b\"", "P"].map(str::to_owned).to_vec();
        DocumentTokens { tokens: tokens.to_vec(), strings }
    }

    #[test]
    fn a_flat_list_becomes_nested_ones() {
        let page = tokens(&[1, 0, 1, 1, 2, 2, 3, 1, 4, 0, 3, 3]);
        let json = r#"["HTML",{"lang":"en"},"a \"b\"",["P",{}]]"#.to_owned();
        assert_eq!(page.to_json(), Ok((json, 3)));
    }

    #[test]
    fn documents_nest_deeper_than_a_parser_follows() {
        let deep: Vec<u64> = [[1, 4, 0].repeat(1_000), [3].repeat(1_000)].concat();
        let (text, _) = tokens(&deep).to_json().expect("well formed");
        assert!(text.ends_with(&"]".repeat(1_000)));
    }

    #[test]
    fn what_is_not_well_formed_is_refused() {
        for bad in [
            &[][..],
            &[3],
            &[1, 0, 0],
            &[1, 0],
            &[1, 9, 0, 3],
            &[2, 3],
            &[1, 0, 0, 3, 1, 0, 0, 3],
            &[7],
        ] {
            assert_eq!(tokens(bad).to_json(), Err(MarkupError), "{bad:?}");
        }
    }
}
