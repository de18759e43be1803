//! Visits the fields of a request that leave the browser, so that one guard can look at
//! them all.

use crate::{Sends, v1};

/// A value of a request that leaves.
#[derive(Clone, Copy, Debug)]
pub enum SentValue<'a> {
    /// Text.
    Text(&'a str),
    /// Bytes.
    Bytes(&'a [u8]),
    /// The number of an enum value.
    Number(i32),
    /// A file.
    File {
        /// Its name, without folders.
        name: &'a str,
        /// Its bytes.
        content: &'a [u8],
    },
}

/// A request whose values that leave can be visited. The implementations are generated
/// from the `(sends)` option of the proto files.
pub trait SentData {
    /// Calls `visit` for every value that leaves, in field order.
    fn visit_sent(&self, visit: &mut dyn FnMut(Sends, SentValue<'_>));
}

include!(concat!(env!("OUT_DIR"), "/sent.rs"));
