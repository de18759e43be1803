//! The command registry: what each RPC is to its callers.

use tables::{COMMANDS, MESSAGES};

/// One command: an RPC and how it appears.
#[derive(Debug)]
pub struct Command {
    /// Service, without the package: `BrowserService`.
    pub service: &'static str,
    /// RPC: `GetUrl`.
    pub method: &'static str,
    /// Path of the RPC in HTTP/2: `/browse.v1.BrowserService/GetUrl`.
    pub path: &'static str,
    /// The RPC in snake case: `get_url`.
    pub function: &'static str,
    /// File that declares the request, which is the group of the command.
    pub group: &'static str,
    /// Title of the group: `Navigation`.
    pub title: &'static str,
    /// What it does, in paragraphs; the first is one sentence.
    pub help: &'static str,
    /// Name, selector included: `console --clear`.
    pub name: &'static str,
    /// Words of the name, without the selector.
    pub words: &'static [&'static str],
    /// Flag that tells this RPC from others with the same words: `clear`.
    pub selector: Option<&'static str>,
    /// One-letter form of the selector: `a` for `snapshot -a`.
    pub selector_short: Option<char>,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// Scope that a token must hold.
    pub scope: Scope,
    /// Whether a paired agent may call it.
    pub tunnel: bool,
    /// Whether a person at a dashboard on another machine may call it.
    pub remote_dashboard: bool,
    /// Whether a tenant of a fleet may call it.
    pub fleet: bool,
    /// Positional arguments.
    pub args: &'static [Argument],
    /// Its request.
    pub request: &'static MessageType,
    /// Its response, or one message of its stream.
    pub response: &'static MessageType,
    /// Index in `response.fields` of what callers get as the result.
    pub result: Option<usize>,
    /// How a row of the result reads as text.
    pub text_template: &'static str,
    /// What the CLI notes beside a result without a row; empty for nothing.
    pub empty_note: &'static str,
    /// One line that shows it, without `browse`.
    pub example: &'static str,
    /// Time that a call gets by default, in milliseconds, when not 30 s.
    pub timeout_ms: Option<u64>,
    /// Index in `response.fields` of what the CLI writes to files.
    pub save: Option<usize>,
    /// Whether the CLI fails instead of starting a daemon for it.
    pub no_autostart: bool,
    /// What it needs of the browser.
    pub requires: Requires,
    /// Whether its effect may come after it was given up.
    pub has_side_effects: bool,
    /// Indices in `request.fields`: of each set at most one can be given.
    pub exclusive: &'static [&'static [usize]],
    /// How a recording treats it.
    pub step_role: StepRole,
    /// Why a skill cannot repeat it, as a clause; empty when nothing is in the way.
    pub unrepeatable: &'static str,
    /// What the CLI calls the place that the answer is written to: `path`, or
    /// a flag such as `--dir`.
    pub output_arg: &'static str,
    /// The only extension that a file of the answer has; empty for any.
    pub extension: &'static str,
    /// Whether the CLI offers `--base64`.
    pub inline: bool,
    /// Whether the response is a stream.
    pub streaming: bool,
}

/// A positional argument.
#[derive(Debug)]
pub struct Argument {
    /// Index of the field in the request.
    pub field: usize,
    /// Whether it takes all that is left of argv.
    pub rest: bool,
}

/// What a capability token allows; see `options.proto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// Looks at the page.
    Read,
    /// Acts on the page as a user could.
    Write,
    /// Runs code, touches credentials or files, or reconfigures the browser.
    Admin,
    /// Talks to the daemon about tabs, notes and skills.
    Meta,
    /// Ends, restarts, shows or saves the browser.
    Control,
    /// Needs no token.
    Public,
    /// Needs a token, whatever that allows.
    Any,
}

/// What a command needs of the browser; see `options.proto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Requires {
    /// No tab, or those that it finds itself.
    Daemon,
    /// A tab; a page that hangs does not hold it up.
    Tab,
    /// A tab whose page answers.
    Page,
    /// A tab, whose document it gives up.
    Navigation,
}

