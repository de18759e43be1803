//! The look at an act before it is done.

use std::time::Duration;

use browse_guard::egress::{
    DestinationKind, EgressChannel, EgressRule, OutboundData, ReassembledText, Site, TaintMatch,
    TaintedPayload, decodings, violated_rule,
};
use browse_proto::{Command, Reason, Requires, Scope};

use super::{
    forms,
    outbound_flow::{self, FlowPart, OutboundFlow},
    rule_outcome::{FlowMeans, FlowSource, apply_mode, canary_leaked},
};
use crate::{
    dispatch::{CallContext, RequestMessage},
    egress::{ClientTaint, EgressMode},
};
use browse_base::{Error, HINT_KEY, Result};
use browse_policy::ClientKind;
use tokio::time::{Instant, timeout_at};

/// Time before the deadline in which a call that waits for the owner is answered.
const DECISION_MARGIN: Duration = Duration::from_millis(200);

/// Time that a call without a deadline waits for the owner.
const MAX_DECISION_TIME: Duration = Duration::from_secs(60);

/// Letters and digits from which a word may be the value of a cookie.
const MIN_COOKIE_VALUE_CHARS: usize = 16;

/// Looks at what `request` would send.
///
/// # Errors
/// `CANARY_LEAKED`; `EGRESS_DENIED` where a rule stops it and the setting says
/// so.
pub async fn check(cx: &CallContext, request: &dyn RequestMessage) -> Result<()> {
    let acts = outbound_flow::outbound_flows(cx, request);
    for act in &acts {
        check_flow(cx, act).await?;
    }
    if outbound_flow::is_paste(request) {
        check_paste(cx).await?;
    }
    // What is typed is looked at by itself, and again when the page sends it.
    let is_typing = acts.iter().any(|act| act.is_typing && !is_single_key(act));
    if may_submit(cx.command()) && !is_typing && cx.capability().kind != ClientKind::Skill {
        check_form_submission(cx).await?;
    }
    Ok(())
}

/// Whether a command may send a form: it acts on the page as a person does.
fn may_submit(command: &Command) -> bool {
    command.has_side_effects && command.requires == Requires::Page && command.scope == Scope::Write
}

/// A single key may be a shortcut that sends a form.
fn is_single_key(act: &OutboundFlow) -> bool {
    act.parts.iter().all(|part| part.as_str().chars().count() == 1)
}

/// Looks at what a click would send, of a command that may click.
///
/// # Errors
/// As [`check`].
pub async fn check_click(cx: &CallContext) -> Result<()> {
    if cx.capability().kind == ClientKind::Skill { Ok(()) } else { check_form_submission(cx).await }
}

async fn check_flow(cx: &CallContext, act: &OutboundFlow) -> Result<()> {
    let egress = cx.daemon().egress();
    if cx.capability().kind == ClientKind::Skill {
        return check_canaries(cx, act, &[]);
    }
    let reader = egress.client_taint(cx.client());
    let text = act.parts.iter().map(FlowPart::as_str).collect::<Vec<_>>().join("\n");
    let is_address = matches!(act.channel, EgressChannel::Address | EgressChannel::Request);
    let chosen = act
        .destination
        .as_ref()
        .map(|to| caller_chosen_parts(&reader, act, to))
        .unwrap_or_default();
    let chosen: Vec<&str> = chosen.iter().map(String::as_str).collect();
    let together = match &act.destination {
        Some(to) if act.is_typing => {
            reader.typed_with(to, &text).map(untainted_text).into_iter().collect()
        }
        Some(to) if is_address => reader.reassemble(to, &chosen),
        _ => Vec::new(),
    };
    check_canaries(cx, act, &together)?;
    let Some(to) = &act.destination else { return Ok(()) };
    // What another client read may come from somebody who read nothing.
    let mut is_told = false;
    let is_quick = act.is_typing && reader.has_read_only(to) && !has_foreign_datamark(cx, &text);
    let mut known = 0;
    if !is_quick {
        let mut carried = match_taint(&reader, act, to, &together);
        if *to == Site::mixed() {
            // It goes to whichever site a page leads to.
            carried.destination = DestinationKind::NamedByPage;
        }
        known = carried.payload.tainted_chars;
        carried.payload.has_secret = has_secret(cx, &reader, act, to, together, &carried).await;
        let is_of_weight = carried.payload.tainted_chars > 0 || carried.payload.has_code;
        if is_of_weight && carried.destination == DestinationKind::Unvisited {
            carried.destination =
                match is_embedded(cx, act, to) || forms::page_mentions_site(cx, to).await {
                    true => DestinationKind::NamedByPage,
                    false => DestinationKind::Unvisited,
                };
        }
        if let Some(rule) = violated_rule(act.channel, carried.destination, carried.payload) {
            apply_rule(cx, &text, to, &carried, rule).await?;
            is_told = true;
        }
        reader.flush().memory.add_to_total(to, carried.payload.tainted_chars);
    }
    if is_address {
        check_nested_urls(cx, &reader, &chosen, to).await?;
    }
    match act.is_typing {
        true => reader.record_typed(to, &text, is_told),
        false => {
            reader.record_request(act.channel, to);
            reader.record_sent(&chosen);
        }
    }
    if is_address {
        reader.add_chunks(to, &chosen, known, is_told);
    }
    for part in &act.parts {
        if let FlowPart::Address(url) = part {
            cx.outgoing().add_checked(url);
        }
    }
    Ok(())
}

