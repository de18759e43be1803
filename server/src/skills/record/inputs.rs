//! The arguments of a recorded skill: inputs that the caller names, and secrets
//! that nobody needs to name.

use browse_proto::Reason;
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::plan::is_plain;
use super::recordings::Recording;
use super::step::Secret;
use crate::engine::Target;
use crate::error::{Error, Result};

/// A part of a text of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// As it stands.
    Literal(String),
    /// The value of an argument.
    Argument(String),
    /// The same, encoded for a part of an address.
    Encoded(String),
    /// The same, in quotes for a selector.
    Quoted(String),
}

/// An argument of the skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// What it was; none for a secret.
    pub default: Option<String>,
    value: String,
    used: bool,
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// In the order in which they were named, secrets behind.
    pub all: Vec<Input>,
    secrets: Vec<String>,
}

impl Inputs {
    /// Reads `name=value` words.
    ///
    /// # Errors
    /// `SKILL_RECORDING_ARGUMENT`.
    pub fn read(words: &[String], recording: &Recording) -> Result<Self> {
        let secrets: Vec<String> = recording.secrets.iter().map(|s| s.to_string()).collect();
        let mut all: Vec<Input> = Vec::new();
        for word in words {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            if !is_name(name) || value.is_empty() {
                let message = "`--arg` is not of the form name=value, with letters, digits, `-` and `_` for the name";
                return Err(Error::new(Reason::SkillRecordingArgument, message));
            }
            if all.iter().any(|input| input.name == name || input.value == value) {
                let message = format!("the argument `{name}` or its value is given twice");
                return Err(Error::new(Reason::SkillRecordingArgument, message));
            }
            let secret = secrets.iter().any(|secret| secret == value) || !is_plain(value, &[]);
            let default = (!secret).then(|| value.to_owned());
            all.push(Input {
                name: name.to_owned(),
                default,
                value: value.to_owned(),
                used: false,
            });
        }
        let named = all.iter().filter(|input| input.default.is_none()).map(|i| i.value.clone());
        let secrets = secrets.iter().cloned().chain(named).collect();
        Ok(Self { all, secrets })
    }

    /// What must not be kept, the longest first.
    pub fn secrets(&self) -> Vec<String> {
        let mut secrets = self.secrets.clone();
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets.dedup();
        secrets
    }

    /// The argument that stands for a secret; one that nobody named gets the
    /// name of its kind.
    pub fn secret(&mut self, secret: &Secret) -> String {
        let value = self.secrets.get(secret.number).cloned().unwrap_or_default();
        if let Some(known) = self.all.iter_mut().find(|input| input.value == value) {
            known.used = true;
            return known.name.clone();
        }
        let mut name = secret.kind.to_owned();
        for number in 2.. {
            if !self.all.iter().any(|input| input.name == name) {
                break;
            }
            name = format!("{}{number}", secret.kind);
        }
        self.all.push(Input { name: name.clone(), default: None, value, used: true });
        name
    }

    /// A text that was typed or chosen. None for a secret that nobody named.
    pub fn text(&mut self, text: &str) -> Option<Vec<Piece>> {
        if let Some(name) = self.named(text) {
            return Some(vec![Piece::Argument(name)]);
        }
        self.literal(text)
    }

    /// A selector, whose quoted name may be an argument.
    pub fn selector(&mut self, text: &str) -> Option<Vec<Piece>> {
        let name = text.parse::<Target>().ok().and_then(|target| target.name().map(str::to_owned));
        if let Some(argument) = name.and_then(|name| self.named(&name)) {
            let (before, after) = match (text.find("[name="), text.split_once('=')) {
                (Some(at), _) => (&text[..at + "[name=".len()], "]"),
                (None, Some((kind, _))) => (&text[..kind.len() + 1], ""),
                (None, None) => return self.literal(text),
            };
            let literal = |text: &str| Piece::Literal(text.to_owned());
            let mut pieces = vec![literal(before), Piece::Quoted(argument)];
            pieces.extend((!after.is_empty()).then(|| literal(after)));
            return Some(pieces);
        }
        self.literal(text)
    }

