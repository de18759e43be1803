//! Reading a page: text, links, facts about elements, and waiting for them.

pub mod expect;
pub mod facts;
pub mod find;
pub mod perf;
pub mod text;
pub mod wait;
