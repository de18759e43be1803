//! The handlers of all services: one free function for each RPC, named like it.

mod boxed;
mod services;

mod service_impls;
mod steps;

pub mod browser;
pub mod control;
pub mod dashboard;
pub mod notes;
pub mod pairing;
pub mod skills;
pub mod tunnel;

pub use services::routes;
