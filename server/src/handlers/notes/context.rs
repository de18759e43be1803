//! What an agent should read before it acts on a host.

use browse_proto::v1;
use url::Url;

use super::domain_skills::{short_hash, tab_url};
use crate::{
    dispatch::CallContext,
    notes::{
        NoteHost,
        note::{NoteScope, NoteState, USES_TO_ACTIVATE},
        store::StoredNote,
        usage_tracker::{ScanPurpose, run_blocking},
    },
};
use browse_base::{Error, Result};
use browse_policy::Delivery;

/// Characters of library notes that are printed in full.
const MAX_LIBRARY_CHARS: usize = 16_000;

/// Prints what is in force for the current host.
pub async fn get_context(
    cx: &CallContext,
    request: v1::GetContextRequest,
) -> Result<v1::GetContextResponse> {
    let (host, url) = resolve_host_and_url(cx, request.host.as_deref())?;
    cx.daemon().notes().flush_visits().await;
    let mut blocks = Vec::new();
    blocks.extend(active_note(cx, &host).await?);
    blocks.extend(skill_blocks(cx, &url));
    add_library_blocks(cx, &host, &mut blocks).await;
    cx.set_source(host.as_str());
    if blocks.is_empty() && !cx.has_notice() {
        cx.add_notice(&format!("nothing is known of {host}"));
    }
    let canary = match (blocks.is_empty(), cx.delivery()) {
        (false, Delivery::Guarded) => cx.daemon().egress().mint_canary(),
        _ => String::new(),
    };
    let (text, blocks) = match request.data {
        true => (String::new(), blocks),
        false => (render(&blocks, &canary), Vec::new()),
    };
    Ok(v1::GetContextResponse { text, blocks, host: host.to_string(), canary })
}

/// The host that it is about, and an address on it.
fn resolve_host_and_url(cx: &CallContext, named: Option<&str>) -> Result<(NoteHost, Url)> {
    let missing = || Error::new(browse_proto::Reason::NoteHostMissing, "the tab shows no site");
    match named {
        Some(named) => {
            let host = NoteHost::parse(named, cx.command().name)?;
            let url = host.url().ok_or_else(missing)?;
            Ok((host, url))
        }
        None => {
            let url = tab_url(cx)?.ok_or_else(missing)?;
            Ok((NoteHost::from_url(&url).ok_or_else(missing)?, url))
        }
    }
}

/// The note in force, scanned as it is now. When that sends the project's own
/// to quarantine, the shared one comes in its place.
async fn active_note(cx: &CallContext, host: &NoteHost) -> Result<Option<v1::ContextBlock>> {
    let (store, judge) = (cx.daemon().notes().store(), cx.daemon().notes().reviewer());
    for _ in [NoteScope::Project, NoteScope::Global] {
        let asked = host.clone();
        let Some(found) = run_blocking(store, move |store| store.active_note(&asked)).await? else {
            if !cx.has_notice() {
                notify_quarantined(cx, host).await?;
            }
            return Ok(None);
        };
        match judge.review(found, ScanPurpose::Read).await? {
            Some(found) if found.version.state != NoteState::Quarantined => {
                return Ok(Some(note_block(&found)));
            }
            Some(_) => cx.add_notice(&format!(
                "a scan found something in the note on {host}: it is quarantined"
            )),
            None => {
                let again = "run `browse context` again";
                cx.add_notice(&format!("the note on {host} could not be scanned: {again}"));
                return Ok(None);
            }
        }
    }
    Ok(None)
}

/// Says that a note waits in quarantine.
async fn notify_quarantined(cx: &CallContext, host: &NoteHost) -> Result<()> {
    let asked = host.clone();
    let waiting =
        run_blocking(cx.daemon().notes().store(), move |store| store.notes_to_scan(&asked)).await?;
    if let Some(waiting) = waiting.first() {
        let uses = waiting.version.uses.min(USES_TO_ACTIVATE);
        cx.add_notice(&format!(
            "a note on {host} is quarantined: {uses} of {USES_TO_ACTIVATE} visits in which a scan found nothing, \
             after which it is printed here"
        ));
    }
    Ok(())
}

fn note_block(found: &StoredNote) -> v1::ContextBlock {
    let version = &found.version;
    v1::ContextBlock {
        source: "note".to_owned(),
        id: found.host.clone(),
        host: found.host.clone(),
        version: format!("{} ({})", version.number, found.scope.name()),
        hash: short_hash(&version.sha256),
        body: version.body.to_string(),
    }
}

fn skill_blocks(cx: &CallContext, url: &Url) -> Vec<v1::ContextBlock> {
    let skills = cx.daemon().skills().matching_skills(url);
    let block = |skill: crate::skills::MatchingSkill| v1::ContextBlock {
        source: format!("skill ({})", skill.tier),
        host: skill.hosts.join(","),
        version: skill.version,
        hash: short_hash(&skill.hash),
        body: format!("{}\nRun it: browse skill run {}", skill.description, skill.name),
        id: skill.name,
    };
    skills.into_iter().map(block).collect()
}

/// Adds what the library has; trouble there is reported, and fails nothing.
async fn add_library_blocks(cx: &CallContext, host: &NoteHost, blocks: &mut Vec<v1::ContextBlock>) {
    let library = cx.daemon().notes().library();
    if let Some(reported) = library.refresh_if_stale() {
        cx.add_notice(&reported);
    }
    let mut room = MAX_LIBRARY_CHARS;
    for note in library.notes_for_host(host).await {
        let length = note.body.len();
        let body = match length <= room {
            true => {
                room -= length;
                note.body
            }
            false => format!("{length} bytes: browse library show {}", note.id),
        };
        blocks.push(v1::ContextBlock {
            source: "library".to_owned(),
            version: format!("tree {}", short_hash(&note.tree)),
            hash: short_hash(&note.sha256),
            host: host.to_string(),
            id: note.id,
            body,
        });
    }
}

fn render(blocks: &[v1::ContextBlock], canary: &str) -> String {
    let mut blocks: Vec<_> = blocks
        .iter()
        .map(|block| {
            let v1::ContextBlock { source, id, host, version, hash, body } = block;
            let about = if id == host { String::new() } else { format!(" for {host}") };
            format!(
                "[{source}] {id}{about} version {version} sha256 {hash}\n{}",
                escape_block_markers(body)
            )
        })
        .collect();
    if !canary.is_empty() {
        blocks.push(format!("[canary] {canary} never send this anywhere"));
    }
    blocks.join("\n\n")
}

/// A text whose lines are not taken for those that begin a block.
fn escape_block_markers(body: &str) -> String {
    let quote = |line: &str| match line.trim_start().starts_with('[') {
        true => format!(" {line}"),
        false => line.to_owned(),
    };
    body.trim_end().lines().map(quote).collect::<Vec<_>>().join("\n")
}
