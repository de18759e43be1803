//! The arguments of a recorded skill: inputs that the caller names, and secrets
//! that nobody needs to name.

use std::collections::BTreeMap;

use browse_proto::Reason;
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use browse_base::{Error, Result};
use browse_engine::Target;

/// A text that was typed and must not be kept: the recording knows it by this
/// number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretRef {
    /// Place among the secrets of the recording.
    pub index: usize,
    /// What it is: `password`, `code`, `card` or `secret`.
    pub kind: &'static str,
}

/// A part of a text of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextPiece {
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
pub struct SkillInput {
    /// Its name.
    pub name: String,
    /// What it was; none for a secret.
    pub default: Option<String>,
    /// What it was, also for a secret; empty when that is not known.
    value: String,
    used: bool,
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub struct SkillInputs {
    /// In the order in which they were named, secrets behind.
    pub all: Vec<SkillInput>,
    secrets: Vec<String>,
    /// How many of the secrets the recording has: the others were named by the caller.
    recorded: usize,
    /// The arguments for secrets that the recording does not have any more, by their numbers.
    forgotten: BTreeMap<usize, String>,
}

impl SkillInputs {
    /// Reads `name=value` words; `secrets` are those of the recording.
    ///
    /// # Errors
    /// `SKILL_RECORDING_ARGUMENT`.
    pub fn parse(words: &[String], secrets: Vec<String>) -> Result<Self> {
        let mut all: Vec<SkillInput> = Vec::new();
        for word in words {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            if !is_argument_name(name) || value.is_empty() {
                let message = "`--arg` is not of the form name=value, with letters, digits, `-` and `_` for the name";
                return Err(Error::new(Reason::SkillRecordingArgument, message));
            }
            if all.iter().any(|input| input.name == name || input.value == value) {
                let message = format!("the argument `{name}` or its value is given twice");
                return Err(Error::new(Reason::SkillRecordingArgument, message));
            }
            let secret =
                secrets.iter().any(|secret| secret == value) || !is_secret_free(value, &[]);
            let default = (!secret).then(|| value.to_owned());
            all.push(SkillInput {
                name: name.to_owned(),
                default,
                value: value.to_owned(),
                used: false,
            });
        }
        let named = all.iter().filter(|input| input.default.is_none()).map(|i| i.value.clone());
        let recorded = secrets.len();
        let secrets = secrets.iter().cloned().chain(named).collect();
        Ok(Self { all, secrets, recorded, forgotten: BTreeMap::new() })
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
    pub fn secret_argument(&mut self, secret: &SecretRef) -> String {
        if secret.index >= self.recorded {
            return self.forgotten_argument(secret);
        }
        let value = self.secrets.get(secret.index).cloned().unwrap_or_default();
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
        self.all.push(SkillInput { name: name.clone(), default: None, value, used: true });
        name
    }

    /// The argument that stands for a secret which is not known any more. The caller may give
    /// the value of one that has the name of its kind.
    fn forgotten_argument(&mut self, secret: &SecretRef) -> String {
        if let Some(known) = self.forgotten.get(&secret.index) {
            return known.clone();
        }
        let mut name = secret.kind.to_owned();
        for number in 2.. {
            if !self.forgotten.values().any(|known| *known == name) {
                break;
            }
            name = format!("{}{number}", secret.kind);
        }
        self.forgotten.insert(secret.index, name.clone());
        match self.all.iter_mut().find(|input| input.name == name) {
            Some(given) => {
                given.used = true;
                self.mark_secret(&name);
            }
            None => {
                let input = SkillInput {
                    name: name.clone(),
                    default: None,
                    value: String::new(),
                    used: true,
                };
                self.all.push(input);
            }
        }
        name
    }

    /// Arguments whose value is not known.
    pub fn missing_values(&self) -> Vec<&str> {
        let missing = self.all.iter().filter(|input| input.value.is_empty());
        missing.map(|input| input.name.as_str()).collect()
    }

    /// A text that was typed or chosen. None for a secret that nobody named.
    pub fn text_pieces(&mut self, text: &str) -> Option<Vec<TextPiece>> {
        if let Some(name) = self.matching_input(text) {
            return Some(vec![TextPiece::Argument(name)]);
        }
        self.literal_pieces(text)
    }

    /// A selector, whose quoted name may be an argument.
    pub fn selector_pieces(&mut self, text: &str) -> Option<Vec<TextPiece>> {
        let name =
            text.parse::<Target>().ok().and_then(|target| target.sought_text().map(str::to_owned));
        if let Some(argument) = name.and_then(|name| self.matching_input(&name)) {
            let (before, after) = match (text.find("[name="), text.split_once('=')) {
                (Some(at), _) => (&text[..at + "[name=".len()], "]"),
                (None, Some((kind, _))) => (&text[..kind.len() + 1], ""),
                (None, None) => return self.literal_pieces(text),
            };
            let literal = |text: &str| TextPiece::Literal(text.to_owned());
            let mut pieces = vec![literal(before), TextPiece::Quoted(argument)];
            pieces.extend((!after.is_empty()).then(|| literal(after)));
            return Some(pieces);
        }
        self.literal_pieces(text)
    }

    /// An address, whose segments and values of parameters may be arguments.
    pub fn url_pieces(&mut self, url: &str) -> Option<Vec<TextPiece>> {
        if url::Url::parse(url).is_ok_and(|url| url.password().is_some()) {
            return None;
        }
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let shown = browse_secrets::redact(url).into_owned();
        for part in url.split_inclusive(['/', '?', '&', '=', '#']) {
            let bare = part.trim_end_matches(['/', '?', '&', '=', '#']);
            let text = percent_decode_str(&bare.replace('+', " ")).decode_utf8_lossy().into_owned();
            match self.matching_input(&text).filter(|_| !bare.is_empty()) {
                Some(name) => {
                    // What stands where secrets stand is one, whatever it looks like.
                    if !shown.contains(bare) {
                        self.mark_secret(&name);
                    }
                    pieces.push(TextPiece::Literal(std::mem::take(&mut plain)));
                    pieces.push(TextPiece::Encoded(name));
                    plain.push_str(&part[bare.len()..]);
                }
                None => plain.push_str(part),
            }
        }
        pieces.push(TextPiece::Literal(plain));
        pieces.retain(|piece| *piece != TextPiece::Literal(String::new()));
        let secrets = self.secrets();
        let clean = |piece: &TextPiece| !matches!(piece, TextPiece::Literal(text) if !is_secret_free(text, &secrets));
        pieces.iter().all(clean).then_some(pieces)
    }

    /// The text that pieces come to with the values of the recording.
    pub fn expand(&self, pieces: &[TextPiece]) -> String {
        let value = |name: &str| {
            let input = self.all.iter().find(|input| input.name == name);
            input.map_or("", |input| input.value.as_str())
        };
        let part = |piece: &TextPiece| match piece {
            TextPiece::Literal(text) => text.clone(),
            TextPiece::Argument(name) => value(name).to_owned(),
            TextPiece::Encoded(name) => {
                utf8_percent_encode(value(name), NON_ALPHANUMERIC).to_string()
            }
            TextPiece::Quoted(name) => serde_json::Value::from(value(name)).to_string(),
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
    fn mark_secret(&mut self, name: &str) {
        if let Some(input) = self.all.iter_mut().find(|input| input.name == name) {
            input.default = None;
            self.secrets.push(input.value.clone());
        }
    }

    fn literal_pieces(&self, text: &str) -> Option<Vec<TextPiece>> {
        is_secret_free(text, &self.secrets()).then(|| vec![TextPiece::Literal(text.to_owned())])
    }

    fn matching_input(&mut self, text: &str) -> Option<String> {
        let is_it = |input: &&mut SkillInput| input.value == text && !text.is_empty();
        let input = self.all.iter_mut().find(is_it)?;
        input.used = true;
        Some(input.name.clone())
    }
}

/// Whether `text` may stand in a file of the skill. One of which a secret was taken out is not the
/// text any more.
pub fn is_secret_free(text: &str, secrets: &[String]) -> bool {
    browse_secrets::redact(text) == text
        && !text.contains(browse_secrets::REDACTED)
        && !secrets.iter().any(|secret| browse_secrets::contains_secret(text, secret))
}

fn is_argument_name(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && name.len() <= 64
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter))
}

#[cfg(test)]
mod tests {
    use super::{SecretRef, SkillInputs, TextPiece};

