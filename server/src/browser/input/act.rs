//! Runs an action until it has its receipt, or the page asks a question.

use browse_proto::v1;
use futures::FutureExt as _;

use super::report;
use crate::{
    dispatch::{Context, question},
    engine::{self, Engine, Receipt},
    error::Result,
    policy::Kind,
    sessions::Action,
};

/// Runs `action` on `engine`, which is that of the call's tab.
pub(in crate::browser) async fn act<F>(
    cx: &Context,
    engine: Engine,
    action: impl FnOnce(Engine) -> F,
) -> Result<v1::Receipt>
where
    F: Future<Output = engine::Result<Receipt>> + Send + 'static,
{
    let action = action(engine).boxed();
    let has_begun = || cx.engine().is_acting();
    Ok(report(cx, perform(cx, action, has_begun).await?).await)
}

/// Waits for the receipt of `action`. One that a question interrupts goes on
/// when the question is answered; its receipt names the question.
pub(super) async fn perform(
    cx: &Context,
    mut action: Action,
    has_begun: impl Fn() -> bool,
) -> Result<Receipt> {
    cx.handle_questions();
    // What the action leads to may leave the page.
    let _acting = cx.page().acting();
    let open = tokio::select! {
        biased;
        receipt = &mut action => return Ok(receipt?),
        open = question::blocking(cx) => open,
    };
    // Nothing was done yet, or the caller is no one who could answer.
    if !has_begun() || cx.capability().kind == Kind::Skill {
        return Err(question::refuse(cx, &open));
    }
    let receipt = cx.engine().interrupted(question::asked(cx, &open));
    open.tab.interrupt(open.question.id, action);
    Ok(receipt)
}
