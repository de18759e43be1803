//! Numbers and names of what `acme` has, used by `beta` through the gateway.

use browse_proto::metadata;
use serde_json::{Value, json};

use super::{
    Attempt, ExpectedAnswer,
    direct::{SECRET, TwoPods},
    played::VAULT,
    request::AttemptRequest,
};

const NO_TAB: ExpectedAnswer = ExpectedAnswer::Refused(404, "TAB_NOT_FOUND");

/// The attempts.
pub fn attempts(pods: &TwoPods) -> Vec<Attempt> {
    [numbers(pods), lists(pods), sessions(pods)].into_iter().flatten().collect()
}

fn command(pods: &TwoPods, session: &str, command: &str, message: &Value) -> AttemptRequest {
    AttemptRequest::command(pods.world.replicas[0].address, session, command).with_message(message)
}

/// The same request of `beta` in its session and of `acme` in its own.
fn attempt(
    pods: &TwoPods,
    (name, how): (&'static str, &'static str),
    (words, message): (&str, Value),
    proof: &str,
    expected: ExpectedAnswer,
) -> Attempt {
    Attempt {
        name,
        how,
        attack: command(pods, "work", words, &message).token("beta-key"),
        control: command(pods, VAULT, words, &message).token("acme-key"),
        proof: proof.to_owned(),
        expected,
    }
}

fn numbers(pods: &TwoPods) -> Vec<Attempt> {
    let tab = json!({ "id": pods.tab });
    let title = ("get", json!({ "property": "title" }));
    let mut named = attempt(
        pods,
        ("the tab of a header", "numbers of tabs are guessed"),
        title,
        "Vault of acme",
        NO_TAB,
    );
    for request in [&mut named.attack, &mut named.control] {
        *request = request.clone().with(metadata::TAB, pods.tab.to_string());
    }
    vec![
        named,
        attempt(
            pods,
            ("the tab of a message", "it becomes the active one"),
            ("tab", tab.clone()),
            "",
            NO_TAB,
        ),
        attempt(
            pods,
            ("a ref of a page", "refs are numbers that are counted up"),
            ("highlight", json!({ "target": pods.element })),
            "",
            ExpectedAnswer::Refused(404, "REF_UNKNOWN"),
        ),
        attempt(
            pods,
            ("a recording of requests", "it is stopped, and its file comes along"),
            ("network har stop", json!({})),
            "",
            ExpectedAnswer::Refused(400, "RECORDING_NOT_RUNNING"),
        ),
    ]
}

/// Lists, which have what is of the caller alone.
fn lists(pods: &TwoPods) -> Vec<Attempt> {
    let own = |text: &str| ExpectedAnswer::Own(text.to_owned());
    let pid = format!("\"pid\":{},", pods.victim.pid());
    let row = |names, words, proof: &str, expected| {
        attempt(pods, names, (words, json!({})), proof, expected)
    };
    vec![
        row(
            ("the list of sessions", "of all that there are"),
            "session list",
            "\"vault\"",
            own("\"work\""),
        ),
        row(
            ("memory", "by session and origin of each tab"),
            "memory",
            "\"vault\"",
            own("\"work\""),
        ),
        row(("status", "of the daemon of `acme`"), "status", &pid, own("\"pid\"")),
        row(("the list of tabs", "with titles and addresses"), "tabs", "Vault of acme", own("Own")),
        row(("cookies", "of all sites"), "cookies", "vaultcookie", own("")),
        row(("the text of the page", "of the tab that is active"), "text", SECRET, own("Own page")),
    ]
}

/// Sessions by their name; the last one opens one of the same name.
fn sessions(pods: &TwoPods) -> Vec<Attempt> {
    let close = command(pods, "work", "session close", &json!({ "name": "spare" }));
    let text = command(pods, VAULT, "text", &json!({}));
    vec![
        Attempt {
            name: "the end of a session",
            how: "it is named in the message",
            attack: close.clone().token("beta-key"),
            control: close.token("acme-key"),
            proof: String::new(),
            expected: ExpectedAnswer::Refused(404, "SESSION_NOT_FOUND"),
        },
        Attempt {
            name: "a session of the same name",
            how: "names of sessions are guessed",
            attack: text.clone().token("beta-key"),
            control: text.token("acme-key"),
            proof: SECRET.to_owned(),
            expected: ExpectedAnswer::Own(String::new()),
        },
    ]
}