/// How the value of a field leaves; see `options.proto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sends {
    /// Typed into the frame of the target, or of the focused element.
    Typed,
    /// A key or chord, which may type a character or paste.
    Key,
    /// A mouse button: the middle one pastes.
    Button,
    /// Given to the frame that opened a dialog.
    Dialog,
    /// An address that a tab opens.
    Address,
    /// An address that the daemon requests itself.
    Request,
    /// A part of the request to the address beside it.
    RequestPart,
    /// An address, or what leads to one within the page.
    AddressOrTarget,
    /// Files, given to the page.
    Files,
    /// A part of all requests from now on.
    Everywhere,
    /// Stored for the site of the page.
    Stored,
    /// Put where any page may take it from.
    Clipboard,
    /// Code, style or an answer that the page gets.
    Code,
    /// A document of its own.
    Document,
    /// Input of a tool of the page.
    PageTool,
}

/// How a recording treats a call; see `options.proto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepRole {
    /// Opens an address, whatever was there before.
    Open,
    /// Goes back in history.
    Back,
    /// Goes forward in history.
    Forward,
    /// Loads the page again.
    Reload,
    /// Changes fields of the page, and nothing beyond it.
    Edit,
    /// Does something to the page that may reach beyond it.
    Act,
    /// Waits, moves the view or the pointer.
    Passive,
    /// Answers data, with which a skill can answer.
    Read,
    /// Is for looking only: a script does without it.
    Inspect,
    /// Is not for skills.
    Denied,
}

impl Scope {
    /// Every scope that a token can hold.
    pub const GRANTABLE: [Self; 5] =
        [Self::Read, Self::Write, Self::Admin, Self::Meta, Self::Control];

    /// The word for it in tokens, docs and errors.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
            Self::Meta => "meta",
            Self::Control => "control",
            Self::Public => "public",
            Self::Any => "any",
        }
    }
}

/// A message of the contract.
#[derive(Debug)]
pub struct MessageType {
    /// Name without the package.
    pub name: &'static str,
    /// Name with the package: `browse.v1.ClickRequest`.
    pub full_name: &'static str,
    /// Its comment.
    pub help: &'static str,
    /// Its fields, by number.
    pub fields: &'static [Field],
}

/// A field of a message.
#[derive(Debug)]
pub struct Field {
    /// Name in snake case, which is also its name in JSON.
    pub name: &'static str,
    /// Number on the wire.
    pub number: u32,
    /// Type.
    pub kind: FieldType,
    /// Whether it is a list.
    pub repeated: bool,
    /// Whether it can be absent.
    pub optional: bool,
    /// Whether a page chose its content.
    pub page: bool,
    /// Whether it holds an address that a page may have chosen.
    pub address: bool,
    /// Whether it is a string that holds a JSON document.
    pub json: bool,
    /// One-letter flag.
    pub short: Option<char>,
    /// Where the CLI takes it from.
    pub source: Source,
    /// What the help calls its value.
    pub value: &'static str,
    /// The command whose rows name the values that shells complete; empty for none.
    pub completes: &'static str,
    /// How its value leaves the browser or the daemon; none when it stays.
    pub sends: Option<Sends>,
    /// Whether it names an element of the page, or a place on it.
    pub target: bool,
    /// Its comment.
    pub help: &'static str,
}

impl Field {
    /// The long flag: `max-tokens`.
    pub fn flag(&self) -> String {
        if self.source == Source::Input {
            return "from-file".to_owned();
        }
        self.name.replace('_', "-")
    }
}

/// The type of a field.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum FieldType {
    Bool,
    U32,
    U64,
    I32,
    F64,
    String,
    Bytes,
    Enum(&'static Enum),
    Message(&'static MessageType),
    /// `map<string, string>`.
    StringMap,
    /// `google.protobuf.Any` with a message of the contract.
    Any,
}

/// An enum of the contract.
#[derive(Debug)]
pub struct Enum {
    /// Name without the package.
    pub name: &'static str,
    /// Its values; the word of the zero value is empty.
    pub values: &'static [EnumValue],
}

/// A value of an enum.
#[derive(Debug)]
pub struct EnumValue {
    /// The word that the CLI takes: `networkidle`.
    pub name: &'static str,
    /// Number on the wire.
    pub number: i32,
    /// Its comment.
    pub help: &'static str,
}

/// Where the CLI takes the value of a field from; see `options.proto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Source {
    Argv,
    File,
    Steps,
    CallerEnvironment,
    Extension,
    None,
    Json,
    Manifest,
    Files,
    Command,
    CallerScreen,
    FileOrUrl,
    Input,
}

