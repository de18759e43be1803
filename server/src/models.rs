//! The classifiers that the user adds to the one that is built in: one from a
//! folder, run by a program of its own, and a language model behind an address.

mod install;
mod llm_judge;
mod model_registry;
mod onnx_classifier;
mod onnx_config;
mod onnx_process;
mod onnx_worker;
mod wheel;

pub use install::{InstalledModel, install};
pub use llm_judge::{LlmApi, LlmApiKey, LlmJudge, LlmSettings, LlmStatus};
pub use model_registry::DEFAULT_MODEL;
pub use onnx_classifier::{OnnxClassifier, OnnxState, OnnxStatus};
pub use onnx_config::{ModelSettings, OnnxConfig};
