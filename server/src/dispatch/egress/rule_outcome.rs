//! What is done about an act or a document that a rule stops.

use browse_guard::egress::{EgressRule, Site, TaintMatch};
use browse_proto::Reason;

use crate::{daemon::Daemon, egress::EgressMode};
use browse_base::{Error, quote};
use browse_outbound::{ApprovalAction, NotAllowed};
use browse_policy::Capability;
use browse_records::SecuritySurface;

/// Who sends something, and how.
pub struct FlowSource<'a> {
    /// The daemon.
    pub daemon: &'a Daemon,
    /// What the caller may do.
    pub capability: &'a Capability,
    /// The command.
    pub command: &'a str,
    /// How it leaves.
    pub means: FlowMeans,
}

/// How something leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowMeans {
    /// The command itself sends it.
    Direct,
    /// A server or a page sends on what the command sent to it.
    Redirect,
}

impl FlowSource<'_> {
    /// What happens, and what would happen.
    fn describe(&self, cargo: &str, to: &Site) -> [String; 2] {
        let command = self.command;
        match self.means {
            FlowMeans::Direct => [
                format!("`{command}` sends {cargo} to {to}"),
                format!("`{command}` would send {cargo} to {to}"),
            ],
            FlowMeans::Redirect => [
                format!("`{command}` leads to {to}, with {cargo}"),
                format!("`{command}` would lead to {to}, with {cargo}"),
            ],
        }
    }
}

/// The error of a canary that would leave, for `to` where the site is known. It is
/// written to the record of attempts.
pub fn canary_leaked(source: &FlowSource<'_>, to: Option<&Site>) -> Error {
    let client = source.capability.client.to_string();
    let site = to.map_or("", Site::as_str);
    source.daemon.attempts().record(
        SecuritySurface::Egress,
        "CANARY_LEAKED",
        client.as_bytes(),
        site,
    );
    source.daemon.egress().count_outcome(EgressMode::Block);
    let message = format!("`{}` would send a canary token", source.command);
    Error::new(Reason::CanaryLeaked, message)
}

/// Applies the setting to `text`, which a rule stops: writes it to the record of
/// attempts, and returns the notice for the caller; none where the owner approved it.
///
/// # Errors
/// `EGRESS_DENIED`, with the id of what waits for the owner's approval.
pub fn apply_mode(
    source: &FlowSource<'_>,
    text: &str,
    to: &Site,
    carried: &TaintMatch,
    rule: EgressRule,
) -> Result<Option<String>, Error> {
    let FlowSource { daemon, capability, command, .. } = *source;
    let mode = daemon.egress().mode(capability.kind);
    let [done, refused] = source.describe(&describe_match(carried, rule), to);
    let rule = rule.name();
    let client = capability.client.to_string();
    let note = |reason: &str| {
        let reason = format!("{reason} {rule}");
        daemon.attempts().record(SecuritySurface::Egress, &reason, client.as_bytes(), to.as_str());
        daemon.egress().count_outcome(mode);
    };
    match mode {
        EgressMode::Off => Ok(Some(format!("the egress guard is off: {done} (rule {rule})"))),
        EgressMode::Warn => {
            note("warned");
            Ok(Some(format!("egress: {done} (rule {rule} of docs/security.md)")))
        }
        EgressMode::Block | EgressMode::Ask => {
            // The same text to the same site is the same act, whatever else was
            // read meanwhile.
            let digest = daemon.egress().approval_hash(&format!("{command} {to} {text}"));
            let action = ApprovalAction {
                key: format!("egress {digest:016x}"),
                description: done,
                // Where the site is not known, each act is asked for.
                kind: (*to != Site::mixed()).then(|| format!("egress {command} {to}")),
            };
            let not_allowed = match daemon.approvals().check_once(capability, action) {
                Ok(()) => return Ok(None),
                Err(not_allowed) => not_allowed,
            };
            note("EGRESS_DENIED");
            Err(match not_allowed {
                NotAllowed::Waits(id) => {
                    let message = format!("{refused} (rule `{rule}`)");
                    let error = Error::new(Reason::EgressDenied, message);
                    error.with("id", id).with("rule", rule).with("site", to)
                }
                NotAllowed::Denied => {
                    let message = format!("the owner denied that {refused}");
                    Error::new(Reason::ApprovalDenied, message).with("site", to)
                }
            })
        }
    }
}

/// What goes away and where it was read, for who is to approve it.
fn describe_match(carried: &TaintMatch, rule: EgressRule) -> String {
    let from = match carried.source_sites.as_slice() {
        [] => "another site".to_owned(),
        some => some.iter().take(3).map(Site::as_str).collect::<Vec<_>>().join(", "),
    };
    let words = quote(&browse_secrets::redact(&carried.excerpt));
    match carried.excerpt.chars().count() {
        _ if rule == EgressRule::Secret => format!("a secret of {from}"),
        0 => format!("what was read on {from}"),
        all if words.ends_with('…') => format!("`{words}` ({all} characters) of {from}"),
        _ => format!("`{words}` of {from}"),
    }
}
