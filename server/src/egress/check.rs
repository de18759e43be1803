//! The look at an act before it is done.

use std::any::Any;

use browse_guard::egress::{
    Cargo, Carried, Channel, Place, Rule, Sent, Site, Together, judge, views,
};
use browse_proto::{Command, Reach, Scope, v1};

use super::{
    act::{self, Act, Part},
    forms,
    mode::Mode,
    reader::Reader,
    verdict::{Means, Source, canary_leaked, decide},
};
use crate::{dispatch::Context, error::Result, policy::Kind, secrets};

/// Letters and digits from which a word may be the value of a cookie.
const COOKIE: usize = 16;

/// Looks at what `request` would send.
///
/// # Errors
/// `CANARY_LEAKED`; `EGRESS_DENIED` where a rule stops it and the setting says
/// so.
pub async fn check(cx: &Context, request: &(dyn Any + Send + Sync)) -> Result<()> {
    let acts = act::acts(cx, request);
    for act in &acts {
        look(cx, act).await?;
    }
    if is_paste(request) {
        paste(cx).await?;
    }
    // What is typed is looked at by itself, and again when the page sends it.
    let is_typing = acts.iter().any(|act| act.is_typing && !is_chord(act));
    if may_submit(cx.command()) && !is_typing && cx.capability().kind != Kind::Skill {
        submit(cx).await?;
    }
    Ok(())
}

/// Whether a command may send a form: it acts on the page as a person does.
fn may_submit(command: &Command) -> bool {
    command.acts && command.reach == Reach::Page && command.scope == Scope::Write
}

/// A single key may be a shortcut that sends a form.
fn is_chord(act: &Act) -> bool {
    act.parts.iter().all(|part| part.as_str().chars().count() == 1)
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
        return canaries(cx, act, &[]);
    }
    let reader = egress.reader(cx.client());
    let text = act.parts.iter().map(Part::as_str).collect::<Vec<_>>().join("\n");
    let is_address = matches!(act.channel, Channel::Address | Channel::Request);
    let chosen = act.to.as_ref().map(|to| chosen(&reader, act, to)).unwrap_or_default();
    let chosen: Vec<&str> = chosen.iter().map(String::as_str).collect();
    let together = match &act.to {
        Some(to) if act.is_typing => reader.typing(to, &text).map(of_typing).into_iter().collect(),
        Some(to) if is_address => reader.in_pieces(to, &chosen),
        _ => Vec::new(),
    };
    canaries(cx, act, &together)?;
    let Some(to) = &act.to else { return Ok(()) };
    // What another client read may come from somebody who read nothing.
    let mut is_told = false;
    let is_quick = act.is_typing && reader.knows_only(to) && !is_marked(cx, &text);
    let mut known = 0;
    if !is_quick {
        let mut carried = carried(&reader, act, to, &together);
        known = carried.cargo.text;
        carried.cargo.secret = has_secret(cx, &reader, act, to, together, &carried).await;
        let is_of_weight = carried.cargo.text > 0 || carried.cargo.code;
        if is_of_weight && carried.place == Place::New {
            carried.place = match is_embedded(cx, act, to) || forms::page_names(cx, to).await {
                true => Place::Named,
                false => Place::New,
            };
        }
        if let Some(rule) = judge(act.channel, carried.place, carried.cargo) {
            answer(cx, &text, to, &carried, rule)?;
            is_told = true;
        }
        reader.settle().memory.count(to, carried.cargo.text);
    }
    if is_address {
        nested(cx, &reader, &chosen, to)?;
    }
    match act.is_typing {
        true => reader.typed(to, &text, is_told),
        false => {
            reader.open_if_address(act, to);
            reader.sent(&chosen);
        }
    }
    if is_address {
        reader.add_pieces(to, &chosen, known, is_told);
    }
    for part in &act.parts {
        if let Part::Address(url) = part {
            cx.outgoing().add_checked(url);
        }
    }
    Ok(())
}

/// What the caller chose of what an act sends: all but what a page wrote just so.
fn chosen(reader: &Reader, act: &Act, to: &Site) -> Vec<String> {
    let hashed = reader.settle();
    let parts = act.parts.iter().flat_map(|part| hashed.memory.parts(&part.sent(), to));
    parts.map(str::to_owned).collect()
}

fn of_typing(text: String) -> Together {
    Together { text, known: 0 }
}

/// Whether an act goes to a frame of another site than its page: the page chose it.
fn is_embedded(cx: &Context, act: &Act, to: &Site) -> bool {
    let into_page = matches!(act.channel, Channel::Field | Channel::File);
    into_page && act::page_site(cx).is_some_and(|page| page != *to)
}

