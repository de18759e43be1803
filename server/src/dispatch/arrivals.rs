//! Names the skills and notes that fit where a command arrived: in the answer where it
//! has a place for them, else in a notice. A command arrives when it ends at a host that
//! no tab of its session showed.

use browse_proto::{Scope, v1};
use url::Url;

use super::CallContext;
use browse_policy::ClientKind;
use browse_sessions::Tab;

/// Notes and skills for the host of `tab`, on arrival there, and those that were not named
/// in this session yet. Trouble with them never fails a command.
pub fn suggestions_for(cx: &CallContext, tab: &Tab) -> Vec<v1::SuggestedSkill> {
    let suggested = fitting(cx, tab);
    cx.set_suggested(suggested.clone());
    suggested
}

fn fitting(cx: &CallContext, tab: &Tab) -> Vec<v1::SuggestedSkill> {
    if matches!(cx.capability().kind, ClientKind::Paired | ClientKind::Skill) {
        // They could not run them, and have no business knowing them.
        return Vec::new();
    }
    let Ok(session) = cx.session() else { return Vec::new() };
    let url = Url::parse(&tab.page().url()).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    let open: Vec<_> = session.tabs().iter().map(|tab| tab.id()).collect();
    let has_arrived = session.offers().record_host(tab.id(), host, &open);
    let Some(url) = &url else { return Vec::new() };
    let daemon = cx.daemon();
    let mut fitting = daemon.notes().suggest(url, daemon.skills().suggest(url));
    fitting.retain(|skill| {
        session.offers().is_first_offer(host, &skill.kind, &skill.id) || has_arrived
    });
    fitting
}

/// Names them in a notice, when the command of `cx` arrived and its answer does not.
pub(super) fn announce(cx: &CallContext) {
    let Some(tab) = cx.tab_if_any().filter(|_| cx.capability().scopes.allows(Scope::Meta)) else {
        return;
    };
    let Ok(session) = cx.session() else { return };
    let url = Url::parse(&tab.page().url()).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    // The ordinary case costs a comparison.
    if cx.command().service == "BrowserService" && !session.offers().is_recorded(tab.id(), host) {
        notices(&fitting(cx, tab)).iter().for_each(|notice| cx.add_notice(notice));
    }
}

/// One line for each; in words of ours, since no page chose one of the names.
pub(super) fn notices(suggested: &[v1::SuggestedSkill]) -> Vec<String> {
    let notice = |skill: &v1::SuggestedSkill| {
        let (id, kind) = (&skill.id, &skill.kind);
        match kind.as_str() {
            "note" => format!("`browse context` has a note on {id}"),
            "library" => format!("`browse library show {id}` fits this host"),
            kind => format!("`browse skill run {id}` fits this host ({kind})"),
        }
    };
    suggested.iter().map(notice).collect()
}
