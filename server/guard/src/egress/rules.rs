//! The rules on what may leave, as a table: a pure function.

/// How something is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// In an address that is opened or downloaded: nobody sees what it carries.
    Address,
    /// In a request of the daemon: `fetch`.
    Request,
    /// Into a field of a page that is open.
    Field,
    /// In a file that is given to a page.
    File,
}

/// What is known of the site that it goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A page of another site named it before the caller went there, or it is
    /// what a form sends to.
    Named,
    /// Nobody has opened it yet.
    New,
    /// It named the site that the text comes from.
    Back,
    /// The caller chose it.
    Chosen,
}

/// What goes there, as far as it was read elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cargo {
    /// Letters and digits in runs of 12 and more. Of a run up to 8 at its ends
    /// may be missed, depending on the key.
    pub text: usize,
    /// The same of all acts so far, towards this site.
    pub total: usize,
    /// A code or number: see `codes`.
    pub code: bool,
    /// An account, a card, a key or an address of e-mail.
    pub strong: bool,
    /// A cookie's value, or what has the shape of a secret.
    pub secret: bool,
}

/// Which rule stops it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Secrets stay where they are.
    Secret,
    /// A page does not say where its reader's text goes.
    Steered,
    /// Nothing of weight goes to a site that nobody has looked at.
    Blind,
    /// Much text stays where it was read.
    Bulk,
}

impl Rule {
    /// Its name in messages and docs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Secret => "secret",
            Self::Steered => "steered",
            Self::Blind => "blind",
            Self::Bulk => "bulk",
        }
    }
}

/// Text of one act that is much: some 35 words.
const BULK: usize = 160;

/// Text of all acts towards one site that is much.
const TOTAL: usize = 600;

/// Text that counts where a page named the place: some four words in an
/// address, and seven in a field, so that a name or a short title may pass.
/// What is sent is stopped for certain from 8 letters more.
const STEERED: usize = 16;
const STEERED_FIELD: usize = 28;

/// Text that counts towards a site that nobody has looked at: more than a title.
const BLIND: usize = 100;

/// The rule that stops the act, if one does.
pub fn judge(channel: Channel, place: Place, cargo: Cargo) -> Option<Rule> {
    let blind = matches!(channel, Channel::Address | Channel::Request);
    let steered = if blind { STEERED } else { STEERED_FIELD };
    let weighty = cargo.text >= BLIND || cargo.strong;
    match place {
        _ if cargo.secret => Some(Rule::Secret),
        Place::Named if cargo.text >= steered || cargo.code || cargo.strong => Some(Rule::Steered),
        Place::New if blind && weighty => Some(Rule::Blind),
        Place::Back if weighty => Some(Rule::Steered),
        _ if cargo.text >= BULK || cargo.text >= STEERED && cargo.total >= TOTAL => {
            Some(Rule::Bulk)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table() {
        use Channel::{Address, Field, File, Request};
        use Place::{Back, Chosen, Named, New};
        let text = |text| Cargo { text, total: text, ..Cargo::default() };
        let code = Cargo { code: true, ..text(12) };
        let strong = Cargo { strong: true, ..code };
        let secret = Cargo { secret: true, ..Cargo::default() };
        let (secret_rule, steered) = (Some(Rule::Secret), Some(Rule::Steered));
        let (blind, bulk) = (Some(Rule::Blind), Some(Rule::Bulk));
        for (channel, place, cargo, expected) in [
            (Field, Chosen, text(100), None),
            (Field, Chosen, code, None),
            (Field, Chosen, strong, None),
            (Field, Chosen, text(160), bulk),
            (Field, Chosen, Cargo { total: 600, ..text(20) }, bulk),
            (Field, Chosen, Cargo { total: 600, ..text(12) }, None),
            (Field, Chosen, secret, secret_rule),
            (Address, Chosen, text(100), None),
            (Address, Chosen, strong, None),
            (Address, New, text(99), None),
            (Address, New, code, None),
            (Address, New, text(100), blind),
            (Request, New, strong, blind),
            (Address, Named, text(16), steered),
            (Address, Named, text(15), None),
            (Field, Named, text(27), None),
            (Field, Named, text(28), steered),
            (File, Named, code, steered),
            (Field, Back, code, None),
            (Field, Back, strong, steered),
            (File, Chosen, text(5_000), bulk),
            (Address, Named, Cargo::default(), None),
        ] {
            assert_eq!(judge(channel, place, cargo), expected, "{channel:?} {place:?} {cargo:?}");
        }
    }
}
