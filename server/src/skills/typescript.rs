//! Turns TypeScript into the JavaScript that every runtime runs, by blanking
//! out what is only type: lines and columns stay, so that a trace points at
//! the source. What would need code in its place (enums, namespaces with
//! values, parameter properties) is refused with its line.

mod cache;
mod erase;
mod eraser;
mod source_buffer;
#[cfg(test)]
mod tests;

pub use cache::{translate, translate_all};
use erase::erase;
