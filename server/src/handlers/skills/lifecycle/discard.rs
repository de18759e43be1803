//! Removes a draft.

use browse_proto::{Reason, v1};

use crate::dispatch::CallContext;
use crate::skills::drafts::DraftArgument;
use browse_base::{Error, Result};

/// Removes a draft; one that is gone is removed already.
pub async fn discard_skill(
    cx: &CallContext,
    request: v1::DiscardSkillRequest,
) -> Result<v1::DiscardSkillResponse> {
    let drafts = cx.daemon().skills().drafts();
    let name = match drafts.resolve(&request.draft, cx.cwd()) {
        Ok(DraftArgument::Draft(name)) => name,
        Ok(DraftArgument::Folder(path)) => {
            let message = format!("`{}` is not a draft", path.display());
            return Err(Error::new(Reason::DraftNotFound, message).with("draft", path.display()));
        }
        Err(error) => {
            // The folder of a draft that is gone cannot be looked at any more.
            let last = std::path::Path::new(&request.draft).file_name();
            match last.and_then(|name| name.to_str()).filter(|name| drafts.is_gone(name)) {
                Some(name) => name.to_owned(),
                None => return Err(error),
            }
        }
    };
    let existed = match drafts.open(&name) {
        Ok(draft) => draft.remove().map(|()| true)?,
        Err(error) if error.reason() == Reason::DraftNotFound => false,
        Err(error) if error.reason() == Reason::DraftRefused => {
            drafts.remove_invalid(&name).map(|()| true)?
        }
        Err(error) => return Err(error),
    };
    Ok(v1::DiscardSkillResponse { draft: name, existed })
}
