//! Guards a response: cleans its page-derived fields and says whether it has
//! any, so that whoever prints it wraps it.

use browse_proto::{Page, PageDerived, render::Untrusted};

use browse_guard::clean;

/// How page-derived content is handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Cleaned and announced: what a model reads.
    Guarded,
    /// As the page has it: what a skill reads.
    Raw,
}

/// Page text of several lines that stands in words of ours, such as an error:
/// cleaned, and in an envelope of its own.
pub fn envelope(text: &str, source: &str, delivery: Delivery) -> String {
    match delivery {
        Delivery::Raw => text.to_owned(),
        Delivery::Guarded => {
            Untrusted { nonce: nonce(), source: source.to_owned() }.wrap(&clean(text))
        }
    }
}

/// Random, so that no page can write the end of an envelope.
pub fn nonce() -> String {
    format!("{:06x}", rand::random::<u32>() & 0x00ff_ffff)
}

/// Cleans the page-derived fields of `response` and tells whether it has any
/// that is not empty.
pub fn guard(response: &mut dyn PageDerived, delivery: Delivery) -> bool {
    let mut found = false;
    response.visit_page(&mut |page| match page {
        Page::Text(text) => {
            found |= !text.is_empty();
            if delivery == Delivery::Guarded
                && let std::borrow::Cow::Owned(cleaned) = clean(text)
            {
                *text = cleaned;
            }
        }
        Page::Bytes(_) => {}
    });
    found
}
