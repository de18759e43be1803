//! The look at an act before it is done.

use std::any::Any;

use browse_guard::egress::{Cargo, Carried, Channel, Place, Rule, Sent, Site, judge, views};
use browse_proto::{Reason, v1};

use super::{
    act::{self, Act, Part},
    forms,
    mode::Mode,
    reader::Reader,
};
use crate::{
    dispatch::Context,
    error::{Error, Result, quote},
    outbound::Action,
    policy::Kind,
    records::{Surface, attempt},
    secrets,
};

/// Letters and digits from which a word may be the value of a cookie.
const COOKIE: usize = 16;

/// Commands that may send a form.
const SUBMITS: &[&str] = &["click", "dblclick", "press", "mouse down", "mouse up", "check"];

/// Looks at what `request` would send.
///
/// # Errors
/// `CANARY_LEAKED`; `EGRESS_DENIED` where a rule stops it and the setting says
/// so.
pub async fn check(cx: &Context, request: &(dyn Any + Send + Sync)) -> Result<()> {
    for act in act::acts(cx, request) {
        look(cx, &act).await?;
    }
    if is_paste(request) {
        paste(cx).await?;
    }
    if SUBMITS.contains(&cx.command().name) && cx.capability().kind != Kind::Skill {
        submit(cx).await?;
    }
    Ok(())
}

/// Looks at what a click would send, of a command that may click.
///
/// # Errors
/// As [`check`].
pub async fn check_click(cx: &Context) -> Result<()> {
    if cx.capability().kind == Kind::Skill { Ok(()) } else { submit(cx).await }
}

async fn look(cx: &Context, act: &Act) -> Result<()> {
    let egress = cx.daemon().egress();
    if cx.capability().kind == Kind::Skill {
        return canaries(cx, act, None);
    }
    let reader = egress.reader(cx.client());
    let text = || act.parts.iter().map(Part::as_str).collect::<Vec<_>>().join("\n");
    let typed = match &act.to {
        Some(to) if act.is_typing => reader.typing(to, &text()),
        _ => None,
    };
    canaries(cx, act, typed.as_deref())?;
    let Some(to) = &act.to else { return Ok(()) };
    // What another client read may come from somebody who read nothing.
    let mut is_told = false;
    let is_quick = act.is_typing && reader.knows_only(to) && !is_marked(cx, &text());
    if !is_quick {
        let mut carried = carried(&reader, act, to, typed.as_deref());
        carried.cargo.secret = has_secret(cx, &reader, act, to, typed, &carried).await;
        let is_of_weight = carried.cargo.text > 0 || carried.cargo.code;
        if is_of_weight && carried.place == Place::New && forms::page_names(cx, to).await {
            carried.place = Place::Named;
        }
        if let Some(rule) = judge(act.channel, carried.place, carried.cargo) {
            answer(cx, act, to, &carried, rule)?;
            is_told = true;
        }
        reader.settle().memory.count(to, carried.cargo.text);
    }
    match act.is_typing {
        true => reader.typed(to, &text(), is_told),
        false => reader.open_if_address(act, to),
    }
    Ok(())
}

/// A sighting of a canary stops everything.
fn canaries(cx: &Context, act: &Act, typed: Option<&str>) -> Result<()> {
    let egress = cx.daemon().egress();
    let texts = act.parts.iter().map(Part::as_str).chain(typed);
    if !texts.into_iter().any(|text| egress.holds_canary(text)) {
        return Ok(());
    }
    let domain = act.to.as_ref().map_or("", Site::as_str);
    let client = cx.client().to_string();
    attempt(cx.daemon(), Surface::Egress, "CANARY_LEAKED", client.as_bytes(), domain);
    egress.count(Mode::Block);
    let message = format!("`{}` would send a canary token", cx.command().name);
    Err(Error::new(Reason::CanaryLeaked, message))
}

fn carried(reader: &Reader, act: &Act, to: &Site, typed: Option<&str>) -> Carried {
    let hashed = reader.settle();
    let sent: Vec<_> = act.parts.iter().map(Part::sent).collect();
    let carried = hashed.memory.carried(&sent, to);
    let Some(typed) = typed else { return carried };
    let mut together = hashed.memory.carried(&[Sent::Text(typed)], to);
    let is_more = together.cargo.text > carried.cargo.text || together.cargo.code;
    if !is_more {
        return carried;
    }
    // What was typed before is there already.
    if !carried.what.is_empty() {
        together.what = carried.what;
    }
    together
}

/// Whether it holds the value of a cookie of another site; or what has the
/// shape of a secret and was read elsewhere, or goes where nobody looks; or
/// what another client read with a watermark. What was `typed` bit by bit is
/// one text, as the parameters of an address are.
async fn has_secret(
    cx: &Context,
    reader: &Reader,
    act: &Act,
    to: &Site,
    typed: Option<String>,
    carried: &Carried,
) -> bool {
    let mut parts: Vec<String> = {
        let hashed = reader.settle();
        let parts = act.parts.iter().flat_map(|part| hashed.memory.parts(&part.sent(), to));
        parts.map(str::to_owned).collect()
    };
    if parts.len() > 1 {
        parts.push(parts.concat());
    }
    parts.extend(typed);
    parts.extend(act.parts.iter().filter_map(Part::host));
    let views: Vec<_> = parts.iter().flat_map(|part| views(part)).collect();
    if views.iter().any(|view| is_marked(cx, view)) {
        return true;
    }
    let was_read = carried.cargo.text > 0 || carried.cargo.code;
    let is_blind = !matches!(act.channel, Channel::Field | Channel::File);
    if (was_read || is_blind) && views.iter().any(|view| secrets::has_shape(view)) {
        return true;
    }
    let is_value = |word: &str| {
        word.len() >= COOKIE && word.bytes().any(|b| b.is_ascii_digit()) && !word.contains('/')
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
        value.len() >= COOKIE && !is_theirs && views.iter().any(|view| view.contains(value))
    })
}

