//! A command as it may be shown and written down: without the values that are
//! secret, and otherwise whole, since an owner agrees to what is shown.

use std::{mem, ops::Range};

use browse_secrets::REDACTED;

/// Letters that need no quotes to be read as they are; braces are those of
/// `{url}`.
const UNQUOTED_CHARS: &str = "_-./:@%+=,{}[]";

/// What a shell runs in the place of a word, or behind one.
const SHELL_EXPANSIONS: [&str; 3] = ["$(", "`", "<("];

/// A command without what stands behind a flag that names a secret, as in
/// `--token abc`, and without passwords before a host. It is taken apart as the
/// shell does that runs it, each word is quoted, and what is a command inside of
/// a word stays as it is but for its secrets.
pub fn redact_command(command: &str) -> String {
    let words = shlex::split(command);
    let mut reader = CommandRedactor { is_balanced: words.is_some(), ..CommandRedactor::default() };
    // With a quote that has no end it runs nowhere; then a blank parts words.
    let words = words.unwrap_or_else(|| command.split_whitespace().map(str::to_owned).collect());
    let shown = |word: String| shell_quote(&reader.replacement(&word).unwrap_or(word));
    words.into_iter().map(shown).collect::<Vec<_>>().join(" ")
}

/// A word that is read as it is.
fn shell_quote(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || UNQUOTED_CHARS.contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    // With a zero byte it is not a command, and refused before.
    shlex::try_quote(word).map_or_else(|_| format!("{word:?}"), Into::into)
}

/// What a word is, by the one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum WordRole {
    #[default]
    Any,
    Secret,
    Header,
    /// `name:password`.
    User,
    /// A command by itself, with or without blanks.
    Script,
}

/// Goes through the words of a command, or of one inside of a word.
#[derive(Default)]
struct CommandRedactor {
    next: WordRole,
    /// Whether every quote has its end.
    is_balanced: bool,
    /// Whether a shell may run what stands in a word.
    is_nested: bool,
    /// Whether the options of `sshpass` are being read.
    sshpass: bool,
}

impl CommandRedactor {
    /// What stands in the place of a word; nothing where it is shown as it is.
    fn replacement(&mut self, word: &str) -> Option<String> {
        let role = mem::replace(&mut self.next, role_after(word));
        let of_sshpass = self.sshpass && word.starts_with('-');
        self.sshpass = of_sshpass || word.rsplit('/').next() == Some("sshpass");
        let runs = SHELL_EXPANSIONS.iter().any(|mark| word.contains(mark));
        if role == WordRole::Secret {
            // Where a secret does not end for certain, all that follows is one.
            self.next = if self.is_balanced { self.next } else { WordRole::Secret };
            // What a shell runs there is no secret, but what is agreed to.
            return (!self.is_nested || !runs).then(|| REDACTED.to_owned());
        }
        if of_sshpass && word.starts_with("-p") && word.len() > 2 {
            return Some(format!("-p{REDACTED}"));
        }
        if role == WordRole::Header || ["-H", "--header="].iter().any(|flag| word.starts_with(flag))
        {
            let (flag, header) = word.split_at(if word.starts_with("-H") { 2 } else { 0 });
            let bare = browse_secrets::redact(header);
            return match bare == header {
                true => redact_assignment(header).map(|bare| format!("{flag}{bare}")),
                false => Some(format!("{flag}{bare}")),
            };
        }
        let blank = word.contains(char::is_whitespace);
        if role == WordRole::Script || blank {
            let bare = redact_nested(word);
            let text = bare.as_deref().unwrap_or(word);
            // A header there would take all that follows with it.
            return match browse_secrets::redact(text) {
                more if more != text && !text.contains([';', '|', '&', '`', '$', '<', '\n']) => {
                    Some(more.into_owned())
                }
                _ => bare,
            };
        }
        if self.is_nested && runs {
            return None;
        }
        if let Some((before, host)) = word.rsplit_once('@')
            && let Some((user, _)) = before.rsplit_once(':')
        {
            return Some(format!("{user}:{REDACTED}@{host}"));
        }
        let login = ["--user=", "--proxy-user="].iter().any(|flag| word.starts_with(flag));
        if (role == WordRole::User || login) && !word.contains("://") {
            return word.split_once(':').map(|(user, _)| format!("{user}:{REDACTED}"));
        }
        redact_assignment(word).or_else(|| {
            let bare = browse_secrets::redact(word);
            (bare != word).then(|| bare.into_owned())
        })
    }
}

fn role_after(word: &str) -> WordRole {
    let flag = word.starts_with('-') && !word.contains(['=', ' ']);
    let name = word.trim_start_matches('-');
    let short = !word.starts_with("--") && name.len() <= 4;
    match name {
        "p" if flag => WordRole::Secret,
        "H" | "header" if flag => WordRole::Header,
        "u" | "U" | "user" | "proxy-user" if flag => WordRole::User,
        _ if flag && !name.contains(':') && browse_secrets::is_secret_name(name) => {
            WordRole::Secret
        }
        _ if flag && short && name.ends_with(['c', 'e']) => WordRole::Script,
        _ if word.eq_ignore_ascii_case("bearer") => WordRole::Secret,
        _ if word.strip_suffix(':').is_some_and(browse_secrets::is_secret_name) => WordRole::Secret,
        _ => WordRole::Any,
    }
}

