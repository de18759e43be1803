//! The line that tells our files from those of others, and from those of ours
//! that somebody has edited: it holds the hash of all the rest.

use sha2::{Digest as _, Sha256};

const MARK_PREFIX: &str =
    "<!-- Written by `browse guide install`, which writes over it unless it was edited: ";
const MARK_SUFFIX: &str = " -->";

/// Whose a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileOwnership {
    /// We wrote it, and nobody changed it.
    Ours,
    /// We wrote it, and somebody changed it.
    Edited,
    /// It does not carry our line.
    Foreign,
}

/// The file of these parts, with our line between them.
pub fn add_mark(head: &str, text: &str) -> String {
    let rest = format!("{head}\n{text}");
    format!("{head}{MARK_PREFIX}{}{MARK_SUFFIX}\n\n{text}", hash(&rest))
}

/// Whose this text is. Line ends do not count: editors and git change them.
pub fn ownership_of(text: &str) -> FileOwnership {
    let text = text.replace("\r\n", "\n");
    let marked = text.lines().find_map(|line| {
        let inner = line.strip_prefix(MARK_PREFIX)?;
        Some((line, inner.strip_suffix(MARK_SUFFIX).unwrap_or_default()))
    });
    let Some((line, noted)) = marked else { return FileOwnership::Foreign };
    let rest = text.replacen(&format!("{line}\n"), "", 1);
    if hash(&rest) == noted { FileOwnership::Ours } else { FileOwnership::Edited }
}

/// Half of a SHA-256 in hexadecimal: nobody is kept out by it, only distinguished.
pub fn hash(text: &str) -> String {
    Sha256::digest(text).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::{FileOwnership, add_mark, ownership_of};

    #[test]
    fn an_edit_is_noticed_anywhere() {
        let text = add_mark("---\nname: a\n---\n\n", "# A\n\nText.\n");
        assert_eq!(ownership_of(&text), FileOwnership::Ours);
        assert_eq!(ownership_of(&text.replace('\n', "\r\n")), FileOwnership::Ours);
        for (from, to) in [("name: a", "name: b"), ("Text", "text"), (" -->", ""), ("# A\n", "")] {
            assert_eq!(ownership_of(&text.replacen(from, to, 1)), FileOwnership::Edited, "{from}");
        }
        assert_eq!(ownership_of(&format!("{text}More.\n")), FileOwnership::Edited);
        assert_eq!(ownership_of("# A\n"), FileOwnership::Foreign);
    }
}
