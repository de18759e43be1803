//! One tab's engine: its script, its state, and the way to a frame.

pub mod deadline;
mod deep_serialization;
pub mod engine;
pub mod ref_numbers;
pub mod script;

mod blank_frame;
pub(crate) mod closed_shadow_roots;
pub(crate) mod cross_origin_sheets;
pub(crate) mod fan_out;
pub(crate) mod frame_owners;
pub(crate) mod listeners;
pub(crate) mod navigation_retry;
mod preinject;
pub(crate) mod prerequisites;
pub(crate) mod ref_assignment;
pub(crate) mod ref_table;
pub(crate) mod refusal;
pub(crate) mod script_call;
pub(crate) mod selected_frame;
mod shadow_slots;
pub(crate) mod side_effects;
mod visibility_cache;