/// What the caller chose of what an act sends: all but what a page wrote just so.
fn caller_chosen_parts(reader: &ClientTaint, act: &OutboundFlow, to: &Site) -> Vec<String> {
    let hashed = reader.flush();
    let parts = act
        .parts
        .iter()
        .flat_map(|part| hashed.memory.unvouched_parts(&part.as_outbound_data(), to));
    parts.map(str::to_owned).collect()
}

fn untainted_text(text: String) -> ReassembledText {
    ReassembledText { text, tainted_chars: 0 }
}

/// Whether an act goes to a frame of another site than its page: the page chose it.
fn is_embedded(cx: &CallContext, act: &OutboundFlow, to: &Site) -> bool {
    let into_page = matches!(act.channel, EgressChannel::Field | EgressChannel::File);
    into_page && outbound_flow::page_site(cx).is_some_and(|page| page != *to)
}

/// Looks at the addresses that an address may lead on to.
async fn check_nested_urls(
    cx: &CallContext,
    reader: &ClientTaint,
    chosen: &[&str],
    to: &Site,
) -> Result<()> {
    let parts: Vec<String> = chosen.iter().map(|part| (*part).to_owned()).collect();
    for (site, address) in outbound_flow::nested_urls(&parts, to) {
        let sent = [OutboundData::Address(&address)];
        let reported = cx.outgoing().reported(&site);
        let carried = reader.flush().memory.match_taint_except(&sent, &site, &reported);
        if let Some(rule) =
            violated_rule(EgressChannel::Address, carried.destination, carried.payload)
        {
            apply_rule(cx, &address, &site, &carried, rule).await?;
        }
    }
    Ok(())
}

/// A sighting of a canary stops everything.
fn check_canaries(
    cx: &CallContext,
    act: &OutboundFlow,
    together: &[ReassembledText],
) -> Result<()> {
    let egress = cx.daemon().egress();
    let together = together.iter().map(|one| one.text.as_str());
    let texts = act.parts.iter().map(FlowPart::as_str).chain(together);
    if !texts.into_iter().any(|text| egress.holds_canary(text)) {
        return Ok(());
    }
    Err(canary_leaked(&direct_source(cx), act.destination.as_ref()))
}

/// The caller, for what the command itself sends.
fn direct_source(cx: &CallContext) -> FlowSource<'_> {
    FlowSource {
        daemon: cx.daemon(),
        capability: cx.capability(),
        command: cx.command().name,
        means: FlowMeans::Direct,
    }
}

