//! The `accept` attribute of file inputs (HTML, section 4.10.5.1.17).

/// Whether a file of this name is one that `accept` asks for: by its ending,
/// or by the type that its ending stands for. An empty list asks for any, and
/// so does a file whose type nobody knows where a type is asked for.
pub(crate) fn accepts(accept: &str, name: &str) -> bool {
    let mut wanted = accept.split(',').map(str::trim).filter(|token| !token.is_empty()).peekable();
    if wanted.peek().is_none() {
        return true;
    }
    let name = name.to_ascii_lowercase();
    let types: Vec<_> =
        mime_guess::from_path(&name).iter().map(|kind| kind.essence_str().to_owned()).collect();
    wanted.any(|token| {
        let token = token.to_ascii_lowercase();
        match token.split_once('/') {
            None => token.starts_with('.') && name.ends_with(&token),
            Some(_) if types.is_empty() => true,
            Some(("*", _)) => true,
            Some((family, "*")) => {
                types.iter().any(|kind| kind.split_once('/').is_some_and(|(own, _)| own == family))
            }
            Some(_) => types.contains(&token),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::accepts;

    #[test]
    fn endings_types_and_families() {
        for (accept, name, expected) in [
            ("", "a.exe", true),
            (" , ", "a.exe", true),
            (".pdf,.docx", "Report.PDF", true),
            (".pdf", "report.pdf.exe", false),
            ("image/*", "a.png", true),
            ("image/*", "a.svg", true),
            ("image/png, image/jpeg", "a.jpg", true),
            ("image/png", "a.gif", false),
            ("IMAGE/PNG", "a.png", true),
            ("application/pdf", "a.txt", false),
            ("text/csv", "data.csv", true),
            ("image/*", "no-ending", true),
            (".tar.gz", "a.tar.gz", true),
        ] {
            assert_eq!(accepts(accept, name), expected, "{accept} {name}");
        }
    }
}
