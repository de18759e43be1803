//! Remembers what a model reads in an answer.

use browse_proto::{PageDerived, PageValue};

use crate::{dispatch::CallContext, egress::TaintItem};
use browse_policy::ClientKind;

/// Bytes of one answer that are remembered.
const MAX_RESPONSE_BYTES: usize = 2 << 20;

/// Commands whose answers tell what a field holds that they put text into.
const TYPING_COMMANDS: &[&str] = &["fill", "type", "press", "select"];

/// Commands that answer what files of skills say, which is of no site.
const SKILL_FILE_COMMANDS: &[&str] = &["skill list", "skill show", "skill diff"];

/// Remembers what is page-derived in an answer that a model reads.
pub fn record_response(cx: &CallContext, response: &mut dyn PageDerived) {
    if cx.capability().kind == ClientKind::Skill || SKILL_FILE_COMMANDS.contains(&cx.command().name)
    {
        return;
    }
    // There each name is followed by its address.
    let has_links = cx.command().name == "links";
    let (mut text, mut links, mut at) = (String::new(), Vec::new(), 0_usize);
    response.visit_page(&mut |page| {
        let PageValue::Text(part) = page else { return };
        at += 1;
        if text.len() < MAX_RESPONSE_BYTES && !part.is_empty() {
            let end = part.floor_char_boundary(MAX_RESPONSE_BYTES - text.len());
            text.push_str(&part[..end]);
            text.push('\n');
            if has_links && at.is_multiple_of(2) && end == part.len() {
                links.push(part.clone());
            }
        }
    });
    if text.is_empty() {
        return;
    }
    let egress = cx.daemon().egress();
    let reader = egress.client_taint(cx.client());
    let site = cx.site();
    for link in links {
        reader.push(TaintItem::Link(site.clone(), link));
    }
    let item = match TYPING_COMMANDS.contains(&cx.command().name) {
        true => TaintItem::Echo(site, text),
        false => TaintItem::Read(site, text),
    };
    if reader.push(item) {
        drop(reader.flush());
    } else {
        egress.schedule_flush(&reader);
    }
}

/// Remembers a value of a page that no answer marks as such: an address.
pub fn record_value(cx: &CallContext, word: &str) {
    if cx.capability().kind == ClientKind::Skill || word.is_empty() {
        return;
    }
    let reader = cx.daemon().egress().client_taint(cx.client());
    reader.push(TaintItem::Read(cx.site(), word.to_owned()));
}
