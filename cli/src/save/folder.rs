//! Several files that come in pieces, into one folder.

use std::{collections::HashMap, path::PathBuf};

use browse_proto::render::Untrusted;
use serde_json::{Map, Value, json};

use super::{
    NamedBy, OutputWriter,
    incoming_file::IncomingFile,
    manifest::{self, SaveManifest},
    name,
    progress::ProgressLine,
    sink::{FileSink, text_field},
    temporary_folder,
};
use crate::{failure::Result, globals::Globals, parse::Invocation, print};

/// Files up to which the manifest is written after each one.
const MAX_FILES_WRITE_EACH: usize = 300;

/// Files after which it is written beyond that.
const FILES_PER_WRITE: usize = 20;

/// Writes files and their manifest.
pub struct FolderSink<'a> {
    globals: &'a Globals,
    output: OutputWriter,
    path: PathBuf,
    manifest: SaveManifest,
    open: HashMap<u64, IncomingFile>,
    progress: ProgressLine,
    saved: Vec<Value>,
    failed: Vec<Value>,
    present_files: u64,
    unwritten_rows: usize,
}

impl<'a> FolderSink<'a> {
    /// Opens the folder that `invocation` names, and makes it where needed.
    pub fn open(invocation: &Invocation, globals: &'a Globals) -> Result<Self> {
        let output = OutputWriter::new(invocation, globals)?;
        let path = match &invocation.path {
            Some(path) => PathBuf::from(path),
            None => temporary_folder(invocation.command.name)?,
        };
        output.make_folder(&path)?;
        Ok(Self {
            output,
            globals,
            manifest: SaveManifest::read(&path)?,
            path,
            open: HashMap::new(),
            progress: ProgressLine::start(),
            saved: Vec::new(),
            failed: Vec::new(),
            present_files: 0,
            unwritten_rows: 0,
        })
    }

    fn record_saved(
        &mut self,
        url: &str,
        head: &Map<String, Value>,
        tail: &Map<String, Value>,
        file: &str,
    ) -> Result<()> {
        let row = json!({
            "url": url,
            "file": file,
            "mime": text_field(head, "mime"),
            "bytes": tail.get("bytes"),
            "sha256": text_field(tail, "sha256"),
        });
        self.saved.push(row.clone());
        if let Value::Object(row) = row {
            self.manifest.add(row);
        }
        self.unwritten_rows += 1;
        if self.saved.len() <= MAX_FILES_WRITE_EACH || self.unwritten_rows >= FILES_PER_WRITE {
            self.unwritten_rows = 0;
            self.manifest.write(&self.output)?;
        }
        Ok(())
    }

    fn summary_line(&self) -> String {
        let path = self.manifest.path().display();
        let mut line = format!("{path}: {} saved", self.saved.len());
        if self.present_files > 0 {
            line.push_str(&format!(", {} there already", self.present_files));
        }
        if !self.failed.is_empty() {
            line.push_str(&format!(", {} failed", self.failed.len()));
        }
        for failure in &self.failed {
            line.push_str(&format!("\n{}", failure["message"].as_str().unwrap_or_default()));
        }
        line
    }
}

impl FileSink for FolderSink<'_> {
    fn expect(&mut self, files: u64) {
        self.progress.expect_files(files);
    }

    fn head(&mut self, file: u64, head: &Map<String, Value>) -> Result<()> {
        let mut name = name::sanitize_page_name(text_field(head, "name"));
        if name.eq_ignore_ascii_case(manifest::MANIFEST_NAME) {
            name = format!("_{name}");
        }
        let path = self.path.join(name);
        self.open.insert(file, IncomingFile::begin(&self.output, path, NamedBy::Page, head)?);
        Ok(())
    }

    fn data(&mut self, file: u64, bytes: &[u8]) -> Result<()> {
        self.progress.add_bytes(bytes.len());
        match self.open.get_mut(&file) {
            Some(incoming) => incoming.add(bytes),
            None => Ok(()),
        }
    }

    fn tail(&mut self, file: u64, tail: &Map<String, Value>) -> Result<()> {
        self.progress.add_file();
        let incoming = self.open.remove(&file);
        if tail.get("known") == Some(&Value::Bool(true)) {
            self.present_files += 1;
            return Ok(());
        }
        let (reason, url) = (text_field(tail, "reason"), text_field(tail, "url"));
        if !reason.is_empty() {
            let message = text_field(tail, "message");
            self.manifest.add_failed(url, reason, message);
            self.failed.push(json!({"url": url, "reason": reason, "message": message}));
            return Ok(());
        }
        let Some(incoming) = incoming else { return Ok(()) };
        let head = incoming.head.clone();
        let path = incoming.finish(&self.output, tail)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.record_saved(text_field(&head, "url"), &head, tail, &name)
    }

    fn finish(&mut self, untrusted: Option<&Untrusted>) -> Result<u8> {
        self.progress.clear();
        self.manifest.write(&self.output)?;
        let exit = u8::from(!self.failed.is_empty());
        if self.globals.json {
            let result = json!({
                "folder": self.path.display().to_string(),
                "manifest": self.manifest.path().display().to_string(),
                "saved": self.saved,
                "present": self.present_files,
                "failed": self.failed,
            });
            print::json_result(&result.to_string(), untrusted)?;
        } else {
            print::enveloped(&self.summary_line(), untrusted.filter(|_| !self.failed.is_empty()))?;
        }
        Ok(exit)
    }
}
