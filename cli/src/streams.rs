//! Commands that answer with a stream: what comes is printed as it comes.

mod files;

use std::cell::RefCell;

use browse_proto::{
    Command, FieldType, Reason,
    render::{self, Untrusted, quote_envelope_lines},
    wire::base64,
};
use serde_json::{Map, Value};

use crate::{
    call, execute,
    failure::{Failure, Result},
    globals::Globals,
    print,
    request::PreparedRequest,
    response::{self, ResponseNotices},
};

pub use files::save;

/// Makes the call of `request`, and prints what it answers.
pub fn print(request: &PreparedRequest, globals: &Globals) -> Result<u8> {
    let command = request.invocation.command;
    // These go on by their nature, and others when they are asked to.
    let follows = matches!(command.function, "watch" | "view_tabs")
        || request.invocation.fields.get("follow") == Some(&Value::Bool(true));
    execute::with_daemon(command, globals, |daemon| {
        let printer = RefCell::new(StreamPrinter::new(command, follows, globals));
        let done = call::send_streaming(
            request,
            globals,
            daemon,
            |notes| printer.borrow_mut().on_headers(notes),
            |message| printer.borrow_mut().on_message(response::decode(command, &message)?),
            |notes| printer.borrow_mut().on_trailers(notes),
        );
        let mut printer = printer.into_inner();
        printer.end_stderr();
        match done {
            Ok(()) => Ok(printer.end()?),
            Err(broken) => {
                printer.print_texts()?;
                Err(broken)
            }
        }
    })
}

/// Prints the messages of one stream.
struct StreamPrinter<'a> {
    command: &'static Command,
    /// Whether the stream goes on, so that each result is a document.
    is_endless: bool,
    globals: &'a Globals,
    untrusted: Option<Untrusted>,
    /// Results that wait for the end of the stream, as JSON or as text: what their
    /// reader is warned of comes with it, and is printed first.
    pending_results: Vec<String>,
    /// Whether there was a result.
    has_result: bool,
    /// Whether a page wrote some of those that wait.
    is_page_derived: bool,
    /// Whether an envelope is open on standard error.
    is_stderr_open: bool,
}

impl<'a> StreamPrinter<'a> {
    fn new(command: &'static Command, follows: bool, globals: &'a Globals) -> Self {
        Self {
            command,
            is_endless: follows,
            globals,
            untrusted: None,
            pending_results: Vec::new(),
            has_result: false,
            is_page_derived: false,
            is_stderr_open: false,
        }
    }

    fn on_headers(&mut self, notes: ResponseNotices) -> Result<()> {
        notes.print();
        self.untrusted = notes.untrusted;
        Ok(())
    }

    fn on_message(&mut self, mut message: Map<String, Value>) -> Result<()> {
        if let Some(bytes) = stderr_bytes(self.command, &message) {
            self.write_stderr(&String::from_utf8_lossy(&bytes));
            return Ok(());
        }
        self.has_result = true;
        let is_page = render::is_page_derived(self.command.response, &message);
        // What a program reported is in an envelope of its own.
        if self.command.runs_program() && !is_page {
            self.end_stderr();
            self.untrusted = None;
        }
        self.add_warnings(&mut message, is_page);
        let result = match self.globals.json {
            true => render::result_json(self.command, &message),
            false => message_text(self.command, &message),
        };
        if !self.is_endless {
            self.is_page_derived |= is_page;
            self.pending_results.push(result);
            return Ok(());
        }
        let untrusted = self.untrusted.as_ref().filter(|_| is_page);
        match self.globals.json {
            true => print::json_result(&result, untrusted)?,
            false => print::enveloped(&result, untrusted)?,
        };
        // They were about this message.
        if let Some(untrusted) = &mut self.untrusted {
            untrusted.warnings.clear();
        }
        Ok(())
    }