/// What an act carries, alone or together with what was sent before it.
fn match_taint(
    reader: &ClientTaint,
    act: &OutboundFlow,
    to: &Site,
    together: &[ReassembledText],
) -> TaintMatch {
    let hashed = reader.flush();
    let sent: Vec<_> = act.parts.iter().map(FlowPart::as_outbound_data).collect();
    let mut carried = hashed.memory.match_taint(&sent, to);
    for one in together {
        let mut whole = hashed.memory.match_taint(&[OutboundData::Text(&one.text)], to);
        let is_more = whole.payload.tainted_chars
            > carried.payload.tainted_chars.max(one.tainted_chars)
            || whole.payload.has_code && !carried.payload.has_code;
        if !is_more {
            continue;
        }
        // What was typed before is there already.
        if act.is_typing && !carried.excerpt.is_empty() {
            whole.excerpt = carried.excerpt;
        }
        carried = whole;
    }
    carried
}

/// Whether it holds the value of a cookie of another site; or what has the
/// shape of a secret and was read somewhere else, or goes where nobody looks; or
/// what another client read with a watermark. What was `typed` bit by bit is
/// one text, as the parameters of an address are.
async fn has_secret(
    cx: &CallContext,
    reader: &ClientTaint,
    act: &OutboundFlow,
    to: &Site,
    together: Vec<ReassembledText>,
    carried: &TaintMatch,
) -> bool {
    let mut parts: Vec<String> = {
        let hashed = reader.flush();
        let parts = act
            .parts
            .iter()
            .flat_map(|part| hashed.memory.unvouched_parts(&part.as_outbound_data(), to));
        parts.map(str::to_owned).collect()
    };
    if parts.len() > 1 {
        parts.push(parts.concat());
    }
    parts.extend(together.into_iter().map(|one| one.text));
    parts.extend(act.parts.iter().filter_map(FlowPart::host));
    let views: Vec<_> = parts.iter().flat_map(|part| decodings(part)).collect();
    if views.iter().any(|view| has_foreign_datamark(cx, view)) {
        return true;
    }
    let was_read = carried.payload.tainted_chars > 0 || carried.payload.has_code;
    let is_blind = !matches!(act.channel, EgressChannel::Field | EgressChannel::File);
    if (was_read || is_blind) && views.iter().any(|view| browse_secrets::contains_token(view)) {
        return true;
    }
    let is_value = |word: &str| {
        word.len() >= MIN_COOKIE_VALUE_CHARS
            && word.bytes().any(|b| b.is_ascii_digit())
            && !word.contains('/')
    };
    let ends = |c: char| c.is_whitespace() || matches!(c, '=' | '&' | ';' | '"' | '\'' | ',');
    if !views.iter().any(|view| view.split(ends).any(is_value)) {
        return false;
    }
    let Some(context) = cx.session().ok().and_then(|session| session.context()) else {
        return false;
    };
    let cookies = context.cookies().await.unwrap_or_default();
    cookies.iter().any(|cookie| {
        let text = |name: &str| cookie.get(name).and_then(|value| value.as_str());
        let (domain, value) =
            (text("domain").unwrap_or_default(), text("value").unwrap_or_default());
        let host = domain.trim_start_matches('.');
        // A cookie has no port: on this machine it is of all of them.
        let is_theirs =
            to.as_str().split(':').next() == Some(host) || Site::of_host(host, 0) == *to;
        value.len() >= MIN_COOKIE_VALUE_CHARS
            && !is_theirs
            && views.iter().any(|view| view.contains(value))
    })
}

/// Whether `text` carries the watermark of another client.
fn has_foreign_datamark(cx: &CallContext, text: &str) -> bool {
    cx.daemon().watch().datamark_owner(text, &cx.client().to_string()).is_some()
}

/// Does what the setting says about an act that a rule stops. Where it says so, the call waits
/// for the owner until shortly before its deadline.
async fn apply_rule(
    cx: &CallContext,
    text: &str,
    to: &Site,
    carried: &TaintMatch,
    rule: EgressRule,
) -> Result<()> {
    let apply = || apply_mode(&direct_source(cx), text, to, carried, rule);
    let notice = match apply() {
        Err(error) if egress_mode(cx) == EgressMode::Ask => {
            wait_for_owner(cx, &error).await;
            apply()?
        }
        outcome => outcome?,
    };
    let reader = cx.daemon().egress().client_taint(cx.client());
    cx.outgoing().add_reported(to, reader.flush().memory.fingerprint_hashes(&[text]));
    if let Some(notice) = notice {
        cx.add_notice(&notice);
    }
    Ok(())
}

