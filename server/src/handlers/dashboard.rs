//! The handlers of DashboardService: what people watch and take over.

mod control;
mod extension;
mod held_input;
mod input;
mod open;
mod overview;
mod page;
mod talk;
mod terminal;
mod view;
mod view_stream;

pub use control::{
    continue_agents, end_if_holder_is_gone, pause_agents, release_control, take_control,
};
pub use extension::save_extension;
pub use input::send_input;
pub use open::{close_dashboards, open_dashboard};
pub use overview::overview;
pub use page::get_dashboard_page;
pub use talk::{answer_question, read_talk, write_note};
pub use terminal::{offer_terminal, open_terminal, write_terminal};
pub use view::{update_view, view_tabs};
