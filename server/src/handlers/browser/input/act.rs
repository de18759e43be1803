//! Runs an action until it has its receipt, or the page asks a question.

use browse_proto::v1;
use futures::FutureExt as _;

use super::receipt_message;
use crate::dispatch::{CallContext, dialog};
use browse_base::Result;
use browse_engine::{ActionReceipt, Engine};
use browse_policy::ClientKind;
use browse_sessions::SuspendedAction;

/// Runs `action` on `engine`, which is that of the call's tab.
pub(crate) async fn run_action<F>(
    cx: &CallContext,
    engine: Engine,
    action: impl FnOnce(Engine) -> F,
) -> Result<v1::Receipt>
where
    F: Future<Output = browse_engine::Result<ActionReceipt>> + Send + 'static,
{
    let action = action(engine).boxed();
    let has_begun = || cx.engine().is_acting();
    Ok(receipt_message(cx, wait_for_receipt(cx, action, has_begun).await?).await)
}

/// Waits for the receipt of `action`. One that a question interrupts goes on
/// when the question is answered; its receipt names the question.
pub(super) async fn wait_for_receipt(
    cx: &CallContext,
    mut action: SuspendedAction,
    has_begun: impl Fn() -> bool,
) -> Result<ActionReceipt> {
    cx.handle_dialogs();
    // What the action leads to may leave the page.
    let _acting = cx.page().begin_action();
    let open = tokio::select! {
        biased;
        receipt = &mut action => return Ok(receipt?),
        open = dialog::wait_until_blocked(cx) => open,
    };
    // Nothing was done yet, or the caller is no one who could answer.
    if !has_begun() || cx.capability().kind == ClientKind::Skill {
        return Err(dialog::blocked_error(cx, &open));
    }
    let receipt = cx.engine().interrupted_receipt(dialog::receipt_dialog(cx, &open));
    open.tab.suspend_action(open.dialog.id, action);
    Ok(receipt)
}
