//! The rules on what may leave, as a table: a pure function.

/// How something is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EgressChannel {
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
pub enum DestinationKind {
    /// A page of another site named it before the caller went there, or it is
    /// what a form sends to.
    NamedByPage,
    /// Nobody has opened it yet.
    Unvisited,
    /// It named the site that the text comes from.
    ReturnsToSource,
    /// The caller chose it.
    ChosenByCaller,
}

/// What goes there, as far as it was read somewhere else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaintedPayload {
    /// Letters and digits in runs of 12 and more. Of a run up to 8 at its ends
    /// may be missed, depending on the key.
    pub tainted_chars: usize,
    /// The same of all acts so far, towards this site.
    pub total_chars: usize,
    /// A code or number: see `codes`.
    pub has_code: bool,
    /// An account, a card, a key or an address of e-mail.
    pub has_sensitive_code: bool,
    /// A cookie's value, or what has the shape of a secret.
    pub has_secret: bool,
}

/// Which rule stops it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EgressRule {
    /// Secrets stay where they are.
    Secret,
    /// A page does not say where its reader's text goes.
    Steered,
    /// Nothing of weight goes to a site that nobody has looked at.
    Blind,
    /// Much text stays where it was read.
    Bulk,
}

impl EgressRule {
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
const MIN_BULK_FLOW_CHARS: usize = 160;

/// Text of all acts towards one site that is much.
const MIN_BULK_TOTAL_CHARS: usize = 600;

/// Text that counts where a page named the place: some four words in an
/// address, and seven in a field, so that a name or a short title may pass.
/// What is sent is stopped for certain from 8 letters more.
const MIN_STEERED_CHARS: usize = 16;
const MIN_STEERED_FIELD_CHARS: usize = 28;

/// Text that counts towards a site that nobody has looked at: more than a title.
const MIN_BLIND_CHARS: usize = 100;

/// The rule that stops the act, if one does.
pub fn violated_rule(
    channel: EgressChannel,
    place: DestinationKind,
    cargo: TaintedPayload,
) -> Option<EgressRule> {
    let blind = matches!(channel, EgressChannel::Address | EgressChannel::Request);
    let steered = if blind { MIN_STEERED_CHARS } else { MIN_STEERED_FIELD_CHARS };
    let weighty = cargo.tainted_chars >= MIN_BLIND_CHARS || cargo.has_sensitive_code;
    match place {
        _ if cargo.has_secret => Some(EgressRule::Secret),
        DestinationKind::NamedByPage
            if cargo.tainted_chars >= steered || cargo.has_code || cargo.has_sensitive_code =>
        {
            Some(EgressRule::Steered)
        }
        DestinationKind::Unvisited if blind && weighty => Some(EgressRule::Blind),
        DestinationKind::ReturnsToSource if weighty => Some(EgressRule::Steered),
        _ if cargo.tainted_chars >= MIN_BULK_FLOW_CHARS
            || cargo.tainted_chars >= MIN_STEERED_CHARS
                && cargo.total_chars >= MIN_BULK_TOTAL_CHARS =>
        {
            Some(EgressRule::Bulk)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table() {
        use DestinationKind::{ChosenByCaller, NamedByPage, ReturnsToSource, Unvisited};
        use EgressChannel::{Address, Field, File, Request};
        let text = |text| TaintedPayload {
            tainted_chars: text,
            total_chars: text,
            ..TaintedPayload::default()
        };
        let code = TaintedPayload { has_code: true, ..text(12) };
        let strong = TaintedPayload { has_sensitive_code: true, ..code };
        let secret = TaintedPayload { has_secret: true, ..TaintedPayload::default() };
        let (secret_rule, steered) = (Some(EgressRule::Secret), Some(EgressRule::Steered));
        let (blind, bulk) = (Some(EgressRule::Blind), Some(EgressRule::Bulk));
        for (channel, place, cargo, expected) in [
            (Field, ChosenByCaller, text(100), None),
            (Field, ChosenByCaller, code, None),
            (Field, ChosenByCaller, strong, None),
            (Field, ChosenByCaller, text(160), bulk),
            (Field, ChosenByCaller, TaintedPayload { total_chars: 600, ..text(20) }, bulk),
            (Field, ChosenByCaller, TaintedPayload { total_chars: 600, ..text(12) }, None),
            (Field, ChosenByCaller, secret, secret_rule),
            (Address, ChosenByCaller, text(100), None),
            (Address, ChosenByCaller, strong, None),
            (Address, Unvisited, text(99), None),
            (Address, Unvisited, code, None),
            (Address, Unvisited, text(100), blind),
            (Request, Unvisited, strong, blind),
            (Address, NamedByPage, text(16), steered),
            (Address, NamedByPage, text(15), None),
            (Field, NamedByPage, text(27), None),
            (Field, NamedByPage, text(28), steered),
            (File, NamedByPage, code, steered),
            (Field, ReturnsToSource, code, None),
            (Field, ReturnsToSource, strong, steered),
            (File, ChosenByCaller, text(5_000), bulk),
            (Address, NamedByPage, TaintedPayload::default(), None),
        ] {
            assert_eq!(
                violated_rule(channel, place, cargo),
                expected,
                "{channel:?} {place:?} {cargo:?}"
            );
        }
    }
}
