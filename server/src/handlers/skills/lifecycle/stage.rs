//! Makes a draft.

use browse_proto::{Reason, v1};

use super::errors;
use crate::dispatch::CallContext;
use crate::skills::{
    drafts::unwritable_error,
    hash, scaffold, skill_name,
    store::{OpenFolder, copy},
};
use browse_base::{Error, HINT_KEY, Result};
use browse_net::HostPolicy;

/// What a skill is called, and what it visits, when nobody says.
const DEFAULT_NAME: &str = "new-skill";
const DEFAULT_HOST: &str = "example.com";

/// Makes a draft: a copy, a small skill, or an empty folder.
pub async fn stage_skill(
    cx: &CallContext,
    request: v1::StageSkillRequest,
) -> Result<v1::StageSkillResponse> {
    let runtime = scaffold::runtime(request.lang());
    if runtime.is_none() && (request.name.is_some() || request.host.is_some()) {
        let message = "`--name` and `--host` are for a draft with a language";
        let error = Error::new(Reason::ArgumentInvalid, message);
        return Err(error.with("command", cx.command().name));
    }
    let drafts = cx.daemon().skills().drafts();
    let draft = match (&request.from, runtime) {
        (Some(from), _) => {
            let from = open_source(cx, from)?;
            drafts.create(|draft| {
                copy::copy(&from, draft, &copy::SKILL_RULES)
                    .map_err(|error| errors::copy_error(&from, error))
            })?
        }
        (None, Some(runtime)) => {
            let name = request.name.as_deref().unwrap_or(DEFAULT_NAME);
            let host = request.host.as_deref().unwrap_or(DEFAULT_HOST);
            skill_name::check_name(name)?;
            HostPolicy::from_patterns(&[host.to_owned()]).map_err(|error| {
                let message = format!("`{}` is not a host: {error}", host.escape_debug());
                let error = Error::new(Reason::ArgumentInvalid, message);
                error.with("command", cx.command().name)
            })?;
            drafts.create(|draft| {
                scaffold::write(draft, runtime, name, host)
                    .map_err(|error| unwritable_error(draft.path(), &error))
            })?
        }
        (None, None) => drafts.create(|_| Ok(()))?,
    };
    let path = draft.folder.path();
    let files = hash::files(path).map_err(|error| unwritable_error(path, &error))?;
    Ok(v1::StageSkillResponse {
        draft: draft.name.clone(),
        path: path.display().to_string(),
        files: files.iter().map(|file| file.display().to_string()).collect(),
    })
}

/// Opens a folder that the owner of the daemon names. It has to look like a
/// skill: what is staged is easily handed on.
///
/// # Errors
/// `FILE_DENIED`, `FILE_UNREADABLE`.
pub fn open_source(cx: &CallContext, word: &str) -> Result<OpenFolder> {
    let Some(cwd) = cx.cwd() else {
        let message = "only the owner of the daemon stages local folders";
        return Err(Error::new(Reason::FileDenied, message)
            .with("allowed", "`--lang`, which needs no folder"));
    };
    let path = cwd.join(word);
    let unreadable = |problem: &str| {
        let message = format!("`{}` cannot be staged: {problem}", path.display());
        Error::new(Reason::FileUnreadable, message).with("path", path.display()).with(
            HINT_KEY,
            "Name a folder that holds a skill, or run `browse skill stage --lang ts`",
        )
    };
    let folder = path.canonicalize().and_then(|path| OpenFolder::open(&path));
    let folder = folder.map_err(|error| unreadable(&error.to_string()))?;
    if path.is_symlink() {
        return Err(unreadable("it is a symbolic link"));
    }
    if !folder.has("SKILL.md".as_ref()) {
        return Err(unreadable("it has no SKILL.md, so it is not a skill"));
    }
    Ok(folder)
}
