//! Nonsense for what the daemon reads of its callers: nothing of it may panic.
//! `make fuzz` runs this; the suite leaves it out.

#[path = "../../proto/tests/support/fuzz.rs"]
mod fuzz;

use std::path::Path;

use browse_engine::{LinePattern, Target};
use browse_proto::{Command, v1, wire};
use browse_server::address::{self, UrlRequester};
use proptest::{collection::vec, prelude::*, sample::select};
use prost::Message as _;

/// What targets, patterns and addresses are made of.
const PIECES: &[&str] = &[
    "@e",
    "@c",
    "@",
    "0",
    "3",
    "4294967296",
    "text=",
    "role=",
    "label=",
    "xpath=",
    "css=",
    "button",
    "[name=",
    "[name*=",
    "[",
    "]",
    "\"",
    "'",
    "\\",
    "/",
    "//",
    "/i",
    "=",
    "*",
    "(",
    ")",
    "{",
    "}",
    "|",
    "#",
    ".",
    ":",
    ">",
    ">>",
    " ",
    "\t",
    "\n",
    "\u{0}",
    "é",
    "\u{301}",
    "👩‍👩‍👧",
    "\u{202e}",
    "a",
    "http:",
    "https://",
    "file://",
    "file:///etc/",
    "~",
    "..",
    "%2e",
    "%",
    "localhost",
    "127.1",
    "0x7f.1",
    "[::1]",
    "[::ffff:a9fe:a9fe]",
    "@host",
    "?",
    "&",
    ":99999",
    "javascript:",
    "data:,",
    "about:blank",
    "view-source:",
    "C:\\",
];

fn text() -> impl Strategy<Value = String> {
    let pieces = vec(select(PIECES), 0..12).prop_map(|pieces| pieces.concat());
    let long = (select(PIECES), 1..1_000_usize).prop_map(|(piece, count)| piece.repeat(count));
    prop_oneof![20 => pieces, 5 => ".{0,40}", 1 => long]
}

#[test]
#[ignore = "takes as long as it is configured: make fuzz"]
fn targets() {
    let home = Path::new("/home/somebody/.browse");
    fuzz::run("targets", &text(), |text| {
        if let Ok(target) = text.parse::<Target>() {
            // What it is called in an error leads to the same one.
            let name = target.to_string();
            assert_eq!(name.parse::<Target>().ok().as_ref(), Some(&target), "{text:?}: {name:?}");
        }
        let _ = text.parse::<LinePattern>();
        for cwd in [None, Some(Path::new("/work"))] {
            let _ = address::parse(&text, &UrlRequester { cwd, home });
        }
    });
}

/// Bytes that begin as a message would.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let field = (0..40_u32, 0..8_u32, vec(any::<u8>(), 0..20)).prop_map(|(number, kind, body)| {
        let mut bytes = vec![(number << 3 | kind) as u8, body.len() as u8];
        bytes.extend(body);
        bytes
    });
    prop_oneof![vec(field, 0..6).prop_map(|fields| fields.concat()), vec(any::<u8>(), 0..64)]
}

#[test]
#[ignore = "takes as long as it is configured: make fuzz"]
fn steps() {
    let commands: Vec<&'static Command> = Command::all().iter().collect();
    fuzz::run("steps", &(select(commands), bytes()), |(command, bytes)| {
        if let Ok(fields) = wire::decode(command.request, &bytes) {
            let _ = wire::encode(command.request, &fields);
        }
        let _ = wire::set_fields(&bytes);
        let request = prost_types::Any {
            type_url: format!("type.googleapis.com/{}", command.request.full_name),
            value: bytes,
        };
        let _ = browse_server::dispatch::step_command(&request);
        let step = v1::Step { tab: None, request: Some(request) };
        let batch = v1::BatchRequest { steps: vec![step] };
        assert_eq!(v1::BatchRequest::decode(batch.encode_to_vec().as_slice()).ok(), Some(batch));
    });
}
