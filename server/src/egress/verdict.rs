//! What is done about an act or a document that a rule stops.

use browse_guard::egress::{Carried, Rule, Site};
use browse_proto::Reason;

use super::mode::Mode;
use crate::{
    daemon::Daemon,
    error::{Error, quote},
    outbound::Action,
    policy::Capability,
    records::{Surface, attempt},
    secrets,
};

/// Who sends, and by what.
pub struct Sender<'a> {
    /// The daemon.
    pub daemon: &'a Daemon,
    /// What the caller may do.
    pub capability: &'a Capability,
    /// The command.
    pub command: &'a str,
    /// What the command does with it: `sends`, or leads on to.
    pub verb: Verb,
}

/// How something leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// The command itself sends it.
    Sends,
    /// A server or a page hands on what the command gave it.
    LeadsOn,
}

impl Verb {
    fn words(self, command: &str, cargo: &str, to: &Site) -> [String; 2] {
        match self {
            Self::Sends => [
                format!("`{command}` sends {cargo} to {to}"),
                format!("`{command}` would send {cargo} to {to}"),
            ],
            Self::LeadsOn => [
                format!("`{command}` leads on to {to}, with {cargo}"),
                format!("`{command}` would lead on to {to}, with {cargo}"),
            ],
        }
    }
}

/// Does what the setting says about `text`, which a rule stops: writes it down, and
/// answers what the caller is to be told.
///
/// # Errors
/// `EGRESS_DENIED`, with the id of what waits for the owner's approval.
pub fn answer(
    sender: &Sender<'_>,
    text: &str,
    to: &Site,
    carried: &Carried,
    rule: Rule,
) -> Result<Option<String>, Error> {
    let Sender { daemon, capability, command, verb } = *sender;
    let mode = daemon.egress().mode(capability.kind);
    let [done, refused] = verb.words(command, &said(carried, rule), to);
    let rule = rule.name();
    let client = capability.client.to_string();
    let note = |reason: &str| {
        let reason = format!("{reason} {rule}");
        attempt(daemon, Surface::Egress, &reason, client.as_bytes(), to.as_str());
        daemon.egress().count(mode);
    };
    match mode {
        Mode::Off => Ok(Some(format!("the egress guard is off: {done} (rule {rule})"))),
        Mode::Warn => {
            note("warned");
            Ok(Some(format!("egress: {done} (rule {rule} of docs/security.md)")))
        }
        Mode::Block => {
            // The same text to the same site is the same act, whatever else was
            // read meanwhile.
            let digest = daemon.egress().digest(&format!("{command} {to} {text}"));
            let action = Action { key: format!("egress {digest:016x}"), words: done };
            let Err(id) = daemon.approvals().once(capability, action) else { return Ok(None) };
            note("EGRESS_DENIED");
            let error = Error::new(Reason::EgressDenied, format!("{refused} (rule `{rule}`)"));
            Err(error.with("id", id).with("rule", rule).with("site", to))
        }
    }
}

/// What goes away and where it was read, for who is to approve it.
fn said(carried: &Carried, rule: Rule) -> String {
    let from = match carried.from.as_slice() {
        [] => "another site".to_owned(),
        some => some.iter().take(3).map(Site::as_str).collect::<Vec<_>>().join(", "),
    };
    let words = quote(&secrets::redact(&carried.what));
    match carried.what.chars().count() {
        _ if rule == Rule::Secret => format!("a secret of {from}"),
        0 => format!("what was read on {from}"),
        all if words.ends_with('…') => format!("`{words}` ({all} characters) of {from}"),
        _ => format!("`{words}` of {from}"),
    }
}
