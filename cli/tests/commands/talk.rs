//! What agents and the person write to each other.

use crate::case::{Case, cases};

const PAGE: &str = "<title>Shop</title><button>Save</button>";

cases! {
    say: Case {
        command: "say",
        page: PAGE,
        line: "say 'The order is placed'",
        says: &["message ", "browse dashboard"],
        json: &[("/id", "*"), ("/summary", "*")],
        then: &[("talk", "say root \"The order is placed\"")],
        ..Case::NEW
    },
    inbox: Case {
        command: "inbox",
        page: PAGE,
        first: &["talk write 'Not this one' text=Save", "talk write 'Go on'"],
        line: "inbox --clear",
        says: &["Not this one", "button \"Save\"", "Go on"],
        json: &[
            ("/0/text", "\"Not this one\""),
            ("/0/element", "*"),
            ("/0/tab", "*"),
            ("/1/text", "\"Go on\""),
            ("/1/element", "\"\""),
            ("/2", "null"),
        ],
        then: &[("inbox", "")],
        ..Case::NEW
    },
    inbox_picture: Case {
        command: "inbox picture",
        page: PAGE,
        first: &["talk write 'This one' text=Save"],
        line: "inbox picture {note} note.jpg",
        says: &["note.jpg"],
        json: &[("/path", "*")],
        writes: &[("note.jpg", b"\xff\xd8\xff")],
        ..Case::NEW
    },
}
