//! The entry of an MCP server in a TOML file of others. Comments and order survive.

use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, value};

/// The table that holds the servers.
const SERVERS: &str = "mcp_servers";

/// The name of ours.
const NAME: &str = "browse";

/// A server as a file has it.
#[derive(Debug, PartialEq, Eq)]
pub struct ServerEntry {
    /// Its program.
    pub command: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Whether it has other keys as well.
    pub has_more: bool,
}

/// The server called `browse`.
pub fn existing(text: &str) -> Result<Option<ServerEntry>, String> {
    let document = parse(text)?;
    let Some(servers) = document.get(SERVERS) else { return Ok(None) };
    let Some(servers) = servers.as_table_like() else {
        return Err(format!("`{SERVERS}` is not a table"));
    };
    let Some(entry) = servers.get(NAME) else { return Ok(None) };
    let Some(entry) = entry.as_table_like() else {
        return Err(format!("`{SERVERS}.{NAME}` is not a table"));
    };
    let arguments = entry.get("args").and_then(Item::as_array);
    let arguments = arguments.into_iter().flatten().map(|word| word.as_str().unwrap_or_default());
    Ok(Some(ServerEntry {
        command: entry.get("command").and_then(Item::as_str).unwrap_or_default().to_owned(),
        arguments: arguments.map(str::to_owned).collect(),
        has_more: entry.iter().any(|(key, _)| !matches!(key, "command" | "args")),
    }))
}

/// The text with a server called `browse`.
pub fn put(text: &str, command: &str, arguments: &[&str]) -> Result<String, String> {
    let mut document = parse(text)?;
    let arguments: Array = arguments.iter().copied().collect();
    let servers = document.entry(SERVERS).or_insert_with(|| {
        let mut servers = Table::new();
        servers.set_implicit(true);
        Item::Table(servers)
    });
    if let Some(servers) = servers.as_table_mut() {
        let mut entry = Table::new();
        entry.insert("command", value(command));
        entry.insert("args", value(arguments));
        servers.insert(NAME, Item::Table(entry));
    } else if let Some(servers) = servers.as_inline_table_mut() {
        let mut entry = InlineTable::new();
        entry.insert("command", command.into());
        entry.insert("args", arguments.into());
        servers.insert(NAME, entry.into());
    } else {
        return Err(format!("`{SERVERS}` is not a table"));
    }
    Ok(with_line_ends(&document.to_string(), text))
}

/// The text without the server called `browse`.
pub fn take(text: &str) -> Result<String, String> {
    let mut document = parse(text)?;
    let Some(servers) = document.get_mut(SERVERS) else { return Ok(text.to_owned()) };
    if let Some(servers) = servers.as_table_like_mut() {
        servers.remove(NAME);
    }
    let is_left_over =
        servers.as_table().is_some_and(|table| table.is_implicit() && table.is_empty());
    if is_left_over {
        document.remove(SERVERS);
    }
    Ok(with_line_ends(&document.to_string(), text))
}

fn parse(text: &str) -> Result<DocumentMut, String> {
    let document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        let line = error.span().map(|span| text[..span.start].matches('\n').count() + 1);
        let line = line.map_or(String::new(), |line| format!(", in line {line}"));
        format!("{}{line}", error.message())
    })?;
    let back = with_line_ends(&document.to_string(), text);
    if back.trim_end() != text.trim_end() {
        return Err("it cannot be edited without other changes".to_owned());
    }
    Ok(document)
}

/// `text` with the line ends of `like`, and with its byte order mark.
fn with_line_ends(text: &str, like: &str) -> String {
    let mark = if like.starts_with('\u{feff}') { "\u{feff}" } else { "" };
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let text = if like.contains("\r\n") { text.replace('\n', "\r\n") } else { text };
    format!("{mark}{text}")
}

#[cfg(test)]
mod tests {
    use super::{existing, put, take};

    #[test]
    fn an_entry_comes_and_goes_and_comments_stay() {
        let files = [
            "",
            "# mine\nmodel = \"o3\"  # why\n",
            "[mcp_servers.other]\ncommand = \"x\"\n\n# last\n",
            "[mcp_servers]\n# none yet\n",
            "mcp_servers = { other = { command = \"x\" } }\n",
            "mcp_servers.other.command = \"x\"\n",
            "a = 1\r\n\r\n[b]\r\nc = '''\r\nx'''\r\n",
            "[[list]]\na = 1\n\n[[list]]\na = 2\n",
        ];
        for before in files {
            assert_eq!(existing(before), Ok(None), "{before}");
            let with = put(before, "browse", &["mcp"]).expect(before);
            let entry = existing(&with).expect("parses").expect("there");
            assert_eq!((&*entry.command, entry.arguments), ("browse", vec!["mcp".to_owned()]));
            before.lines().filter(|line| line.contains('#')).for_each(|line| {
                assert!(with.contains(line), "{with}");
            });
            assert_eq!(take(&with).expect("parses").trim_end(), before.trim_end(), "{with}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for text in ["a = ", "mcp_servers = 1\n", "[mcp_servers]\nbrowse = 1\n", "[a]\n[a]\n"] {
            assert!(existing(text).is_err(), "{text}");
        }
        assert!(existing("\n\na = \n").is_err_and(|problem| problem.contains("line 3")));
    }
}
