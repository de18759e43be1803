//! Giving files to file inputs, also to those behind a button.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, timeout};

use super::accept::accepts;
use super::actionability::ActionRetry;
use super::effects::ActionEffects;
use super::gesture::Click;
use super::receipt::ActionReceipt;
use crate::error::{Error, RefusalKind, Result};
use crate::page::engine::Engine;
use crate::page::fact::Fact;
use crate::page::script_call;
use crate::target::target::Target;
use browse_chromium::{Page, ScriptArgument, World};

/// How long a click may take to open a file chooser.
const FILE_CHOOSER_TIMEOUT: Duration = Duration::from_secs(2);

/// What a file input takes.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct FileField {
    input: bool,
    multiple: bool,
    accept: String,
}

/// A file input.
struct FileInput {
    world: Arc<World>,
    object: String,
    field: FileField,
}

/// While it lives, file choosers come to us.
struct FileChooserInterception<'a>(&'a Page);

impl Engine {
    /// Gives the files to the file input that the target is, stands for, or
    /// opens a file chooser of.
    pub async fn upload(
        &self,
        target: &Target,
        files: &[PathBuf],
        deadline: Instant,
    ) -> Result<ActionReceipt> {
        let input = match self.file_input(target, deadline).await? {
            Some(input) => input,
            None => self.input_from_chooser(target, deadline).await?,
        };
        input.check_files(target, files)?;
        let _turn = self.state().action_lock.lock().await;
        let before = self.begin_action().with_world(&input.world);
        self.await_event_handled(input.world.set_files(&input.object, files)).await?;
        let report = self.send_command(&input.world, "report", &json!({})).read::<ActionEffects>();
        let changes = self.unless_navigating(report).await?;
        let mut receipt = self.receipt(before, changes, deadline).await;
        receipt.changed = true;
        receipt.result = Some(Fact::new("uploaded").text(file_names(files).join(", ")));
        Ok(receipt)
    }

    /// The input that the target is or stands for; none when only a click may
    /// tell.
    async fn file_input(&self, target: &Target, deadline: Instant) -> Result<Option<FileInput>> {
        let mut attempts = ActionRetry::new(deadline);
        let field = loop {
            match self.query_target::<FileField>(target, "fileField", json!({})).await {
                Ok(field) => break field,
                Err(error) => attempts.wait_or_fail(self.page(), target, error).await?,
            }
        };
        if !field.input {
            return Ok(None);
        }
        let (world, object) = self.remote_object_from(target, "fileInput").await?;
        Ok(Some(FileInput { world, object, field }))
    }

    /// Clicks, and takes the chooser that opens.
    async fn input_from_chooser(&self, target: &Target, deadline: Instant) -> Result<FileInput> {
        let _ours = FileChooserInterception::take(self.page()).await?;
        self.click(target, &Click::default(), deadline).await?;
        let left = deadline.saturating_duration_since(Instant::now());
        let chooser =
            timeout(FILE_CHOOSER_TIMEOUT.min(left), self.page().wait_file_chooser()).await;
        let none = || {
            let message = format!("`{target}` took a click but opened no file chooser");
            Error::refused(RefusalKind::WrongKind, message)
        };
        let chooser = chooser.map_err(|_| none())??;
        let node = chooser.backend_node_id.ok_or_else(none)?;
        let world = self.world(&chooser.frame_id).await?;
        let object = world.resolve_node(node).await?;
        let facts = "function () { return browseEngine.fileFacts(this); }";
        let facts: String = world.call_on(&object, facts, &[] as &[ScriptArgument]).await?;
        Ok(FileInput { world, object, field: script_call::decode(&facts)? })
    }
}

impl FileInput {
    /// Refuses files that a person could not choose either.
    fn check_files(&self, target: &Target, files: &[PathBuf]) -> Result<()> {
        let refused = |message: String| {
            Err(Error::refused(RefusalKind::FilesRefused, message)
                .with("target", target)
                .with_page_text("accept", self.field.accept.trim()))
        };
        if files.len() > 1 && !self.field.multiple {
            return refused(format!("`{target}` takes one file, not {}", files.len()));
        }
        match file_names(files).into_iter().find(|name| !accepts(&self.field.accept, name)) {
            Some(name) => refused(format!("`{target}` does not take `{name}`")),
            None => Ok(()),
        }
    }
}

impl<'a> FileChooserInterception<'a> {
    async fn take(page: &'a Page) -> Result<Self> {
        let ours = Self(page);
        for call in page.intercept_file_choosers(true) {
            call.await?;
        }
        Ok(ours)
    }
}

impl Drop for FileChooserInterception<'_> {
    fn drop(&mut self) {
        self.0
            .intercept_file_choosers(false)
            .into_iter()
            .for_each(browse_chromium::CdpCall::ignore);
    }
}

fn file_names(files: &[PathBuf]) -> Vec<String> {
    let name = |file: &PathBuf| file.file_name().map(|name| name.to_string_lossy().into_owned());
    files.iter().filter_map(name).collect()
}
