//! File names that a page or a server chose, made harmless.

/// Longest name, in bytes: there is room for a number, and for a draft's name.
const MAX_NAME_BYTES: usize = 120;

/// Names that are devices on Windows, where a folder may be looked at too.
const WINDOWS_DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// A plain file name out of `wanted`: its last component, without what other
/// systems refuse, what hides or what drives a terminal. Never empty, never a
/// path, never hidden, never a flag.
pub fn sanitize(wanted: &str) -> String {
    let last = wanted.rsplit(['/', '\\']).find(|part| !part.trim().is_empty()).unwrap_or_default();
    let letter = |c: char| match c {
        '<' | '>' | ':' | '"' | '|' | '?' | '*' => Some('_'),
        c if c.is_control() || is_invisible(c) => None,
        c if c.is_whitespace() => Some(' '),
        c => Some(c),
    };
    let plain: String = last.chars().filter_map(letter).collect();
    let plain = plain.trim_matches([' ', '.']);
    let plain = match plain.strip_prefix(['-', '~']) {
        Some(rest) => format!("_{rest}"),
        None => plain.to_owned(),
    };
    let name = truncate(&plain);
    match name.as_str() {
        "" => "download".to_owned(),
        name if is_device(name) => format!("_{name}"),
        _ => name,
    }
}

/// Marks of direction, zero-width letters and tags: they make a name read as
/// another one.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}')
}

fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_lowercase();
    let port = stem.strip_prefix("com").or(stem.strip_prefix("lpt"));
    let port = port.is_some_and(|rest| rest.chars().count() == 1 && !rest.starts_with('0'));
    WINDOWS_DEVICES.contains(&stem.as_str()) || port
}

/// Cuts the stem, and keeps the extension.
fn truncate(name: &str) -> String {
    if name.len() <= MAX_NAME_BYTES {
        return name.to_owned();
    }
    let (stem, end) = match name.rsplit_once('.') {
        Some((stem, end)) if end.len() <= 12 => (stem, format!(".{end}")),
        _ => (name, String::new()),
    };
    let cut = stem.floor_char_boundary(MAX_NAME_BYTES - end.len());
    format!("{}{end}", stem[..cut].trim_end_matches([' ', '.']))
}

#[cfg(test)]
mod tests {
    use super::sanitize;

    #[test]
    fn no_name_leaves_its_folder() {
        let table = [
            ("../../etc/passwd", "passwd"),
            ("/etc/passwd", "passwd"),
            ("..\\..\\x.exe", "x.exe"),
            ("C:\\Windows\\x.dll", "x.dll"),
            ("..", "download"),
            ("", "download"),
            ("/", "download"),
            (".bashrc", "bashrc"),
            ("...", "download"),
            ("a\0b\nc\x1b[31m.txt", "abc[31m.txt"),
            ("invoice\u{202e}fdp.exe", "invoicefdp.exe"),
            ("NUL", "_NUL"),
            ("con.txt", "_con.txt"),
            ("com1.tar.gz", "_com1.tar.gz"),
            ("common.txt", "common.txt"),
            ("-rf.txt", "_rf.txt"),
            ("~root", "_root"),
            ("a<b>:c|d?.png", "a_b__c_d_.png"),
            ("dots. . .", "dots"),
            ("tab\there.txt", "tabhere.txt"),
            ("Bericht März.pdf", "Bericht März.pdf"),
        ];
        for (wanted, expected) in table {
            assert_eq!(sanitize(wanted), expected, "{wanted:?}");
        }
    }

    #[test]
    fn long_names_keep_their_extension() {
        let name = sanitize(&format!("{}.tar", "ä".repeat(400)));
        assert!(name.len() <= 120 && name.ends_with(".tar"), "{name}");
    }
}
