//! Nonsense for the parsers of the command line: nothing of it may panic.
//! `make fuzz` runs this; the suite leaves it out.

#[path = "../../proto/tests/support/fuzz.rs"]
mod fuzz;

use browse_cli::{
    parse::{self, CliAction, Invocation},
    read_steps,
};
use browse_proto::{Command, wire};
use proptest::{collection::vec, prelude::*, sample::select};

/// Words that sit at the edges of what is understood.
const EDGES: &[&str] = &[
    "",
    "-",
    "--",
    "---",
    "=",
    "--=",
    "-=",
    "@e3",
    "@c",
    "@e99999999999",
    "#a",
    ".b",
    "[c",
    "./d",
    "../e.png",
    ".png",
    "a/.png",
    "x.",
    "0",
    "1",
    "-1",
    "-0.5",
    "1e400",
    "18446744073709551616",
    "4294967296",
    "30s",
    "0ms",
    "1.5h",
    "99999999999999999999s",
    "1,2,3,4",
    "1,2,3",
    "1x1",
    "0x0",
    "a=b",
    "=b",
    "a=",
    "a:b",
    "text=",
    "role=button[name=\"",
    "é",
    "\u{0}",
    "\u{202e}",
    "👩‍👩‍👧",
    "\n",
    "{\"a\":",
    "[]",
    "null",
    "*",
    "https://example.com",
    "file://",
    "help",
    "--help",
    "-h",
    "-V",
    "--json",
    "--raw",
    "--tab",
    "--session",
    "--timeout",
    "--project",
    "--addr",
    "--token",
];

/// A word: of a command, of a flag, an edge, or anything.
fn word() -> impl Strategy<Value = String> {
    let commands = Command::all().iter().flat_map(|command| command.words.iter().copied());
    let commands: Vec<_> = commands.map(str::to_owned).collect();
    let flags = Command::all().iter().flat_map(|command| command.flags());
    let flags = flags.flat_map(|field| {
        let short = field.short.map_or("-".to_owned(), |letter| format!("-{letter}"));
        [format!("--{}", field.flag()), short]
    });
    let flags: Vec<_> = flags.collect();
    let edge = || select(EDGES).prop_map(str::to_owned);
    prop_oneof![
        3 => select(commands),
        3 => select(flags.clone()),
        3 => edge(),
        1 => ".{0,12}",
        1 => (select(flags), edge()).prop_map(|(flag, value)| format!("{flag}={value}")),
        1 => (edge(), ".{0,3}").prop_map(|(edge, more)| format!("{edge}{more}")),
    ]
}

/// The example of a command with some of its words put in, left out or changed.
fn mutated() -> impl Strategy<Value = Vec<String>> {
    let examples: Vec<&str> = Command::all().iter().map(|command| command.example).collect();
    (select(examples), vec((any::<prop::sample::Index>(), 0..3, word()), 0..5)).prop_map(
        |(example, edits)| {
            let mut words: Vec<String> = example.split(' ').map(str::to_owned).collect();
            for (place, kind, word) in edits {
                let at = place.index(words.len() + 1);
                match kind {
                    0 => words.insert(at, word),
                    1 if at < words.len() => drop(words.remove(at)),
                    _ if at < words.len() => words[at] = word,
                    _ => words.push(word),
                }
            }
            words
        },
    )
}

fn lines() -> impl Strategy<Value = Vec<String>> {
    prop_oneof![mutated(), vec(word(), 0..10)]
}

/// What was understood can be sent.
fn encode(invocation: &Invocation) {
    let _ = wire::encode(invocation.command.request, &invocation.fields);
    if let Some(inner) = &invocation.inner {
        encode(inner);
    }
}

#[test]
#[ignore = "takes as long as it is configured: make fuzz"]
fn arguments() {
    fuzz::run("arguments", &lines(), |words| match parse::argv(&words) {
        Ok(parsed) => {
            if let CliAction::Call(invocation) = parsed.action {
                encode(&invocation);
            }
        }
        Err(failure) => {
            assert!(!failure.message.is_empty(), "{words:?}");
            let _ = (failure.text(), failure.json());
        }
    });
}

/// Steps as documents, some of them broken.
fn steps() -> impl Strategy<Value = String> {
    let words = lines().prop_map(|words| serde_json::json!(words).to_string());
    let object = (lines(), any::<i64>())
        .prop_map(|(words, tab)| serde_json::json!({ "tab": tab, "command": words }).to_string());
    let cut = (lines(), any::<prop::sample::Index>()).prop_map(|(words, place)| {
        let text = serde_json::json!(words).to_string();
        text.chars().take(place.index(text.len().max(1))).collect::<String>()
    });
    let nested = (1..200_usize).prop_map(|depth| "[".repeat(depth) + &"]".repeat(depth));
    let line = prop_oneof![4 => words, 4 => object, 2 => cut, 1 => nested, 1 => ".{0,20}"];
    let apart = select(&["\n", "\r\n", "\n\n", ",", " "][..]);
    (vec(line, 0..5), apart, any::<bool>()).prop_map(|(lines, apart, whole)| {
        let text = lines.join(apart);
        if whole { format!("[{text}]") } else { text }
    })
}

#[test]
#[ignore = "takes as long as it is configured: make fuzz"]
fn batches() {
    fuzz::run("batches", &steps(), |text| match read_steps(&text) {
        Ok(steps) => steps.iter().for_each(|(_, step)| encode(step)),
        Err(failure) => assert!(!failure.message.is_empty(), "{text:?}"),
    });
}
