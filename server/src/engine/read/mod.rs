//! Reading a page: text, links, forms, media, what it says about itself, facts
//! about elements, and waiting for them.

pub mod audit;
pub mod data;
pub mod expect;
pub mod facts;
pub mod find;
pub mod footing;
pub mod forms;
mod layout;
pub mod markdown;
pub mod media;
pub mod outline;
pub mod perf;
pub mod secrets;
pub(crate) mod splice;
pub mod text;
pub(crate) mod unseen;
pub mod wait;