/// Looks at the addresses that an address may lead on to.
fn nested(cx: &Context, reader: &Reader, chosen: &[&str], to: &Site) -> Result<()> {
    let parts: Vec<String> = chosen.iter().map(|part| (*part).to_owned()).collect();
    for (site, address) in act::nested(&parts, to) {
        let sent = [Sent::Address(&address)];
        let reported = cx.outgoing().reported(&site);
        let carried = reader.settle().memory.carried_except(&sent, &site, &reported);
        if let Some(rule) = judge(Channel::Address, carried.place, carried.cargo) {
            answer(cx, &address, &site, &carried, rule)?;
        }
    }
    Ok(())
}

/// A sighting of a canary stops everything.
fn canaries(cx: &Context, act: &Act, together: &[Together]) -> Result<()> {
    let egress = cx.daemon().egress();
    let together = together.iter().map(|one| one.text.as_str());
    let texts = act.parts.iter().map(Part::as_str).chain(together);
    if !texts.into_iter().any(|text| egress.holds_canary(text)) {
        return Ok(());
    }
    Err(canary_leaked(&source(cx), act.to.as_ref()))
}

/// The caller, for what the command itself sends.
fn source(cx: &Context) -> Source<'_> {
    Source {
        daemon: cx.daemon(),
        capability: cx.capability(),
        command: cx.command().name,
        means: Means::Direct,
    }
}

/// What an act carries, alone or together with what was sent before it.
fn carried(reader: &Reader, act: &Act, to: &Site, together: &[Together]) -> Carried {
    let hashed = reader.settle();
    let sent: Vec<_> = act.parts.iter().map(Part::sent).collect();
    let mut carried = hashed.memory.carried(&sent, to);
    for one in together {
        let mut whole = hashed.memory.carried(&[Sent::Text(&one.text)], to);
        let is_more = whole.cargo.text > carried.cargo.text.max(one.known)
            || whole.cargo.code && !carried.cargo.code;
        if !is_more {
            continue;
        }
        // What was typed before is there already.
        if act.is_typing && !carried.what.is_empty() {
            whole.what = carried.what;
        }
        carried = whole;
    }
    carried
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
    together: Vec<Together>,
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
    parts.extend(together.into_iter().map(|one| one.text));
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
fn answer(cx: &Context, text: &str, to: &Site, carried: &Carried, rule: Rule) -> Result<()> {
    let notice = decide(&source(cx), text, to, carried, rule)?;
    let reader = cx.daemon().egress().reader(cx.client());
    cx.outgoing().add_reported(to, reader.settle().memory.hashes(&[text]));
    if let Some(notice) = notice {
        cx.say(&notice);
    }
    Ok(())
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
    let (to, parts) = (act::frame_site(cx), vec![Part::Text(text)]);
    let channel = Channel::Field;
    look(cx, &Act { channel, to, parts, is_typing: false }).await
}

/// A click or a key may send a form to another site. Only looked at when what
/// stands in the fields was read before it was typed.
async fn submit(cx: &Context) -> Result<()> {
    let reader = cx.daemon().egress().reader(cx.client());
    let frames = cx.tab_if_any().map(|tab| tab.page().frames()).unwrap_or_default();
    let sites = frames.iter().filter_map(|frame| act::site_of(&url::Url::parse(&frame.url).ok()?));
    if !sites.into_iter().any(|site| reader.is_armed(&site)) {
        return Ok(());
    }
    let is_blocking = cx.daemon().egress().mode(cx.capability().kind) == Mode::Block;
    let (acts, is_all) = match forms::foreign(cx).await {
        Ok(found) => found,
        // What nobody can tell of is not done.
        Err(error) if is_blocking => return Err(error),
        Err(_) => return Ok(()),
    };
    for act in acts {
        let Some(to) = &act.to else { continue };
        canaries(cx, &act, &[])?;
        let mut carried = carried(&reader, &act, to, &[]);
        // The page chose where its form goes.
        carried.place = Place::Named;
        carried.cargo.secret = has_secret(cx, &reader, &act, to, Vec::new(), &carried).await;
        if let Some(rule) = judge(Channel::Address, carried.place, carried.cargo) {
            let text = act.parts.iter().map(Part::as_str).collect::<Vec<_>>().join("\n");
            answer(cx, &text, to, &carried, rule)?;
        }
    }
    if is_blocking && !is_all {
        let (cargo, from, what) = (Cargo::default(), Vec::new(), String::new());
        let carried = Carried { place: Place::Named, cargo, from, what };
        answer(cx, "", &Site::several(), &carried, Rule::Steered)?;
    }
    Ok(())
}
