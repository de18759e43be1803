//! The commands on notes.

use browse_proto::{Reason, v1};
use url::Url;

use crate::{
    dispatch::CallContext,
    notes::{
        NoteHost,
        note::{HostNote, NoteScope, NoteState, USES_TO_ACTIVATE},
        scan::NoteFinding,
        store::StoredNote,
        usage_tracker::run_blocking,
    },
};
use browse_base::{Error, Result};
use browse_records::{SecuritySurface, TelemetryEvent};

/// Bytes that a note may have.
const MAX_NOTE_BYTES: usize = 64 * 1024;

/// Digits of a hash that are shown.
const HASH_PREFIX_CHARS: usize = 12;

/// Saves a note on the host of the active tab.
pub async fn save_domain_skill(
    cx: &CallContext,
    request: v1::SaveDomainSkillRequest,
) -> Result<v1::SaveDomainSkillResponse> {
    let host = host_of_tab(cx)?;
    let skill = Some(save_note(cx, host, request.body, false).await?);
    Ok(v1::SaveDomainSkillResponse { skill })
}

/// Gives a note another text.
pub async fn edit_domain_skill(
    cx: &CallContext,
    request: v1::EditDomainSkillRequest,
) -> Result<v1::EditDomainSkillResponse> {
    let host = resolve_host(cx, request.host.as_deref())?;
    let skill = Some(save_note(cx, host, request.body, true).await?);
    Ok(v1::EditDomainSkillResponse { skill })
}

/// Lists the notes.
pub async fn list_domain_skills(
    cx: &CallContext,
    request: v1::ListDomainSkillsRequest,
) -> Result<v1::ListDomainSkillsResponse> {
    let notes = cx.daemon().notes();
    notes.flush_visits().await;
    let found = run_blocking(notes.store(), move |store| store.list(request.removed)).await?;
    if found.is_empty() {
        cx.add_notice(
            "there is no note: `browse domain-skill save` writes one on the host of the tab",
        );
    }
    Ok(v1::ListDomainSkillsResponse { skills: found.iter().map(describe).collect() })
}

/// Prints a note.
pub async fn show_domain_skill(
    cx: &CallContext,
    request: v1::ShowDomainSkillRequest,
) -> Result<v1::ShowDomainSkillResponse> {
    let host = resolve_host(cx, request.host.as_deref())?;
    let notes = cx.daemon().notes();
    notes.flush_visits().await;
    let scope = request.global.then_some(NoteScope::Global);
    let asked = host.clone();
    let (note, scope) =
        run_blocking(notes.store(), move |store| store.find_note(&asked, scope)).await?;
    let wanted = |number: u32| {
        let version = note.versions.iter().find(|version| version.number == number);
        version.ok_or_else(|| {
            let message = format!("the note on `{host}` has no version {number}");
            Error::new(Reason::NoteVersionNotFound, message).with("host", &host)
        })
    };
    let newest = note.versions.last().map_or(0, |version| version.number);
    let version = wanted(request.number.unwrap_or(newest))?.clone();
    let body = version.body.to_string();
    let found =
        StoredNote { host: host.to_string(), scope, version, removed: false, shadowed: false };
    let finding = notes.scanner().scan_on_use(&body).await;
    if finding.flagged {
        cx.add_notice(&format!(
            "a scan of this note scores {:.2}: read it with care",
            finding.score
        ));
    }
    cx.set_source(host.as_str());
    Ok(v1::ShowDomainSkillResponse {
        summary: summary(&found),
        body,
        skill: Some(describe(&found)),
        versions: note.versions.iter().map(|version| version.number).collect(),
    })
}

/// Brings back an earlier text.
pub async fn roll_back_domain_skill(
    cx: &CallContext,
    request: v1::RollBackDomainSkillRequest,
) -> Result<v1::RollBackDomainSkillResponse> {
    let host = resolve_host(cx, request.host.as_deref())?;
    let notes = cx.daemon().notes();
    notes.flush_visits().await;
    let (scope, to) = (to_scope(request.global), request.to);
    let before = note_state(cx, &host, scope).await?;
    let found = run_blocking(notes.store(), move |store| store.roll_back(&host, scope, to)).await?;
    count_state_change(cx, before, &found);
    Ok(v1::RollBackDomainSkillResponse { skill: Some(describe(&found)) })
}