    /// Takes what a message says by itself that its reader is warned of.
    fn add_warnings(&mut self, message: &mut Map<String, Value>, is_page: bool) {
        let warnings = message.remove("warnings");
        let warnings = warnings.as_ref().and_then(Value::as_array).into_iter().flatten();
        let entries = warnings.filter_map(Value::as_str).map(str::to_owned);
        match &mut self.untrusted {
            Some(untrusted) if is_page => untrusted.warnings.extend(entries),
            _ => entries.for_each(|warning| print::warning(&warning)),
        }
    }

    /// Passes on what the end of the stream says: before the result that waits for it,
    /// else where what it is about was printed.
    fn on_trailers(&mut self, notes: ResponseNotices) {
        self.end_stderr();
        notes.print();
        let Some(ended) = notes.untrusted else { return };
        match &mut self.untrusted {
            Some(untrusted) if self.is_page_derived => {
                untrusted.warnings.extend(ended.warnings);
            }
            _ => ended.warnings.iter().for_each(|warning| print::warning(warning)),
        }
    }

    /// Passes on what a program says while it runs. A page may have written
    /// it, so it stands in an envelope of its own and drives no terminal.
    fn write_stderr(&mut self, text: &str) {
        let Some(Untrusted { nonce, source, .. }) = &self.untrusted else {
            return print::stderr(text);
        };
        if !self.is_stderr_open {
            self.is_stderr_open = true;
            print::stderr(&format!("--- untrusted {nonce} from {source} ---\n"));
        }
        let plain = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
        print::stderr(&quote_envelope_lines(&text.chars().filter(plain).collect::<String>()));
    }

    fn end_stderr(&mut self) {
        if let Some(Untrusted { nonce, .. }) =
            self.untrusted.as_ref().filter(|_| self.is_stderr_open)
        {
            print::stderr(&format!("--- end {nonce} ---\n"));
            self.is_stderr_open = false;
        }
    }

    fn end(&mut self) -> Result<u8> {
        if self.command.runs_program() && !self.has_result {
            let message = format!("`{}` ended without an answer", self.command.name);
            return Err(Failure::new(Reason::Bug, message));
        }
        if self.is_endless {
            return Ok(0);
        }
        if !self.globals.json {
            return self.print_texts();
        }
        let results = std::mem::take(&mut self.pending_results);
        let result = match (self.command.runs_program(), results.as_slice()) {
            (true, [one]) => one.clone(),
            _ => format!("[{}]", results.join(",")),
        };
        print::json_result(&result, self.untrusted.as_ref().filter(|_| self.is_page_derived))
    }

    /// Prints the results that waited, in one envelope.
    fn print_texts(&mut self) -> Result<u8> {
        let texts = std::mem::take(&mut self.pending_results);
        if self.globals.json || texts.is_empty() {
            return Ok(0);
        }
        let texts = texts.iter().map(|text| text.strip_suffix('\n').unwrap_or(text));
        let untrusted = self.untrusted.as_ref().filter(|_| self.is_page_derived);
        print::enveloped(&texts.collect::<Vec<_>>().join("\n"), untrusted)
    }
}

/// Whether the answer of the stream is a JSON document.
fn is_json(command: &Command) -> bool {
    command.result.is_some_and(|index| command.response.fields[index].json)
}

/// What a program wrote to its standard error, when `message` carries that:
/// the bytes field beside the result of a command that runs one.
pub fn stderr_bytes(command: &Command, message: &Map<String, Value>) -> Option<Vec<u8>> {
    if !command.runs_program() {
        return None;
    }
    let field =
        command.response.fields.iter().find(|field| matches!(field.kind, FieldType::Bytes))?;
    base64::decode(message.get(field.name)?.as_str()?)
}

/// The text of one message. A JSON document stays one.
pub fn message_text(command: &Command, message: &Map<String, Value>) -> String {
    if !is_json(command) {
        return render::text(command, message);
    }
    render::result(command, message).as_str().unwrap_or_default().to_owned()
}
