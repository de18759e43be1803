//! The name in a manifest, by itself.

use serde_norway::Value;

use super::{
    frontmatter::split_frontmatter,
    values::{get, one_line},
};

/// The name in the frontmatter of `text`.
///
/// # Errors
/// There is none, in a few words.
pub fn read_name(text: &str) -> Result<String, String> {
    let (yaml, _) = split_frontmatter(text)?;
    let value: Value =
        serde_norway::from_str(yaml).map_err(|error| one_line(&error.to_string()))?;
    let Value::Mapping(mapping) = &value else { return Err("holds no keys".to_owned()) };
    get::<Option<String>>(mapping, "name")?.ok_or_else(|| "has no `name`".to_owned())
}

/// `text` with another name in its frontmatter; all else stays as it is.
///
/// # Errors
/// There is no line of its own with the name.
pub fn replace_name(text: &str, new: &str) -> Result<String, String> {
    let (yaml, _) = split_frontmatter(text)?;
    let line = yaml.split_inclusive('\n').find(|line| line.starts_with("name:"));
    let line = line.ok_or("has no line that begins with `name:`")?;
    let at = yaml.as_ptr() as usize - text.as_ptr() as usize
        + (line.as_ptr() as usize - yaml.as_ptr() as usize);
    let renamed = format!("{}name: {new}\n{}", &text[..at], &text[at + line.len()..]);
    // What the line held may go on in the next one.
    match read_name(&renamed) {
        Ok(name) if name == new => Ok(renamed),
        _ => Err("has its `name` in several lines".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::{read_name, replace_name};

    const TEXT: &str = "---\ndescription: the name\nname: \"a\" # or b\nhost: x\n---\nname: a\n";

    #[test]
    fn only_the_name_changes() {
        assert_eq!(read_name(TEXT).as_deref(), Ok("a"));
        let renamed = replace_name(TEXT, "c-d").expect("renamed");
        assert_eq!(renamed, "---\ndescription: the name\nname: c-d\nhost: x\n---\nname: a\n");
    }

    #[test]
    fn what_cannot_be_renamed_is_told() {
        assert!(read_name("no frontmatter").is_err());
        assert!(read_name("---\nhost: a\n---\n").is_err());
        assert!(replace_name("---\n{name: a}\n---\n", "b").is_err());
        assert!(replace_name("---\nname: >\n  a\n---\n", "b").is_err());
    }
}