fn egress_mode(cx: &CallContext) -> EgressMode {
    cx.daemon().egress().mode(cx.capability().kind)
}

/// Waits until the owner decides on what `error` says that waits.
async fn wait_for_owner(cx: &CallContext, error: &Error) {
    if let Some(id) = error.metadata().get("id") {
        // A stream may have no deadline.
        let limit = cx.finite_deadline().unwrap_or_else(|| Instant::now() + MAX_DECISION_TIME);
        let until = limit - DECISION_MARGIN;
        let _ = timeout_at(until, cx.daemon().approvals().wait_decided(id)).await;
    }
}

/// A paste sends what is in the clipboard. There is one for the whole browser, and
/// whoever may not read it does not get at it by a key either.
async fn check_paste(cx: &CallContext) -> Result<()> {
    if cx.session()?.is_attached() {
        let message = "the clipboard of this browser is that of its person, and may hold a secret";
        return Err(Error::new(Reason::ForeignBrowser, message)
            .with(HINT_KEY, "Type the text with `browse type` or `browse fill`"));
    }
    let browser = cx.own_browser().await?;
    let Ok(text) = browser.read_clipboard().await else { return Ok(()) };
    if !cx.is_root() && !text.is_empty() {
        let message = "the clipboard belongs to the owner of the browser, and may hold what was \
            copied in another session";
        let hint = "Type the text with `browse type` or `browse fill`";
        return Err(Error::new(Reason::ScopeDenied, message).with(HINT_KEY, hint));
    }
    let (to, parts) = (outbound_flow::frame_site(cx), vec![FlowPart::Text(text)]);
    let channel = EgressChannel::Field;
    check_flow(cx, &OutboundFlow { channel, destination: to, parts, is_typing: false }).await
}

/// A click or a key may send a form to another site. Only looked at when what
/// stands in the fields was read before it was typed.
async fn check_form_submission(cx: &CallContext) -> Result<()> {
    let reader = cx.daemon().egress().client_taint(cx.client());
    let frames = cx.tab_if_any().map(|tab| tab.page().frames()).unwrap_or_default();
    let sites = frames
        .iter()
        .filter_map(|frame| outbound_flow::site_of(&url::Url::parse(&frame.url).ok()?));
    if !sites.into_iter().any(|site| reader.has_tainted_fields(&site)) {
        return Ok(());
    }
    let is_blocking = cx.daemon().egress().mode(cx.capability().kind).needs_approval();
    let (acts, is_all) = match forms::cross_site_submissions(cx).await {
        Ok(found) => found,
        // What nobody can tell of is not done.
        Err(error) if is_blocking => return Err(error),
        Err(_) => return Ok(()),
    };
    for act in acts {
        let Some(to) = &act.destination else { continue };
        check_canaries(cx, &act, &[])?;
        let mut carried = match_taint(&reader, &act, to, &[]);
        // The page chose where its form goes.
        carried.destination = DestinationKind::NamedByPage;
        carried.payload.has_secret = has_secret(cx, &reader, &act, to, Vec::new(), &carried).await;
        if let Some(rule) =
            violated_rule(EgressChannel::Address, carried.destination, carried.payload)
        {
            let text = act.parts.iter().map(FlowPart::as_str).collect::<Vec<_>>().join("\n");
            apply_rule(cx, &text, to, &carried, rule).await?;
        }
    }
    if is_blocking && !is_all {
        let (cargo, from, what) = (TaintedPayload::default(), Vec::new(), String::new());
        let carried = TaintMatch {
            destination: DestinationKind::NamedByPage,
            payload: cargo,
            source_sites: from,
            excerpt: what,
        };
        apply_rule(cx, "", &Site::mixed(), &carried, EgressRule::Steered).await?;
    }
    Ok(())
}
