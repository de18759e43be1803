//! Writes the Rust façade.
use crate::Result;
use std::path::Path;

pub fn vendored(_root: &Path) -> Result<Vec<(&'static str, String)>> {
    Ok(vec![])
}
