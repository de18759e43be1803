//! Attempts of one tenant to reach what another one has: its sessions, pods, state and metrics.
//!
//! Each stands beside the same request of somebody who may make it. What is refused is so refused
//! for its reason, and not because nothing answers there.

mod direct;
mod headers;
mod identifiers;
mod issuer;
mod paths;
mod played;
mod raw;
mod request;
mod sessions;
mod stored;
mod tokens;

use request::AttemptRequest;

/// One attempt.
pub struct Attempt {
    /// What is tried.
    pub name: &'static str,
    /// How it should work.
    pub how: &'static str,
    pub attack: AttemptRequest,
    /// The same of somebody who may do that.
    pub control: AttemptRequest,
    /// Text that only the answer to `control` has; empty where its status says enough.
    pub proof: String,
    pub expected: ExpectedAnswer,
}

/// What an attempt must be answered.
#[derive(Clone, Debug)]
pub enum ExpectedAnswer {
    /// Nothing: there is no connection, or it ends.
    NoAnswer,
    /// An error with this status of HTTP and this reason.
    Refused(u16, &'static str),
    /// An error of HTTP without a document.
    Status(u16),
    /// What is the caller's own, with this text in it.
    Own(String),
}

impl Attempt {
    /// Sends the attack, and answers what is wrong.
    pub async fn check_attack(&self) -> Option<String> {
        let reply = self.attack.send().await;
        let is_leaked = !self.proof.is_empty()
            && reply.as_ref().is_some_and(|reply| {
                reply.text.contains(&self.proof)
                    || format!("{:?}", reply.headers).contains(&self.proof)
            });
        let is_as_expected = match (&self.expected, &reply) {
            (ExpectedAnswer::NoAnswer, reply) => reply.is_none(),
            (_, None) => false,
            (ExpectedAnswer::Refused(status, reason), Some(reply)) => {
                (reply.status, reply.reason().as_str()) == (*status, *reason)
            }
            (ExpectedAnswer::Status(status), Some(reply)) => reply.status == *status,
            (ExpectedAnswer::Own(own), Some(reply)) => {
                reply.status == 200 && reply.text.contains(own.as_str())
            }
        };
        let (name, how, expected) = (self.name, self.how, &self.expected);
        (is_leaked || !is_as_expected)
            .then(|| format!("{name} ({how}): expected {expected:?}, answered {reply:?}"))
    }

    /// Sends what the owner sends, and answers what is wrong.
    pub async fn check_control(&self) -> Option<String> {
        let reply = self.control.send().await;
        let is_good = reply
            .as_ref()
            .is_some_and(|reply| reply.status == 200 && reply.text.contains(&self.proof));
        (!is_good).then(|| format!("{}: its owner is answered {reply:?}", self.name))
    }
}

/// Fails when two attempts have one name.
fn assert_distinct(attempts: &[Attempt]) {
    let mut names = std::collections::BTreeSet::new();
    let again = attempts.iter().map(|one| one.name).filter(|name| !names.insert(*name));
    assert_eq!(again.collect::<Vec<_>>(), [""; 0], "each attempt has a name of its own");
}
