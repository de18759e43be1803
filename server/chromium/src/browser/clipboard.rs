//! The clipboard, through a tab of our own.
//!
//! A page that reads the clipboard needs a permission, which would stay with
//! its site. Chromium has one clipboard for all contexts, and pasting and
//! copying in a field need no permission, so a field in a hidden context that
//! lives for one call does both.

use std::sync::Arc;

use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::browser::Browser;
use super::context::ContextOptions;
use crate::error::{Error, Result};
use crate::page::main_world::EvaluateOptions;
use crate::page::page::Page;

/// Makes the field, holding `TEXT`, all of it selected.
const FIELD_SCRIPT: &str = "(text => { document.body.replaceChildren(); const field = document.createElement('textarea'); \
    document.body.append(field); field.value = text; field.focus(); field.select(); field.id = 'field'; })";

impl Browser {
    /// The text in the clipboard; empty when it holds none.
    pub async fn read_clipboard(self: &Arc<Self>) -> Result<String> {
        let value = self.with_field("", "paste", "field.value").await?;
        Ok(value.as_str().unwrap_or_default().to_owned())
    }

    /// Puts text into the clipboard.
    pub async fn write_clipboard(self: &Arc<Self>, text: &str) -> Result<()> {
        self.with_field(text, "copy", "0").await.map(drop)
    }

    /// Runs to its end even when nobody waits any more: a context that is left
    /// over would stay for good.
    async fn with_field(
        self: &Arc<Self>,
        text: &str,
        command: &'static str,
        result: &'static str,
    ) -> Result<Value> {
        let field = format!("{FIELD_SCRIPT}({})", json!(text));
        let browser = Arc::clone(self);
        let work = tokio::spawn(async move {
            let context = browser.new_context(&ContextOptions::default()).await?;
            let id = context.id().clone();
            browser.registry().hide(&id);
            let outcome = async {
                let page = context.new_page().await?;
                page.evaluate_in_main_frame(&field).await?;
                page.run_editing_command(command).await?;
                page.evaluate_in_main_frame(result).await
            };
            let outcome = outcome.await;
            context.dispose().await?;
            browser.registry().unhide(&id);
            outcome
        });
        let gone = |_| Error::BrowserGone { reason: "the daemon is ending".to_owned() };
        work.await.map_err(gone)?
    }
}

impl Page {
    async fn evaluate_in_main_frame(&self, expression: &str) -> Result<Value> {
        let frame = self.main_frame().id;
        self.evaluate(&frame, expression, EvaluateOptions::default())?.await
    }

    /// Runs an editing command in the focused field, as its shortcut would.
    async fn run_editing_command(&self, command: &str) -> Result<()> {
        let params = json!({ "type": "rawKeyDown", "key": "Unidentified", "commands": [command] });
        self.session().call_method::<IgnoredAny>("Input.dispatchKeyEvent", &params).await?;
        Ok(())
    }
}