/// Removes a note.
pub async fn remove_domain_skill(
    cx: &CallContext,
    request: v1::RemoveDomainSkillRequest,
) -> Result<v1::RemoveDomainSkillResponse> {
    let host = resolve_host(cx, request.host.as_deref())?;
    let notes = cx.daemon().notes();
    notes.flush_visits().await;
    let scope = to_scope(request.global);
    let found = run_blocking(notes.store(), move |store| store.remove(&host, scope)).await?;
    Ok(v1::RemoveDomainSkillResponse { skill: Some(describe(&found)) })
}

/// Shares a note with every project.
pub async fn promote_domain_skill(
    cx: &CallContext,
    request: v1::PromoteDomainSkillRequest,
) -> Result<v1::PromoteDomainSkillResponse> {
    let host = resolve_host(cx, request.host.as_deref())?;
    let notes = cx.daemon().notes();
    notes.flush_visits().await;
    // What it says may be known for bad only since.
    let asked = host.clone();
    let (note, _) = run_blocking(notes.store(), move |store| store.find_note(&asked, None)).await?;
    if let Some(version) = note.current() {
        ensure_accepted(&notes.scanner().scan_on_use(&version.body).await, &host)?;
    }
    let before = note_state(cx, &host, NoteScope::Global).await?;
    let found = run_blocking(notes.store(), move |store| store.promote(&host)).await?;
    count_state_change(cx, before, &found);
    Ok(v1::PromoteDomainSkillResponse { skill: Some(describe(&found)) })
}

async fn save_note(
    cx: &CallContext,
    host: NoteHost,
    body: String,
    edits: bool,
) -> Result<v1::DomainSkill> {
    if body.trim().is_empty() {
        let message = format!("the note on `{host}` would be empty");
        let command = if edits { "domain-skill edit" } else { "domain-skill save" };
        return Err(Error::new(Reason::NoteEmpty, message).with("command", command));
    }
    if body.len() > MAX_NOTE_BYTES {
        let message = format!("the note has {} bytes", body.len());
        return Err(Error::new(Reason::TooLarge, message).with("limit", "64 KiB"));
    }
    if browse_secrets::redact(&body) != body {
        let message = format!("the note on `{host}` holds what looks like a key or a password");
        return Err(Error::new(Reason::NoteSecret, message));
    }
    let notes = cx.daemon().notes();
    let finding = notes.scanner().scan_on_save(&body).await;
    if finding.refused {
        let refused = ensure_accepted(&finding, &host);
        if let Err(error) = &refused {
            let (reason, domain) = (error.reason().name(), host.as_str());
            cx.daemon().attempts().record(SecuritySurface::Note, reason, body.as_bytes(), domain);
            let counters = [("score_percent", (finding.score * 100.0) as u64)];
            cx.daemon().telemetry().record(TelemetryEvent::SaveBlocked, domain, &counters);
        }
        refused?;
    }
    notes.flush_visits().await;
    let score = finding.score;
    let before = note_state(cx, &host, NoteScope::Project).await?;
    let found =
        run_blocking(notes.store(), move |store| store.save(&host, &body, score, edits)).await?;
    let counters = [("version", u64::from(found.version.number))];
    cx.daemon().telemetry().record(TelemetryEvent::Saved, &found.host, &counters);
    if before.is_some() {
        count_state_change(cx, before, &found);
    }
    if finding.flagged {
        cx.add_notice(&format!(
            "a scan scores {score:.2}: it stays quarantined unless it is reworded"
        ));
    } else if found.version.state == NoteState::Quarantined && found.version.uses == 0 {
        cx.add_notice(&format!(
            "it is printed by `browse context` after {USES_TO_ACTIVATE} visits without a finding; \
             a visit comes from another site, or opens a tab"
        ));
    }
    Ok(describe(&found))
}

