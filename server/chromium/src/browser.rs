//! One browser: its contexts, its pages, its life.

pub(crate) mod blank_tab;
#[expect(clippy::module_inception, reason = "the module's main type has the module's name")]
pub(crate) mod browser;
pub(crate) mod client;
pub(crate) mod clipboard;
pub(crate) mod context;
pub(crate) mod downloads;
pub(crate) mod hidden_page;
pub(crate) mod options;
pub(crate) mod panel_documents;
pub(crate) mod policy;
pub(crate) mod queries;
pub(crate) mod registry;
pub(crate) mod side_panel;
pub(crate) mod spare;
pub(crate) mod start;
mod targets;
pub(crate) mod trace;
pub(crate) mod windows;
