//! Whatever a file looks like, an entry comes into it and goes without a trace.

use serde_json::{Map, Value, json};

use super::{ItemPlace, existing_item, insert_item, remove_item, scan};

const SERVER: ItemPlace<'static> =
    ItemPlace { container: &["mcpServers"], key: Some("browse"), is_element: |_| false };
const HOOK: ItemPlace<'static> = ItemPlace {
    container: &["hooks", "SessionStart"],
    key: None,
    is_element: |value| value.get("command").is_some(),
};

fn server() -> Value {
    json!({"type": "stdio", "command": "browse", "args": ["mcp"]})
}

#[test]
fn an_entry_looks_like_the_file_around_it() {
    let table = [
        (
            "{\n  \"a\": 1\n}\n",
            "{\n  \"a\": 1,\n  \"mcpServers\": {\n    \"browse\": {\n      \"type\": \"stdio\",\n      \"command\": \"browse\",\n      \"args\": [\n        \"mcp\"\n      ]\n    }\n  }\n}\n",
        ),
        (
            "{\"mcpServers\":{\"x\":{\"command\":\"y\"}}}",
            "{\"mcpServers\":{\"x\":{\"command\":\"y\"},\"browse\":{\"type\":\"stdio\",\"command\":\"browse\",\"args\":[\"mcp\"]}}}",
        ),
        (
            "{\n\t\"mcpServers\": {\n\t\t\"x\": {}, // why\n\t},\n}",
            "{\n\t\"mcpServers\": {\n\t\t\"x\": {}, // why\n\t\t\"browse\": {\n\t\t\t\"type\": \"stdio\",\n\t\t\t\"command\": \"browse\",\n\t\t\t\"args\": [\n\t\t\t\t\"mcp\"\n\t\t\t]\n\t\t},\n\t},\n}",
        ),
        (
            "{}",
            "{\"mcpServers\": {\"browse\": {\"type\": \"stdio\", \"command\": \"browse\", \"args\": [\"mcp\"]}}}",
        ),
    ];
    for (before, after) in table {
        assert_eq!(insert_item(before, &SERVER, &server()).expect(before).0, after);
    }
}

#[test]
fn the_entry_that_is_there_is_found_and_replaced() {
    let text = "{\"mcpServers\": {\"browse\": {\"command\": \"old\"}, \"x\": {}}}";
    assert_eq!(existing_item(text, &SERVER), Ok(Some(json!({"command": "old"}))));
    let (new, made) = insert_item(text, &SERVER, &server()).expect("inserted");
    assert_eq!((existing_item(&new, &SERVER), made), (Ok(Some(server())), 0));
    let rest = remove_item(&new, &SERVER, 0).expect("removed");
    assert_eq!(rest, "{\"mcpServers\": {\"x\": {}}}");
}

#[test]
fn what_cannot_be_read_is_refused_with_its_line() {
    let bad = [
        "[]",
        "{",
        "{\"a\" 1}",
        "{\"a\": 1,, }",
        "{\"a\": 1} x",
        "{\"a\": 01}",
        "{a: 1}",
        "{\"a\": 1 /* }",
        "{\"a\": \"\n\"}",
        "{\"a\": 1 \"b\": 2}",
        "{\"a\": 1, \"a\": 2}",
        "nul",
        "{\"a\": \"x}",
        "{\"mcpServers\": []}",
        "{\"mcpServers\": null}",
        "{\"a\": 'x'}",
    ];
    for text in bad {
        assert!(insert_item(text, &SERVER, &server()).is_err(), "{text}");
    }
    assert!(insert_item("{\"hooks\": {\"SessionStart\": {}}}", &HOOK, &server()).is_err());
    assert!(scan::parse("{\n\n  x\n}").is_err_and(|problem| problem.ends_with("in line 3")));
    assert!(scan::parse(&"[".repeat(100_000)).is_err());
}