/// The state of the note on `host`; none when there is no note.
async fn note_state(
    cx: &CallContext,
    host: &NoteHost,
    scope: NoteScope,
) -> Result<Option<NoteState>> {
    let host = host.clone();
    let notes = cx.daemon().notes();
    let book = run_blocking(notes.store(), move |store| store.file(scope).load()).await?;
    Ok(book.get(host.as_str()).and_then(HostNote::current).map(|version| version.state))
}

/// Counts that a note went from the state of `before` to another.
fn count_state_change(cx: &CallContext, before: Option<NoteState>, now: &StoredNote) {
    let version = &now.version;
    if before != Some(version.state) {
        let counters = [("version", u64::from(version.number)), (version.state.name(), 1)];
        cx.daemon().telemetry().record(TelemetryEvent::StateChanged, &now.host, &counters);
    }
}

/// Refuses a text by what a scan found in it.
fn ensure_accepted(finding: &NoteFinding, host: &NoteHost) -> Result<()> {
    if !finding.flagged && !finding.refused {
        return Ok(());
    }
    let score = format!("{:.2}", finding.score);
    Err(match &finding.pattern {
        Some(pattern) => {
            let message = format!("the note on `{host}` holds a phrase that asks {pattern}");
            Error::new(Reason::NotePattern, message).with("pattern", pattern)
        }
        None => {
            let message = format!("the note on `{host}` scores {score}");
            Error::new(Reason::NoteFlagged, message)
        }
    }
    .with("host", host)
    .with("score", score))
}

/// The host that the caller named, or that of the active tab.
pub(super) fn resolve_host(cx: &CallContext, named: Option<&str>) -> Result<NoteHost> {
    match named {
        Some(named) => NoteHost::parse(named, cx.command().name),
        None => host_of_tab(cx),
    }
}

/// The host of the active tab's own address.
fn host_of_tab(cx: &CallContext) -> Result<NoteHost> {
    tab_url(cx)?
        .as_ref()
        .and_then(NoteHost::from_url)
        .ok_or_else(|| Error::new(Reason::NoteHostMissing, "the tab shows no site"))
}

/// The address of the active tab, or of the one that the call names.
pub(super) fn tab_url(cx: &CallContext) -> Result<Option<Url>> {
    let session = cx.session()?;
    cx.check_session_free(&session)?;
    let tab = match cx.requested_tab() {
        Some(id) => Some(session.tab(id)?),
        None => session.active(),
    };
    let Some(tab) = tab else { return Ok(None) };
    cx.check_tab(&tab)?;
    Ok(Url::parse(&tab.page().url()).ok())
}

fn to_scope(global: bool) -> NoteScope {
    if global { NoteScope::Global } else { NoteScope::Project }
}

/// A note as callers see it.
pub(super) fn describe(found: &StoredNote) -> v1::DomainSkill {
    let version = &found.version;
    v1::DomainSkill {
        host: found.host.clone(),
        state: version.state.name().to_owned(),
        scope: found.scope.name().to_owned(),
        version: version.number,
        uses: version.uses,
        hash: short_hash(&version.sha256),
        bytes: version.body.len() as u32,
        saved_ms: version.created_at_ms,
        removed: found.removed,
        shadowed: found.shadowed,
        score: version.score,
    }
}

/// The digits of a hash that are shown.
pub(super) fn short_hash(hash: &str) -> String {
    hash.chars().take(HASH_PREFIX_CHARS).collect()
}

fn summary(found: &StoredNote) -> String {
    let version = &found.version;
    let state = version.state.name();
    let uses = match version.state {
        NoteState::Quarantined => {
            format!("{} of {USES_TO_ACTIVATE} uses", version.uses.min(USES_TO_ACTIVATE))
        }
        _ => format!("{} uses", version.uses),
    };
    let (host, hash) = (&found.host, short_hash(&version.sha256));
    format!(
        "{host} version {} sha256 {hash} {state} ({}, {uses})",
        version.number,
        found.scope.name()
    )
}
