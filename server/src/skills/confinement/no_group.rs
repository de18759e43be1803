//! Systems without control groups.

/// There is none.
#[derive(Debug)]
pub enum ControlGroup {}

impl ControlGroup {
    /// Never.
    pub fn was_exceeded(&self) -> bool {
        match *self {}
    }
}
