//! Finds the leading comment of a descriptor: it is the help text.

use prost_reflect::FileDescriptor;

/// Returns the comment at `path` in `file`, without comment markers; paragraphs
/// are separated by one empty line, the lines of a paragraph joined.
pub fn comment_at(file: &FileDescriptor, path: &[i32]) -> String {
    let proto = file.file_descriptor_proto();
    let locations = proto.source_code_info.iter().flat_map(|info| &info.location);
    let found = locations.into_iter().find(|location| location.path == path);
    let raw = found.and_then(|location| location.leading_comments.clone()).unwrap_or_default();
    paragraphs(&raw)
}

/// Returns the first line of the comment above `syntax`: the title of a group.
pub fn group_title(file: &FileDescriptor) -> String {
    let text = comment_at(file, &[12]);
    text.split("\n\n").next().unwrap_or_default().trim_end_matches('.').to_owned()
}

fn paragraphs(raw: &str) -> String {
    let mut paragraphs: Vec<String> = vec![String::new()];
    for line in raw.lines().map(str::trim) {
        let last = paragraphs.last_mut().expect("the list begins with one paragraph");
        match (line.is_empty(), last.is_empty()) {
            (true, true) => {}
            (true, false) => paragraphs.push(String::new()),
            (false, true) => last.push_str(line),
            (false, false) => {
                last.push(' ');
                last.push_str(line);
            }
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs.join("\n\n")
}
