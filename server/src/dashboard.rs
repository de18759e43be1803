//! The dashboard of people: its page, the links to it, and what it may call. It has a
//! listener of its own, which is open while somebody has a dashboard.

mod assets;
mod http_service;
mod links;
mod listener;
mod peer_process;
mod redeem;
mod views;

pub use links::DashboardTerms;
pub use listener::{DashboardListener, DashboardParts, DashboardServices};
pub use views::{OpenView, ViewSettings, Views};