    fn inputs(words: &[&str]) -> SkillInputs {
        let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
        SkillInputs::parse(&words, Vec::new()).expect("they are good")
    }

    #[test]
    fn a_named_part_of_an_address_is_an_argument() {
        let mut inputs = inputs(&["query=blue lamp"]);
        let pieces =
            inputs.url_pieces("https://a.example/find?q=blue+lamp#top").expect("it is plain");
        let literal = |text: &str| TextPiece::Literal(text.to_owned());
        let wanted = [
            literal("https://a.example/find?q="),
            TextPiece::Encoded("query".to_owned()),
            literal("#top"),
        ];
        assert_eq!(pieces, wanted);
        assert_eq!(inputs.all[0].default.as_deref(), Some("blue lamp"));
        assert!(inputs.check_used().is_ok());
    }

    #[test]
    fn a_secret_that_is_not_known_any_more_is_given_by_its_name() {
        let mut inputs = inputs(&["query=lamp", "password2=sesame"]);
        let secret = |index: usize| SecretRef { index, kind: "password" };
        let names = [3, 7, 3].map(|index| inputs.secret_argument(&secret(index)));
        assert_eq!(names, ["password", "password2", "password"]);
        assert_eq!(inputs.missing_values(), ["password"]);
        assert_eq!(inputs.expand(&[TextPiece::Argument("password2".to_owned())]), "sesame");
        assert!(inputs.secrets().contains(&"sesame".to_owned()), "it is a secret now");
        assert_eq!(inputs.text_pieces(""), Some(vec![TextPiece::Literal(String::new())]));
        assert_eq!(inputs.text_pieces("of [redacted]"), None);
    }

    #[test]
    fn what_stands_where_secrets_stand_is_kept_nowhere() {
        let mut named = inputs(&["who=sesame"]);
        let pieces = named.url_pieces("https://a.example/?token=sesame&a=1").expect("it is named");
        assert_eq!(pieces[1], TextPiece::Encoded("who".to_owned()));
        assert_eq!(named.all[0].default, None, "each run has to give it");
        assert!(named.secrets().contains(&"sesame".to_owned()));
        // From then on it is a secret wherever it stands.
        assert_eq!(named.url_pieces("https://a.example/x-sesame-y"), None);
        assert_eq!(inputs(&[]).url_pieces("https://a.example/?token=sesame"), None);
        assert_eq!(inputs(&[]).url_pieces("https://ada:sesame@a.example/"), None);
    }
}