impl Command {
    /// Whether it runs a program: it streams what that says, and has one answer
    /// at its end. The time that a caller gives is the program's, and making it
    /// ready is not counted: the handler keeps it.
    pub fn runs_program(&self) -> bool {
        let says = self.response.fields.iter().any(|field| matches!(field.kind, FieldType::Bytes));
        self.streaming && self.result.is_some() && says
    }

    /// Whether it acts on an element that its caller names, as a user would who sees it.
    /// A file is given to what seldom shows.
    pub fn acts_on_element(&self) -> bool {
        let fields = self.request.fields;
        let names_element = fields.iter().any(|field| field.name == "target" && !field.optional);
        let takes_files = fields.iter().any(|field| field.source == Source::Files);
        let answers_receipt = self.result.is_some_and(
            |at| matches!(self.response.fields[at].kind, FieldType::Message(of) if of.name == "Receipt"),
        );
        self.has_side_effects && names_element && answers_receipt && !takes_files
    }

    /// Every command of the contract.
    pub fn all() -> &'static [Command] {
        COMMANDS
    }

    /// The titles of the groups, in the order of the contract.
    pub fn group_titles() -> Vec<&'static str> {
        let mut titles = Vec::new();
        for command in Self::all() {
            if !titles.contains(&command.title) {
                titles.push(command.title);
            }
        }
        titles
    }

    /// The command whose RPC has this HTTP/2 path.
    pub fn by_path(path: &str) -> Option<&'static Command> {
        COMMANDS.iter().find(|command| command.path == path)
    }

    /// The command with this name or alias, as the CLI writes it.
    pub fn by_name(name: &str) -> Option<&'static Command> {
        COMMANDS.iter().find(|command| command.name == name || command.aliases.contains(&name))
    }

    /// The command whose request has this full name.
    pub fn by_request(full_name: &str) -> Option<&'static Command> {
        COMMANDS.iter().find(|command| command.request.full_name == full_name)
    }

    /// The first two arguments in `given` that exclude each other.
    pub fn exclusive_pair(
        &self,
        given: impl Fn(&Field) -> bool,
    ) -> Option<(&'static Field, &'static Field)> {
        self.exclusive.iter().find_map(|set| {
            let fields = set.iter().map(|index| &self.request.fields[*index]);
            let mut given = fields.filter(|field| given(field));
            Some((given.next()?, given.next()?))
        })
    }

    /// How the command line spells an argument: `--clip`, or a name in prose.
    pub fn spelling(&self, field: &Field) -> String {
        let positional = self.args.iter().any(|a| self.request.fields[a.field].name == field.name);
        match positional {
            true => format!("a {}", field.name.replace('_', " ")),
            false => format!("`--{}`", field.flag()),
        }
    }

    /// The first sentence of the help.
    pub fn summary(&self) -> &'static str {
        self.help.split("\n\n").next().unwrap_or_default()
    }
}

/// Messages within each other that are looked into.
const MAX_MESSAGE_DEPTH: u32 = 8;

impl MessageType {
    /// Every message of the contract.
    pub fn all() -> &'static [&'static MessageType] {
        MESSAGES
    }

    /// The message with this full name.
    pub fn by_name(full_name: &str) -> Option<&'static MessageType> {
        MESSAGES.iter().copied().find(|message| message.full_name == full_name)
    }

    /// Whether it can hold what a page chose, its inner messages included.
    pub fn has_page_content(&self) -> bool {
        self.has_page_content_within(MAX_MESSAGE_DEPTH)
    }

    fn has_page_content_within(&self, levels: u32) -> bool {
        self.fields.iter().any(|field| match field.kind {
            FieldType::Message(of) if levels > 0 => of.has_page_content_within(levels - 1),
            _ => field.page,
        })
    }

    /// The field with this name.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

/// The statics that the build script wrote.
#[allow(non_upper_case_globals, dead_code)]
mod tables {
    use super::*;

    include!(concat!(env!("OUT_DIR"), "/registry.rs"));
}
