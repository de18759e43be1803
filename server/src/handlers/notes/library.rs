//! The commands on the library.

use browse_proto::{Reason, v1};

use crate::{
    dispatch::CallContext,
    handlers::notes::domain_skills::short_hash,
    notes::{
        NoteHost,
        library::cache::{CachedNote, LibraryManifest},
    },
};
use browse_base::{Error, Result};
use browse_records::SecuritySurface;

/// Lists the notes of the library.
pub async fn list_library(
    cx: &CallContext,
    request: v1::ListLibraryRequest,
) -> Result<v1::ListLibraryResponse> {
    let library = cx.daemon().notes().library();
    let site = request.site.as_deref().map(|site| NoteHost::parse(site, cx.command().name));
    let site = site.transpose()?;
    let (index, problem) = library.index().await?;
    if let Some(problem) = problem {
        cx.add_notice(&problem);
    }
    let all = &index.manifest.notes;
    let places = match &site {
        Some(site) => index.notes_for_host(site.as_str()),
        None => (0..all.len()).collect(),
    };
    let notes = places.into_iter().map(|place| &all[place]);
    let notes: Vec<_> =
        notes.map(|note| describe(note, index.hosts.hosts_of_site(note.site()))).collect();
    let state = library_state(cx, &index.manifest);
    cx.set_source("the library");
    let (text, notes) = match request.data {
        true => (String::new(), notes),
        false => (render(&notes, &state), Vec::new()),
    };
    Ok(v1::ListLibraryResponse { text, notes, library: Some(state) })
}

/// Prints a note of the library.
pub async fn show_library_note(
    cx: &CallContext,
    request: v1::ShowLibraryNoteRequest,
) -> Result<v1::ShowLibraryNoteResponse> {
    let library = cx.daemon().notes().library();
    let (index, _) = library.index().await?;
    let manifest = &index.manifest;
    let id = request.id.strip_suffix(".md").unwrap_or(&request.id);
    let missing = || {
        let message = format!("the library has no note `{}`", request.id.escape_debug());
        Error::new(Reason::LibraryNoteNotFound, message)
    };
    let note = manifest.notes.iter().find(|note| note.id == id).ok_or_else(missing)?;
    let body = library.cache().text(note).ok_or_else(missing)?;
    let finding = cx.daemon().notes().scanner().scan_on_use(&body).await;
    if finding.is_withheld() {
        cx.daemon().attempts().record(
            SecuritySurface::Library,
            Reason::LibraryNoteWithheld.name(),
            id.as_bytes(),
            "",
        );
        let message = format!("a scan of the note `{id}` scores {:.2}", finding.score);
        return Err(Error::new(Reason::LibraryNoteWithheld, message)
            .with("id", id)
            .with("score", format!("{:.2}", finding.score)));
    }
    cx.set_source("the library");
    let hosts = index.hosts.hosts_of_site(note.site());
    Ok(v1::ShowLibraryNoteResponse {
        summary: format!(
            "{id} from {} tree {} sha256 {}, fetched {} ago",
            library.name(),
            short_hash(&manifest.tree),
            short_hash(&note.sha256),
            ago(manifest.age_seconds())
        ),
        body,
        note: Some(describe(note, hosts)),
    })
}

/// Fetches the library now.
pub async fn refresh_library(
    cx: &CallContext,
    _: v1::RefreshLibraryRequest,
) -> Result<v1::RefreshLibraryResponse> {
    let fetched = cx.daemon().notes().library().refresh().await?;
    Ok(v1::RefreshLibraryResponse {
        count: fetched.manifest.notes.len() as u32,
        tree: fetched.manifest.tree.clone(),
        fetched: fetched.fetched as u32,
        failed: fetched.failed as u32,
    })
}

fn library_state(cx: &CallContext, manifest: &LibraryManifest) -> v1::LibraryState {
    let library = cx.daemon().notes().library();
    v1::LibraryState {
        collection: library.name(),
        tree: manifest.tree.clone(),
        age_s: Some(manifest.age_seconds()),
        refreshing: library.is_refreshing(),
        problem: library.last_failure().unwrap_or_default(),
    }
}

/// A note as callers see it. The title of one with a finding is not shown.
fn describe(note: &CachedNote, hosts: Vec<String>) -> v1::LibraryNote {
    let withheld = match note.flagged {
        true => format!("a scan scores {:.2}", note.score),
        false => String::new(),
    };
    let title = if note.flagged { String::new() } else { note.title.clone() };
    v1::LibraryNote { id: note.id.clone(), title, hosts, hash: short_hash(&note.sha256), withheld }
}

fn render(notes: &[v1::LibraryNote], state: &v1::LibraryState) -> String {
    let mut lines = vec![format!(
        "{} tree {} fetched {} ago{}{}",
        state.collection,
        short_hash(&state.tree),
        ago(state.age_s.unwrap_or_default()),
        if state.refreshing { ", refreshing" } else { "" },
        if state.problem.is_empty() { String::new() } else { format!(", {}", state.problem) }
    )];
    lines.extend(notes.iter().map(|note| match note.withheld.as_str() {
        "" => format!("{} ({}) {}", note.id, note.hosts.join(","), note.title),
        withheld => format!("{} ({}) withheld: {withheld}", note.id, note.hosts.join(",")),
    }));
    lines.join("\n")
}

/// `3 h` of seconds.
fn ago(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}
