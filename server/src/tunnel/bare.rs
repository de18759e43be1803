//! A command as it may be shown and written down: without the values that are
//! secret.

use crate::secrets::{self, REDACTED};

/// Commands inside of words, as in `sh -c '…'`, that are looked into.
const DEEPEST: usize = 4;

/// A command without what stands behind a flag that names a secret, as in
/// `--token abc`, and without passwords before a host. It is taken apart as the
/// shell does that runs it, and what is a command inside of a word, too.
pub fn without_values(command: &str) -> String {
    bare(command, DEEPEST)
}

fn bare(command: &str, depth: usize) -> String {
    // With a quote that has no end it runs nowhere; then a blank parts words.
    let words = shlex::split(command);
    let whole = words.is_some();
    let words =
        words.unwrap_or_else(|| command.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
    let mut after_secret = false;
    let bare = words.into_iter().map(|word| {
        let flag = word.starts_with('-') && !word.contains(['=', ' ']);
        let name = word.trim_start_matches('-');
        let names_secret = flag && (name == "p" || secrets::is_secret_name(name));
        let hidden = after_secret;
        // Where a secret does not end for certain, all that follows is one.
        after_secret = names_secret || hidden && !whole;
        if hidden {
            return REDACTED.to_owned();
        }
        shown(word, depth)
    });
    bare.collect::<Vec<_>>().join(" ")
}

fn shown(word: String, depth: usize) -> String {
    if word.contains(char::is_whitespace) {
        return match depth.checked_sub(1) {
            Some(depth) => format!("'{}'", bare(&word, depth)),
            None => REDACTED.to_owned(),
        };
    }
    match word.rsplit_once('@') {
        Some((before, host)) if before.contains(':') => {
            let (user, _) = before.rsplit_once(':').unwrap_or_default();
            format!("{user}:{REDACTED}@{host}")
        }
        _ if word.is_empty() => "''".to_owned(),
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::without_values;

    #[test]
    fn what_stands_behind_a_flag_of_a_secret_goes_whole() {
        for (command, shown) in [
            ("t --token abc --url {url}", "t --token [redacted] --url {url}"),
            ("t --token 'a b' --x", "t --token [redacted] --x"),
            ("t --token a\\ b c", "t --token [redacted] c"),
            ("t --token \"a 'b\" c", "t --token [redacted] c"),
            ("t --token a'b c'd e", "t --token [redacted] e"),
            ("t --token '' e", "t --token [redacted] e"),
            // A password may look like a flag, and name the next one.
            ("t -p -hunter2 -v", "t -p [redacted] -v"),
            ("t -p --token abc", "t -p [redacted] [redacted]"),
            ("t --password --v", "t --password [redacted]"),
            ("t --authtoken=y bob:pw@host", "t --authtoken=y bob:[redacted]@host"),
            ("ssh -R 0:{address} host", "ssh -R 0:{address} host"),
            ("sh -c 'foo --token a.b; bar'", "sh -c 'foo --token [redacted] bar'"),
            ("sh -c \"foo --token 'a b' c\"", "sh -c 'foo --token [redacted] c'"),
            (
                "sh -c \"foo --token 'a b c\"",
                "sh -c 'foo --token [redacted] [redacted] [redacted]'",
            ),
            ("t '' x", "t '' x"),
            ("", ""),
        ] {
            assert_eq!(without_values(command), shown, "{command}");
        }
        let deep = (0..9).fold("--token abc".to_owned(), |inner, _| {
            format!("sh -c {}", shlex::try_quote(&inner).expect("no NUL"))
        });
        assert!(!without_values(&deep).contains("abc"));
    }
}
