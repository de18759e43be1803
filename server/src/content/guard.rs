//! Guards a response: cleans its page-derived fields and says whether it has
//! any, so that whoever prints it wraps it.

use browse_proto::{Page, PageDerived};

use super::clean;

/// How page-derived content is handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Cleaned and announced: what a model reads.
    Guarded,
    /// As the page has it: what a skill reads.
    Raw,
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