    /// An address, whose segments and values of parameters may be arguments.
    pub fn address(&mut self, url: &str) -> Option<Vec<Piece>> {
        if url::Url::parse(url).is_ok_and(|url| url.password().is_some()) {
            return None;
        }
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let shown = crate::secrets::redact(url).into_owned();
        for part in url.split_inclusive(['/', '?', '&', '=', '#']) {
            let bare = part.trim_end_matches(['/', '?', '&', '=', '#']);
            let text = percent_decode_str(&bare.replace('+', " ")).decode_utf8_lossy().into_owned();
            match self.named(&text).filter(|_| !bare.is_empty()) {
                Some(name) => {
                    // What stands where secrets stand is one, whatever it looks like.
                    if !shown.contains(bare) {
                        self.hide(&name);
                    }
                    pieces.push(Piece::Literal(std::mem::take(&mut plain)));
                    pieces.push(Piece::Encoded(name));
                    plain.push_str(&part[bare.len()..]);
                }
                None => plain.push_str(part),
            }
        }
        pieces.push(Piece::Literal(plain));
        pieces.retain(|piece| *piece != Piece::Literal(String::new()));
        let secrets = self.secrets();
        let clean =
            |piece: &Piece| !matches!(piece, Piece::Literal(text) if !is_plain(text, &secrets));
        pieces.iter().all(clean).then_some(pieces)
    }

    /// The text that pieces come to with the values of the recording.
    pub fn filled_in(&self, pieces: &[Piece]) -> String {
        let value = |name: &str| {
            let input = self.all.iter().find(|input| input.name == name);
            input.map_or("", |input| input.value.as_str())
        };
        let part = |piece: &Piece| match piece {
            Piece::Literal(text) => text.clone(),
            Piece::Argument(name) => value(name).to_owned(),
            Piece::Encoded(name) => utf8_percent_encode(value(name), NON_ALPHANUMERIC).to_string(),
            Piece::Quoted(name) => serde_json::Value::from(value(name)).to_string(),
        };
        pieces.iter().map(part).collect()
    }

    /// Refuses a name whose value is nowhere.
    ///
    /// # Errors
    /// `SKILL_RECORDING_ARGUMENT`.
    pub fn check_used(&self) -> Result<()> {
        let Some(unused) = self.all.iter().find(|input| !input.used) else { return Ok(()) };
        let message = format!("the value of `{}` stands nowhere in what is kept", unused.name);
        Err(Error::new(Reason::SkillRecordingArgument, message).with("argument", &unused.name))
    }

    /// Makes an argument a secret: its value is kept nowhere.
    fn hide(&mut self, name: &str) {
        if let Some(input) = self.all.iter_mut().find(|input| input.name == name) {
            input.default = None;
            self.secrets.push(input.value.clone());
        }
    }

    fn literal(&self, text: &str) -> Option<Vec<Piece>> {
        is_plain(text, &self.secrets()).then(|| vec![Piece::Literal(text.to_owned())])
    }

    fn named(&mut self, text: &str) -> Option<String> {
        let input = self.all.iter_mut().find(|input| input.value == text)?;
        input.used = true;
        Some(input.name.clone())
    }
}

fn is_name(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && name.len() <= 64
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter))
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::{Inputs, Piece, Recording};
    use crate::policy::ClientId;

    fn inputs(words: &[&str]) -> Inputs {
        let recording = Recording {
            client: ClientId::root(),
            begun: SystemTime::UNIX_EPOCH,
            steps: Vec::new(),
            lost: 0,
            secrets: Vec::new(),
            page: None,
            position: 0,
            sent: Default::default(),
            answers: Default::default(),
            held: Default::default(),
        };
        let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
        Inputs::read(&words, &recording).expect("they are good")
    }

    #[test]
    fn a_named_part_of_an_address_is_an_argument() {
        let mut inputs = inputs(&["query=blue lamp"]);
        let pieces = inputs.address("https://a.example/find?q=blue+lamp#top").expect("it is plain");
        let literal = |text: &str| Piece::Literal(text.to_owned());
        let wanted = [
            literal("https://a.example/find?q="),
            Piece::Encoded("query".to_owned()),
            literal("#top"),
        ];
        assert_eq!(pieces, wanted);
        assert_eq!(inputs.all[0].default.as_deref(), Some("blue lamp"));
        assert!(inputs.check_used().is_ok());
    }

    #[test]
    fn what_stands_where_secrets_stand_is_kept_nowhere() {
        let mut named = inputs(&["who=sesame"]);
        let pieces = named.address("https://a.example/?token=sesame&a=1").expect("it is named");
        assert_eq!(pieces[1], Piece::Encoded("who".to_owned()));
        assert_eq!(named.all[0].default, None, "each run has to give it");
        assert!(named.secrets().contains(&"sesame".to_owned()));
        // From then on it is a secret wherever it stands.
        assert_eq!(named.address("https://a.example/x-sesame-y"), None);
        assert_eq!(inputs(&[]).address("https://a.example/?token=sesame"), None);
        assert_eq!(inputs(&[]).address("https://ada:sesame@a.example/"), None);
    }
}
