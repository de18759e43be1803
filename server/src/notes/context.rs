//! What an agent should read before it acts on a host.

use browse_proto::v1;
use url::Url;

use super::{
    handlers::{address_of_tab, short},
    host::NoteHost,
    keeper::{Counts, blocking},
    note::{ENOUGH, Scope, State},
    store::Found,
};
use crate::{
    content::Delivery,
    dispatch::Context,
    error::{Error, Result},
};

/// Characters of library notes that are printed in full.
const ROOM: usize = 16_000;

/// Prints what is in force for the current host.
pub async fn get_context(
    cx: &Context,
    request: v1::GetContextRequest,
) -> Result<v1::GetContextResponse> {
    let (host, url) = place(cx, request.host.as_deref())?;
    cx.daemon().notes().settle().await;
    let mut blocks = Vec::new();
    blocks.extend(note(cx, &host).await?);
    blocks.extend(skills(cx, &url));
    library(cx, &host, &mut blocks).await;
    cx.set_source(host.as_str());
    if blocks.is_empty() && !cx.has_said() {
        cx.say(&format!("nothing is known of {host}"));
    }
    let canary = match (blocks.is_empty(), cx.delivery()) {
        (false, Delivery::Guarded) => cx.daemon().egress().canary(),
        _ => String::new(),
    };
    let (text, blocks) = match request.data {
        true => (String::new(), blocks),
        false => (render(&blocks, &canary), Vec::new()),
    };
    Ok(v1::GetContextResponse { text, blocks, host: host.to_string(), canary })
}

/// The host that it is about, and an address on it.
fn place(cx: &Context, named: Option<&str>) -> Result<(NoteHost, Url)> {
    let missing = || Error::new(browse_proto::Reason::NoteHostMissing, "the tab shows no site");
    match named {
        Some(named) => {
            let host = NoteHost::named(named, cx.command().name)?;
            let url = host.url().ok_or_else(missing)?;
            Ok((host, url))
        }
        None => {
            let url = address_of_tab(cx)?.ok_or_else(missing)?;
            Ok((NoteHost::of_url(&url).ok_or_else(missing)?, url))
        }
    }
}

/// The note in force, scanned as it is now. When that sends the project's own
/// to quarantine, the shared one comes in its place.
async fn note(cx: &Context, host: &NoteHost) -> Result<Option<v1::ContextBlock>> {
    let (store, judge) = (cx.daemon().notes().store(), cx.daemon().notes().judge());
    for _ in [Scope::Project, Scope::Global] {
        let asked = host.clone();
        let Some(found) = blocking(store, move |store| store.in_force(&asked)).await? else {
            if !cx.has_said() {
                tell_waiting(cx, host).await?;
            }
            return Ok(None);
        };
        match judge.judge(found, Counts::Nothing).await? {
            Some(found) if found.version.state != State::Quarantined => {
                return Ok(Some(cited(&found)));
            }
            Some(_) => {
                cx.say(&format!("a scan found something in the note on {host}: it is quarantined"))
            }
            None => {
                let again = "run `browse context` again";
                cx.say(&format!("the note on {host} could not be scanned: {again}"));
                return Ok(None);
            }
        }
    }
    Ok(None)
}

/// Says that a note waits in quarantine.
async fn tell_waiting(cx: &Context, host: &NoteHost) -> Result<()> {
    let asked = host.clone();
    let waiting = blocking(cx.daemon().notes().store(), move |store| store.at(&asked)).await?;
    if let Some(waiting) = waiting.first() {
        let uses = waiting.version.uses.min(ENOUGH);
        cx.say(&format!(
            "a note on {host} is quarantined: {uses} of {ENOUGH} visits in which a scan found nothing, \
             after which it is printed here"
        ));
    }
    Ok(())
}

fn cited(found: &Found) -> v1::ContextBlock {
    let version = &found.version;
    v1::ContextBlock {
        source: "note".to_owned(),
        id: found.host.clone(),
        host: found.host.clone(),
        version: format!("{} ({})", version.number, found.scope.name()),
        hash: short(&version.sha256),
        body: version.body.to_string(),
    }
}

fn skills(cx: &Context, url: &Url) -> Vec<v1::ContextBlock> {
    let skills = cx.daemon().skills().fitting(url);
    let block = |skill: crate::skills::Fitting| v1::ContextBlock {
        source: format!("skill ({})", skill.tier),
        host: skill.hosts.join(","),
        version: skill.version,
        hash: short(&skill.hash),
        body: format!("{}\nRun it: browse skill run {}", skill.description, skill.name),
        id: skill.name,
    };
    skills.into_iter().map(block).collect()
}

/// Adds what the library has; trouble there is told, and fails nothing.
async fn library(cx: &Context, host: &NoteHost, blocks: &mut Vec<v1::ContextBlock>) {
    let library = cx.daemon().notes().library();
    if let Some(told) = library.keep_fresh() {
        cx.say(&told);
    }
    let mut room = ROOM;
    for note in library.at(host).await {
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
            version: format!("tree {}", short(&note.tree)),
            hash: short(&note.sha256),
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
            format!("[{source}] {id}{about} version {version} sha256 {hash}\n{}", quoted(body))
        })
        .collect();
    if !canary.is_empty() {
        blocks.push(format!("[canary] {canary} never send this anywhere"));
    }
    blocks.join("\n\n")
}

/// A text whose lines are not taken for those that begin a block.
fn quoted(body: &str) -> String {
    let quote = |line: &str| match line.trim_start().starts_with('[') {
        true => format!(" {line}"),
        false => line.to_owned(),
    };
    body.trim_end().lines().map(quote).collect::<Vec<_>>().join("\n")
}
