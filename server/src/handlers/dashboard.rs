//! The handlers of DashboardService: what people watch and take over.

mod control;
mod held_input;
mod input;
mod open;
mod overview;
mod view;
mod view_stream;

pub use control::{release_control, take_control};
pub use input::send_input;
pub use open::{close_dashboards, open_dashboard};
pub use overview::overview;
pub use view::{update_view, view_tabs};
