//! What agents get to know of the person in their session: beside their next answer, and where they
//! are refused because of it.

use browse_base::{Error, HINT_KEY};
use browse_policy::ClientKind;
use browse_proto::{Command, Reason};

use super::{CallContext, acts_in_session};

/// The command that answers what the person has changed.
const RESUME: &str = "resume";

/// What a caller does who is refused, and cannot call [`RESUME`].
const WAIT_HINT: &str =
    "Wait until the person is done, and look at the page again: it may have changed";

impl CallContext {
    /// What the person did in the session, and whether there are notes, for the first agent of the
    /// session that acts in it.
    pub(super) fn take_person_notices(&self) -> Vec<String> {
        let kind = self.capability().kind;
        let is_agent = matches!(kind, ClientKind::Root | ClientKind::Agent | ClientKind::Tenant);
        let is_theirs = is_agent && acts_in_session(self.command());
        let Some(session) = self.existing_session().filter(|_| is_theirs) else {
            return Vec::new();
        };
        let mut notices = session.control().notices().take();
        if !notices.is_empty() {
            notices.push(match self.may_resume() {
                true => "`browse resume` says what changed".to_owned(),
                false => "its pages may have changed: look at them again".to_owned(),
            });
        }
        if self.daemon().talk().take_unreported(session.name()) {
            notices.push("the person wrote to you: `browse inbox` prints it".to_owned());
        }
        notices
    }

    /// Adds what to do while a person has the session, for a caller who cannot call `resume`.
    pub(super) fn with_wait_hint(&self, error: Error) -> Error {
        match error.reason() == Reason::HandedOff && !self.may_resume() {
            true => error.with_default(HINT_KEY, WAIT_HINT),
            false => error,
        }
    }

    /// Whether the caller may call `resume`, which no fleet serves.
    pub(super) fn may_resume(&self) -> bool {
        Command::by_name(RESUME).is_some_and(|command| self.permit().for_command(command).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use browse_net::HostPolicy;
    use browse_policy::{
        Audience, ClientId, Delivery, GrantSpec, IssuedToken, Listener, Rate, Scopes, SessionRule,
        TabPolicy,
    };
    use browse_proto::Scope;

    use super::*;
    use crate::{
        daemon::Daemon,
        dispatch::test_calls::{call, call_by, daemon},
    };

    /// The token of a caller of a fleet for one session.
    fn tenant(daemon: &Arc<Daemon>, session: &str, kind: ClientKind) -> IssuedToken {
        let client = ClientId::new(format!("fleet:{}:{session}", kind.name())).expect("a name");
        let spec = GrantSpec {
            client,
            audience: Audience::Gateway,
            kind,
            scopes: Scopes::of(&[Scope::Read, Scope::Write, Scope::Meta]),
            hosts: HostPolicy::Any,
            tabs: TabPolicy::Session,
            session: SessionRule::Only(session.to_owned()),
            rate: Rate::Unlimited,
            delivery: Delivery::Guarded,
            lifetime: Duration::from_secs(60),
        };
        daemon.authority().issue(spec).expect("a token")
    }

    #[tokio::test]
    async fn the_agents_of_a_session_of_a_fleet_get_to_know_what_the_person_did() {
        let folder = tempfile::tempdir().expect("a folder");
        let daemon = daemon(&folder);
        let open = |name: &str| {
            daemon.sessions().get_or_open(&name.parse().expect("a name"), &ClientId::root())
        };
        let (work, _other) = (open("work"), open("other"));
        let goto = Command::by_name("goto").expect("a command");
        let own = tenant(&daemon, "work", ClientKind::Tenant);
        let other = tenant(&daemon, "other", ClientKind::Tenant);
        let person = tenant(&daemon, "work", ClientKind::Dashboard);
        let take = |token: &IssuedToken| {
            call_by(&daemon, token.grant(), goto, Listener::Gateway).take_person_notices()
        };
        work.control().notices().add("a person had the session `work`".to_owned());
        daemon.talk().write_note("work", "dashboard:ann", "look here", None);
        assert!(take(&other).is_empty() && take(&person).is_empty(), "they are not its agents");
        let notices = take(&own);
        assert_eq!(notices.len(), 3, "{notices:?}");
        assert!(notices[0].contains("a person had") && notices[2].contains("inbox"), "{notices:?}");
        assert!(!notices.concat().contains("resume"), "it is not served: {notices:?}");
        assert!(take(&own).is_empty(), "once");
    }

    #[tokio::test]
    async fn only_who_may_call_resume_is_sent_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let daemon = daemon(&folder);
        let click = Command::by_name("click").expect("a command");
        let token = tenant(&daemon, "work", ClientKind::Tenant);
        let of_fleet = call_by(&daemon, token.grant(), click, Listener::Gateway);
        let held = || Error::new(Reason::HandedOff, "a person holds the session");
        assert!(!of_fleet.with_wait_hint(held()).hint().contains("resume"));
        let local = call(&daemon, click, false);
        assert!(local.with_wait_hint(held()).hint().contains("browse resume"));
    }
}
