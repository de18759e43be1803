//! Reading a page: text, links, forms, media, what it says about itself, facts
//! about elements, and waiting for them.

pub mod at_point;
pub mod audit;
pub mod document_tokens;
pub mod element_state;
pub mod expect;
pub mod find;
pub mod forms;
pub mod locator;
pub mod markdown;
pub mod media;
pub mod outline;
pub(crate) mod page_reading;
pub mod perf;
pub mod secrets;
pub(crate) mod splice;
pub mod structured_data;
pub mod text;
mod text_layout;
pub mod wait;
