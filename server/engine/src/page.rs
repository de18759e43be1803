//! One tab's engine: its script, its state, and the way to a frame.

pub mod deadline;
mod deep_serialization;
pub mod engine;
pub mod fact;
pub mod hidden_parts;
pub mod rect;
pub mod ref_numbers;
pub mod script;

mod blank_frame;
pub(crate) mod click_guard;
pub(crate) mod closed_shadow_roots;
pub(crate) mod coordinates;
pub(crate) mod fan_out;
pub(crate) mod frame_owners;
pub(crate) mod listeners;
pub(crate) mod navigation_retry;
mod preinject;
pub(crate) mod ref_assignment;
pub(crate) mod ref_table;
pub(crate) mod refusal;
pub(crate) mod script_call;
pub(crate) mod selected_frame;
pub(crate) mod side_effects;
pub(crate) mod snapshot_history;
pub(crate) mod style_history;
