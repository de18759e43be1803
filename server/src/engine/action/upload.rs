//! Giving files to file inputs, also to those behind a button.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, timeout};

use super::accept::accepts;
use super::aim::Attempts;
use super::changes::Changes;
use super::click::Click;
use super::receipt::{Fact, Receipt};
use crate::chromium::{Argument, Page, World};
use crate::engine::error::{Error, Kind, Result};
use crate::engine::page::engine::Engine;
use crate::engine::page::wire;
use crate::engine::target::target::Target;

/// How long a click may take to open a file chooser.
const CHOOSING: Duration = Duration::from_secs(2);

/// What a file input takes.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct FileField {
    input: bool,
    multiple: bool,
    accept: String,
}

/// A file input.
struct Input {
    world: Arc<World>,
    object: String,
    field: FileField,
}

/// While it lives, file choosers come to us.
struct Choosers<'a>(&'a Page);

impl Engine {
    /// Gives the files to the file input that the target is, stands for, or
    /// opens a file chooser of.
    pub async fn upload(
        &self,
        target: &Target,
        files: &[PathBuf],
        deadline: Instant,
    ) -> Result<Receipt> {
        let input = match self.file_input(target, deadline).await? {
            Some(input) => input,
            None => self.chosen_input(target, deadline).await?,
        };
        input.check(target, files)?;
        let _turn = self.state().acting.lock().await;
        let before = self.begin_action().watched_in(&input.world);
        self.handled(input.world.set_files(&input.object, files)).await?;
        let report = self.ask(&input.world, "report", &json!({})).read::<Changes>();
        let changes = self.unless_navigating(report).await?;
        let mut receipt = self.receipt(before, changes, deadline).await;
        receipt.changed = true;
        receipt.result = Some(Fact::new("uploaded").text(names(files).join(", ")));
        Ok(receipt)
    }

    /// The input that the target is or stands for; none when only a click may
    /// tell.
    async fn file_input(&self, target: &Target, deadline: Instant) -> Result<Option<Input>> {
        let mut attempts = Attempts::new(deadline);
        let field = loop {
            match self.ask_about::<FileField>(target, "fileField", json!({})).await {
                Ok(field) => break field,
                Err(error) => attempts.again(self.page(), target, error).await?,
            }
        };
        if !field.input {
            return Ok(None);
        }
        let (world, object) = self.object_by(target, "fileInput").await?;
        Ok(Some(Input { world, object, field }))
    }

    /// Clicks, and takes the chooser that opens.
    async fn chosen_input(&self, target: &Target, deadline: Instant) -> Result<Input> {
        let _ours = Choosers::take(self.page()).await?;
        self.click(target, &Click::default(), deadline).await?;
        let left = deadline.saturating_duration_since(Instant::now());
        let chooser = timeout(CHOOSING.min(left), self.page().chooser()).await;
        let none = || {
            let message = format!("`{target}` took a click but opened no file chooser");
            Error::refused(Kind::WrongKind, message)
        };
        let chooser = chooser.map_err(|_| none())??;
        let node = chooser.backend_node_id.ok_or_else(none)?;
        let world = self.world(&chooser.frame_id).await?;
        let object = world.node(node).await?;
        let facts = "function () { return browseEngine.fileFacts(this); }";
        let facts: String = world.call_on(&object, facts, &[] as &[Argument]).await?;
        Ok(Input { world, object, field: wire::decode(&facts)? })
    }
}

impl Input {
    /// Refuses files that a person could not choose either.
    fn check(&self, target: &Target, files: &[PathBuf]) -> Result<()> {
        let refused = |message: String| {
            Err(Error::refused(Kind::FilesRefused, message)
                .with("target", target)
                .quoting("accept", self.field.accept.trim()))
        };
        if files.len() > 1 && !self.field.multiple {
            return refused(format!("`{target}` takes one file, not {}", files.len()));
        }
        match names(files).into_iter().find(|name| !accepts(&self.field.accept, name)) {
            Some(name) => refused(format!("`{target}` does not take `{name}`")),
            None => Ok(()),
        }
    }
}

impl<'a> Choosers<'a> {
    async fn take(page: &'a Page) -> Result<Self> {
        let ours = Self(page);
        for call in page.intercept_choosers(true) {
            call.await?;
        }
        Ok(ours)
    }
}

impl Drop for Choosers<'_> {
    fn drop(&mut self) {
        self.0.intercept_choosers(false).into_iter().for_each(crate::chromium::Call::ignore);
    }
}

fn names(files: &[PathBuf]) -> Vec<String> {
    let name = |file: &PathBuf| file.file_name().map(|name| name.to_string_lossy().into_owned());
    files.iter().filter_map(name).collect()
}
