//! The classifiers that the user adds to the one that is built in: one from a
//! folder, run by a program of its own, and a language model behind an address.

mod install;
mod model_registry;
mod onnx_classifier;
mod onnx_config;
mod onnx_process;
mod onnx_shared;
mod onnx_worker;
mod wheel;

pub use install::{InstalledModel, install};
pub use model_registry::DEFAULT_MODEL;
pub use onnx_classifier::{OnnxClassifier, OnnxStatus};
pub use onnx_config::{ModelSettings, OnnxConfig};
pub use onnx_shared::OnnxState;