/// Numbers by xorshift, the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).expect("it is below a usize")
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    /// A blank that JSON with comments may have, on lines or within one.
    fn blank(&mut self, is_lines: bool) -> &'static str {
        match (is_lines, self.below(12)) {
            (_, 0) => " /* a, { */ ",
            (true, 1) => " // b: [ }\n",
            (true, 2..7) => "\n\t  ",
            (true, 7) => "\r\n",
            (_, 8..10) => " ",
            _ => "",
        }
    }

    fn value(&mut self, depth: usize, is_lines: bool) -> String {
        match self.below(if depth > 3 { 6 } else { 9 }) {
            0 => "null".to_owned(),
            1 => "-1.5e3".to_owned(),
            2 => "true".to_owned(),
            3 => "\"\\\"ä{}[],:\\\\\"".to_owned(),
            4 => "{}".to_owned(),
            5 => "[]".to_owned(),
            6 => self.list(depth, is_lines, '[', ']', &[]),
            _ => self.list(depth, is_lines, '{', '}', &[]),
        }
    }

    fn list(
        &mut self,
        depth: usize,
        is_lines: bool,
        open: char,
        close: char,
        with: &[String],
    ) -> String {
        let mut items: Vec<String> = with.to_vec();
        for number in 0..self.below(5) {
            let key = self.pick(&["a", "b c", "command", "ü", "x\\\"y"]);
            let value = self.value(depth + 1, is_lines);
            let (first, second) = (self.blank(is_lines), self.blank(is_lines));
            items.push(match open {
                '{' => format!("\"{key}{number}\"{first}:{second}{value}"),
                _ => value,
            });
        }
        let at = self.below(items.len().max(1));
        items.rotate_left(at);
        let mut out = String::from(open);
        for (number, item) in items.iter().enumerate() {
            out.push_str(self.blank(is_lines));
            out.push_str(item);
            out.push_str(self.blank(is_lines));
            let is_last = number + 1 == items.len();
            if !is_last || self.below(5) == 0 {
                out.push(',');
            }
        }
        out.push_str(self.blank(is_lines));
        out.push(close);
        out
    }

    /// A file, with or without the containers of what is added.
    fn file(&mut self) -> String {
        let is_lines = self.below(3) > 0;
        let mut with = Vec::new();
        if self.below(2) == 0 {
            with.push(format!("\"mcpServers\": {}", self.list(1, is_lines, '{', '}', &[])));
        }
        if self.below(2) == 0 {
            let list = format!("\"SessionStart\":{}", self.list(2, is_lines, '[', ']', &[]));
            let inner = if self.below(2) == 0 { vec![list] } else { Vec::new() };
            with.push(format!("\"hooks\" : {}", self.list(1, is_lines, '{', '}', &inner)));
        }
        let start = self.pick(&["", "\u{feff}", "\n", "// first\n"]);
        let end = self.pick(&["", "\n", "\r\n", "\n// last\n"]);
        format!("{start}{}{end}", self.list(0, is_lines, '{', '}', &with))
    }
}

/// The members of `before`, and what was added at `place`.
fn with_item(before: &Value, place: &ItemPlace<'_>, item: &Value) -> Value {
    fn add(at: &mut Value, path: &[&str], key: Option<&str>, item: &Value) {
        match (path, key) {
            ([first, rest @ ..], _) => {
                let members = at.as_object_mut().expect("an object");
                let empty = match (rest.is_empty(), key) {
                    (true, None) => Value::Array(Vec::new()),
                    _ => Value::Object(Map::new()),
                };
                add(members.entry(*first).or_insert(empty), rest, key, item);
            }
            ([], Some(key)) => {
                at.as_object_mut().expect("an object").insert(key.to_owned(), item.clone());
            }
            ([], None) => at.as_array_mut().expect("a list").push(item.clone()),
        }
    }
    let mut whole = before.clone();
    add(&mut whole, place.container, place.key, item);
    whole
}

#[test]
fn a_thousand_files_are_as_they_were_after_an_entry_came_and_went() {
    let mut random = Random(0x5eed_2701);
    for number in 0..1_000 {
        let before = random.file();
        let value = scan::parse(&before).unwrap_or_else(|why| panic!("{why}: {before}")).to_value();
        for place in [&SERVER, &HOOK] {
            let (after, made) = insert_item(&before, place, &server())
                .unwrap_or_else(|why| panic!("{number}: {why}: {before}"));
            let read = scan::parse(&after).unwrap_or_else(|why| panic!("{why}: {before}\n{after}"));
            assert_eq!(read.to_value(), with_item(&value, place, &server()), "{before}\n{after}");
            for comment in ["/* a, { */", "// b: [ }", "// first", "// last"] {
                let count = |text: &str| text.matches(comment).count();
                assert_eq!(count(&before), count(&after), "{before}\n{after}");
            }
            // By its bytes.
            let record = super::super::install_record::FileRecord::of(Some(&before), &after, made);
            assert_eq!(record.undo(&after).as_deref(), Some(&*before));
            // And by its place, where another program has edited the file since.
            let rest = remove_item(&after, place, made).expect("removed");
            let read = scan::parse(&rest).unwrap_or_else(|why| panic!("{why}: {after}\n{rest}"));
            assert_eq!(read.to_value(), value, "{before}\n{after}\n{rest}");
            for comment in ["/* a, { */", "// b: [ }", "// first", "// last"] {
                let count = |text: &str| text.matches(comment).count();
                assert_eq!(count(&before), count(&rest), "{before}\n{after}\n{rest}");
            }
        }
    }
}