/// Whether `text` carries the watermark of another client.
fn is_marked(cx: &Context, text: &str) -> bool {
    cx.daemon().watch().marked(text, &cx.client().to_string()).is_some()
}

/// Does what the setting says about an act that a rule stops.
fn answer(cx: &Context, act: &Act, to: &Site, carried: &Carried, rule: Rule) -> Result<()> {
    let daemon = cx.daemon();
    let (mode, command) = (daemon.egress().mode(cx.capability().kind), cx.command().name);
    let cargo = said(carried, rule);
    let rule = rule.name();
    let client = cx.client().to_string();
    let note = |reason: &str| {
        let reason = format!("{reason} {rule}");
        attempt(daemon, Surface::Egress, &reason, client.as_bytes(), to.as_str());
        daemon.egress().count(mode);
    };
    match mode {
        Mode::Off => {
            cx.say(&format!(
                "the egress guard is off: `{command}` sends {cargo} to {to} (rule {rule})"
            ));
            Ok(())
        }
        Mode::Warn => {
            note("warned");
            cx.say(&format!(
                "egress: `{command}` sends {cargo} to {to} (rule {rule} of docs/security.md)"
            ));
            Ok(())
        }
        Mode::Block => {
            // The same text to the same site is the same act, whatever else was
            // read meanwhile.
            let text = act.parts.iter().map(Part::as_str).collect::<Vec<_>>().join("\n");
            let digest = daemon.egress().digest(&format!("{command} {to} {text}"));
            let action = Action {
                key: format!("egress {digest:016x}"),
                words: format!("`{command}` sends {cargo} to {to}"),
            };
            let Err(id) = daemon.approvals().once(cx.capability(), action) else { return Ok(()) };
            note("EGRESS_DENIED");
            let message = format!("`{command}` would send {cargo} to {to} (rule `{rule}`)");
            let error = Error::new(Reason::EgressDenied, message).with("id", id);
            Err(error.with("rule", rule).with("site", to))
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

fn is_paste(request: &dyn Any) -> bool {
    // On Linux the middle button pastes what is selected, or was copied.
    let middle = v1::MouseButton::Middle;
    if let Some(click) = request.downcast_ref::<v1::ClickRequest>() {
        return click.button() == middle;
    }
    if let Some(click) = request.downcast_ref::<v1::ClickDownloadRequest>() {
        return click.button() == middle;
    }
    if let Some(press) = request.downcast_ref::<v1::PressMouseRequest>() {
        return press.button() == middle;
    }
    if let Some(release) = request.downcast_ref::<v1::ReleaseMouseRequest>() {
        return release.button() == middle;
    }
    let Some(press) = request.downcast_ref::<v1::PressRequest>() else { return false };
    let key = press.key.to_ascii_lowercase();
    let has = |name: &str| key.split('+').any(|part| part == name);
    has("v") && (has("control") || has("ctrl") || has("meta") || has("controlormeta"))
        || has("insert") && has("shift")
        || has("paste")
}

/// A paste sends what is in the clipboard.
async fn paste(cx: &Context) -> Result<()> {
    let browser = cx.daemon().sessions().slot().browser().await?;
    let Ok(text) = browser.read_clipboard().await else { return Ok(()) };
    let (to, parts) = (act::page_site(cx), vec![Part::Text(text)]);
    let channel = Channel::Field;
    look(cx, &Act { channel, to, parts, is_typing: false }).await
}

/// A click or a key may send a form to another site. Only looked at when what
/// stands in the fields was read before it was typed.
async fn submit(cx: &Context) -> Result<()> {
    let Some(own) = act::page_site(cx) else { return Ok(()) };
    let reader = cx.daemon().egress().reader(cx.client());
    if !reader.is_armed(&own) {
        return Ok(());
    }
    let is_blocking = cx.daemon().egress().mode(cx.capability().kind) == Mode::Block;
    let (acts, is_all) = match forms::foreign(cx, &own).await {
        Ok(found) => found,
        // What nobody can tell of is not done.
        Err(error) if is_blocking => return Err(error),
        Err(_) => return Ok(()),
    };
    for act in acts {
        let Some(to) = &act.to else { continue };
        canaries(cx, &act, None)?;
        let mut carried = carried(&reader, &act, to, None);
        // The page chose where its form goes.
        carried.place = Place::Named;
        carried.cargo.secret = has_secret(cx, &reader, &act, to, None, &carried).await;
        let channel = Channel::Address;
        if let Some(rule) = judge(channel, carried.place, carried.cargo) {
            answer(cx, &act, to, &carried, rule)?;
        }
    }
    if is_blocking && !is_all {
        let act = Act { channel: Channel::Field, to: None, parts: Vec::new(), is_typing: false };
        let (cargo, from, what) = (Cargo::default(), Vec::new(), String::new());
        let carried = Carried { place: Place::Named, cargo, from, what };
        answer(cx, &act, &Site::several(), &carried, Rule::Steered)?;
    }
    Ok(())
}
