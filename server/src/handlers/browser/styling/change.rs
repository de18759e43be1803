//! Changing styles, and taking changes back.

use browse_proto::{Reason, v1};

use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_engine::Target;

/// Sets a property of an element.
pub async fn style(cx: &CallContext, request: v1::StyleRequest) -> Result<v1::StyleResponse> {
    let target: Target = request.target.parse()?;
    let change = cx.engine().restyle(&target, &request.property, &request.value).await;
    let change = change.map_err(|error| Error::from(error).with("target", &target))?;
    let note = match change.before == change.after {
        true => "(unchanged: it had the value, or a stronger rule holds)",
        false => "",
    };
    Ok(v1::StyleResponse {
        id: change.id,
        property: change.property,
        before: change.before,
        after: change.after,
        note: note.to_owned(),
    })
}

/// Takes a change back.
pub async fn undo_style(
    cx: &CallContext,
    request: v1::UndoStyleRequest,
) -> Result<v1::UndoStyleResponse> {
    let Some(change) = cx.engine().undo_style(request.change).await? else {
        let message = match request.change {
            Some(id) => format!("there is no change {id} to undo"),
            None => "there is no change to undo".to_owned(),
        };
        return Err(Error::new(Reason::ChangeNotFound, message));
    };
    Ok(v1::UndoStyleResponse {
        id: change.id,
        target: change.target,
        property: change.property,
        after: change.after,
    })
}
