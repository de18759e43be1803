//! Parameters of methods that have none.

use serde::ser::{Serialize, SerializeMap, Serializer};

/// Serialises as `{}`.
pub(crate) struct NoParams;

impl Serialize for NoParams {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_map(Some(0))?.end()
    }
}
