//! The line that tells our files from those of others, and from those of ours
//! that somebody has edited: it holds the hash of all the rest.

use sha2::{Digest as _, Sha256};

const BEGINS: &str =
    "<!-- Written by `browse guide install`, which writes over it unless it was edited: ";
const ENDS: &str = " -->";

/// Whose a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// We wrote it, and nobody changed it.
    Ours,
    /// We wrote it, and somebody changed it.
    Edited,
    /// It does not carry our line.
    Foreign,
}

/// The file of these parts, with our line between them.
pub fn put(head: &str, text: &str) -> String {
    let rest = format!("{head}\n{text}");
    format!("{head}{BEGINS}{}{ENDS}\n\n{text}", hash(&rest))
}

/// Whose this text is. Line ends do not count: editors and git change them.
pub fn whose(text: &str) -> Whose {
    let text = text.replace("\r\n", "\n");
    let marked = text.lines().find_map(|line| {
        let inner = line.strip_prefix(BEGINS)?;
        Some((line, inner.strip_suffix(ENDS).unwrap_or_default()))
    });
    let Some((line, noted)) = marked else { return Whose::Foreign };
    let rest = text.replacen(&format!("{line}\n"), "", 1);
    if hash(&rest) == noted { Whose::Ours } else { Whose::Edited }
}

/// Half of a SHA-256 in hexadecimal: nobody is kept out by it, only told apart.
fn hash(text: &str) -> String {
    Sha256::digest(text).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::{Whose, put, whose};

    #[test]
    fn an_edit_is_noticed_anywhere() {
        let text = put("---\nname: a\n---\n\n", "# A\n\nText.\n");
        assert_eq!(whose(&text), Whose::Ours);
        assert_eq!(whose(&text.replace('\n', "\r\n")), Whose::Ours);
        for (from, to) in [("name: a", "name: b"), ("Text", "text"), (" -->", ""), ("# A\n", "")] {
            assert_eq!(whose(&text.replacen(from, to, 1)), Whose::Edited, "{from}");
        }
        assert_eq!(whose(&format!("{text}More.\n")), Whose::Edited);
        assert_eq!(whose("# A\n"), Whose::Foreign);
    }
}