/// `NAME=value` and `Name:value` without the value, where the name gives it away.
fn redact_assignment(word: &str) -> Option<String> {
    let at = word.find(['=', ':'])?;
    let (name, value) = (word[..at].trim_start_matches('-'), &word[at + 1..]);
    let of_a_variable = |name: &str| {
        let large = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
        name.bytes().all(large)
            && ["PASS", "TOKEN", "SECRET", "KEY"].iter().any(|part| name.contains(part))
    };
    let one = name.chars().all(|letter| letter.is_alphanumeric() || "_-.".contains(letter));
    let secret = one && (browse_secrets::is_secret_name(name) || of_a_variable(name));
    (secret && !value.is_empty()).then(|| format!("{}{REDACTED}", &word[..=at]))
}

/// A command inside of a word without its secrets; nothing where it has none.
fn redact_nested(text: &str) -> Option<String> {
    let (words, whole) = word_ranges(text);
    let mut reader =
        CommandRedactor { is_balanced: whole, is_nested: true, ..CommandRedactor::default() };
    let (mut bare, mut end) = (String::new(), 0);
    for range in words {
        let raw = &text[range.clone()];
        // What is a comment to one shell may be none to another.
        let alone =
            shlex::split(raw).filter(|words| words.len() == 1).and_then(|mut one| one.pop());
        let Some(instead) = reader.replacement(alone.as_deref().unwrap_or(raw)) else { continue };
        bare.push_str(&text[end..range.start]);
        bare.push_str(&shell_quote(&instead));
        end = range.end;
    }
    (end > 0).then(|| bare + &text[end..])
}

/// Where the words of a command are, and whether every quote has its end. What
/// parts commands parts words, too: nothing that runs is behind a secret.
fn word_ranges(text: &str) -> (Vec<Range<usize>>, bool) {
    let (mut words, mut start, mut quote, mut escaped) = (Vec::new(), None, None, false);
    for (at, letter) in text.char_indices() {
        if mem::take(&mut escaped) {
            continue;
        }
        let parts = letter.is_whitespace() || ";|&".contains(letter);
        match quote {
            None if parts => words.extend(start.take().map(|start| start..at)),
            _ => {
                start.get_or_insert(at);
                escaped = letter == '\\' && quote != Some('\'');
                match quote {
                    None if "'\"".contains(letter) => quote = Some(letter),
                    Some(open) if open == letter => quote = None,
                    _ => {}
                }
            }
        }
    }
    if quote.is_none() && !escaped {
        words.extend(start.map(|start| start..text.len()));
        return (words, true);
    }
    let blanks = text.split_whitespace().map(|word| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        start..start + word.len()
    });
    (blanks.collect(), false)
}

#[cfg(test)]
mod tests {
    use super::redact_command;

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
            ("t --authtoken=y bob:pw@host", "t --authtoken=[redacted] bob:[redacted]@host"),
            ("ssh -R 0:{address} host", "ssh -R 0:{address} host"),
            ("sh -c 'foo --token a.b; bar'", "sh -c 'foo --token [redacted]; bar'"),
            ("sh -c \"foo --token 'a b' c\"", "sh -c 'foo --token [redacted] c'"),
            (
                "sh -c \"foo --token 'a b c\"",
                "sh -c 'foo --token [redacted] [redacted] [redacted]'",
            ),
            ("t '' x", "t '' x"),
            ("", ""),
        ] {
            assert_eq!(redact_command(command), shown, "{command}");
        }
        let deep = (0..9).fold("--token abc".to_owned(), |inner, _| {
            format!("sh -c {}", shlex::try_quote(&inner).expect("no NUL"))
        });
        assert!(!redact_command(&deep).contains("abc"));
    }

    #[test]
    fn secrets_that_no_flag_parts_off_go_too() {
        for command in [
            "sshpass -phunter2x ssh host",
            "/usr/bin/sshpass -v -phunter2x ssh host",
            "env SSHPASS=hunter2x sshpass -e ssh host",
            "env API_KEY=hunter2x t",
            "curl -u bob:hunter2x {url}",
            "curl --user=bob:hunter2x {url}",
            "curl --header X-Api-Key:hunter2x {url}",
            "curl -H 'X-Api-Key: hunter2x' {url}",
            "curl '-HX-Api-Key: hunter2x' {url}",
            "curl -H 'Cookie: a=1; b=hunter2x' {url}",
            "t --authtoken:hunter2x",
            "sh -c 'SSHPASS=hunter2x sshpass -e ssh host'",
            "sh -c 'curl -H \"Cookie: a=1; b=hunter2x\" {url}'",
            "sh -c SSHPASS=hunter2x",
            "t 'Authorization: Bearer hunter2x'",
            "t Authorization: Bearer hunter2x",
        ] {
            let shown = redact_command(command);
            assert!(!shown.contains("hunter2x") && shown.contains("[redacted]"), "{shown}");
        }
    }

    #[test]
    fn what_runs_is_shown_as_it_is() {
        for command in [
            "python3 -c 'print(1) #x' 'a #evil part' \"it's\" 'b  c'",
            "'/tmp/o'\\''d d/f w'\\''d' {url}",
            "sh -c 'a \"b;c\" && d #e' \"''\"",
        ] {
            let words = shlex::split(command).expect("a command");
            assert_eq!(shlex::split(&redact_command(command)), Some(words), "{command}");
        }
        for command in [
            "sh -c 'foo --token a;./EVIL'",
            "sh -c 'foo --token $(./EVIL)'",
            "sh -c 'TOKEN=$(./EVIL)'",
            "sh -c 'curl -H Cookie: a=1; touch EVIL'",
            "sh -c 'foo --token a #b\n touch EVIL'",
            "node -e 'f --token a #b; EVIL()'",
            "t cookie: a b EVIL",
        ] {
            assert!(redact_command(command).contains("EVIL"), "{}", redact_command(command));
        }
    }
}
