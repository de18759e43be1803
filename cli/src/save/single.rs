//! One file that comes in pieces.

use std::path::{Path, PathBuf};

use browse_proto::{Reason, render::Untrusted, wire::base64};
use serde_json::{Map, Value, json};

use super::{
    NamedBy, OutputWriter,
    incoming_file::IncomingFile,
    name,
    progress::ProgressLine,
    sink::{FileSink, text_field},
    temporary_folder,
};
use crate::{
    failure::{Failure, Result},
    globals::Globals,
    limits::too_large,
    parse::Invocation,
    print,
};

/// Bytes that a data URL may stand for.
const MAX_DATA_URL_BYTES: usize = 64 << 20;

/// Writes one file, or prints it as a data URL.
pub struct SingleFileSink<'a> {
    invocation: &'a Invocation,
    globals: &'a Globals,
    output: OutputWriter,
    named: NamedBy,
    /// Whether the file is standard output, which then has no room for a result.
    is_printed: bool,
    incoming_file: Option<IncomingFile>,
    inline_bytes: Vec<u8>,
    mime: String,
    progress: ProgressLine,
    result: Map<String, Value>,
}

impl<'a> SingleFileSink<'a> {
    /// Nothing came yet.
    pub fn new(invocation: &'a Invocation, globals: &'a Globals) -> Result<Self> {
        Ok(Self {
            invocation,
            globals,
            output: OutputWriter::new(invocation, globals)?,
            named: NamedBy::Caller,
            is_printed: false,
            incoming_file: None,
            inline_bytes: Vec::new(),
            mime: String::new(),
            progress: ProgressLine::start(),
            result: Map::new(),
        })
    }

    fn choose_path(&mut self, head: &Map<String, Value>) -> Result<PathBuf> {
        let (folder, named) = match self.invocation.path.as_deref() {
            Some(path) if path.ends_with('/') || Path::new(path).is_dir() => {
                (PathBuf::from(path), NamedBy::Page)
            }
            Some(path) => return Ok(PathBuf::from(path)),
            None => (temporary_folder(self.invocation.command.name)?, NamedBy::Default),
        };
        self.named = named;
        Ok(folder.join(name::sanitize_page_name(text_field(head, "name"))))
    }
}

/// Fails when no file can be written at `path`.
pub fn check_path(path: &str, output: &OutputWriter) -> Result<()> {
    let place = match Path::new(path) {
        folder if path.ends_with('/') || folder.is_dir() => folder.join("download"),
        file => file.to_owned(),
    };
    output.begin(&place, NamedBy::Caller).map(drop)
}

impl FileSink for SingleFileSink<'_> {
    fn head(&mut self, _: u64, head: &Map<String, Value>) -> Result<()> {
        let size = head.get("size").and_then(Value::as_u64);
        self.progress.expect_bytes(size);
        self.mime = text_field(head, "mime").to_owned();
        if !self.invocation.base64 {
            let place = self.choose_path(head)?;
            let incoming = IncomingFile::begin(&self.output, place, self.named, head)?;
            self.is_printed = incoming.is_standard_output();
            self.incoming_file = Some(incoming);
        }
        for key in ["url", "mime"] {
            if !text_field(head, key).is_empty() {
                self.result.insert(key.to_owned(), json!(text_field(head, key)));
            }
        }
        Ok(())
    }

    fn data(&mut self, _: u64, bytes: &[u8]) -> Result<()> {
        self.progress.add_bytes(bytes.len());
        if let Some(incoming) = &mut self.incoming_file {
            return incoming.add(bytes);
        }
        if self.inline_bytes.len() + bytes.len() > MAX_DATA_URL_BYTES {
            return Err(too_large(
                "the file is too large for `--base64`".to_owned(),
                MAX_DATA_URL_BYTES,
            ));
        }
        self.inline_bytes.extend(bytes);
        Ok(())
    }

    fn tail(&mut self, _: u64, tail: &Map<String, Value>) -> Result<()> {
        let reason = text_field(tail, "reason");
        if !reason.is_empty() {
            let message = text_field(tail, "message").to_owned();
            return Err(Failure::from_daemon(reason, message, Default::default()));
        }
        match self.incoming_file.take() {
            Some(incoming) => {
                let path = incoming.finish(&self.output, tail)?;
                self.result.insert("path".to_owned(), json!(path.display().to_string()));
            }
            None => {
                let mime = self.mime.split(';').next().unwrap_or_default();
                let plain = |c: &char| c.is_ascii_alphanumeric() || "/+.-".contains(*c);
                let mime: String = mime.chars().filter(plain).collect();
                let url = format!("data:{mime};base64,{}", base64::encode(&self.inline_bytes));
                self.result.insert("data_url".to_owned(), json!(url));
            }
        }
        for key in ["bytes", "sha256", "note"] {
            let value = tail.get(key).filter(|value| **value != json!(""));
            if let Some(value) = value {
                self.result.insert(key.to_owned(), value.clone());
            }
        }
        Ok(())
    }

    fn finish(&mut self, untrusted: Option<&Untrusted>) -> Result<u8> {
        self.progress.clear();
        let place = self.result.get("path").or(self.result.get("data_url"));
        let Some(place) = place.and_then(Value::as_str) else {
            let message = format!("`{}` ended without an answer", self.invocation.command.name);
            return Err(Failure::new(Reason::Bug, message));
        };
        if self.is_printed {
            return Ok(0);
        }
        if self.globals.json {
            let result = Value::Object(self.result.clone()).to_string();
            return print::json_result(&result, untrusted);
        }
        // The bytes of a file are not read here; only its name can speak.
        print::enveloped(place, untrusted.filter(|_| self.named != NamedBy::Caller))?;
        let note = text_field(&self.result, "note");
        if !note.is_empty() {
            print::note(&format!("{}: {note}", self.invocation.command.name));
        }
        Ok(0)
    }
}
