//! Visits the fields that a page filled, so that one guard can treat them all.

use crate::v1;

/// A page-derived value of a response.
#[derive(Debug)]
pub enum PageValue<'a> {
    /// Text, to be cleaned in place.
    Text(&'a mut String),
    /// An address, which stays as it is: what it says in words is to be looked at.
    Address(&'a mut String),
    /// Bytes such as an image, which cannot be cleaned.
    Bytes(&'a mut Vec<u8>),
}

/// A message whose page-derived fields can be visited. The implementations are
/// generated from the `(page)` option of the proto files.
pub trait PageDerived {
    /// Calls `visit` for every page-derived value, in field order.
    fn visit_page(&mut self, visit: &mut dyn FnMut(PageValue<'_>));

    /// Where a message of a stream without end says what its reader is warned of;
    /// other streams say it at their end. It is the field `warnings`.
    fn warnings(&mut self) -> Option<&mut Vec<String>> {
        None
    }
}

include!(concat!(env!("OUT_DIR"), "/page.rs"));
