//! The dashboard of people: its page, the links to it, and what it may call. It has a
//! listener of its own, which is open while somebody has a dashboard. The page is also in
//! extensions: that of a window is served over the pipe to its browser.

mod assets;
mod daemon_place;
mod extension;
mod http_service;
mod links;
mod listener;
mod page_files;
mod panel;
mod panel_bridge;
mod peer_process;
mod redeem;
mod views;

pub use daemon_place::DaemonPlace;
pub use extension::{ExtensionAsset, ExtensionKind, extension_files, extension_id};
pub use links::DashboardTerms;
pub use listener::{DashboardListener, DashboardParts, DashboardServices};
pub use page_files::{DashboardAsset, PageFiles};
pub use panel::PanelAccess;
pub use panel_bridge::PanelBridge;
pub use views::{OpenView, ViewSettings, Views};
