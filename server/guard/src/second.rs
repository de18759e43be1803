//! The classifier from a folder: what the daemon and the program that runs it
//! have to agree on. What the files of a folder mean, how a long text is cut,
//! and what the two say to each other.

mod description;
mod folder;
mod labels;
mod talk;
mod windows;

pub use description::{Description, Head, Problem};
pub use folder::{Folder, name};
pub use talk::{Ask, Begun, LONGEST_ANSWER, LONGEST_ASK, Ready, Said, frame, length};
pub use windows::{Piece, pieces};

/// Where a folder may hold its model; the first that is there counts.
pub const MODELS: [&str; 4] =
    ["model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx"];

/// Where it may hold its tokenizer.
pub const TOKENIZERS: [&str; 2] = ["tokenizer.json", "onnx/tokenizer.json"];

/// What the model is: its labels and how long a text it takes.
pub const CONFIG: &str = "config.json";

/// How its tokenizer is set; it may be missing.
pub const TOKENIZER_CONFIG: &str = "tokenizer_config.json";

/// How one of `stackone-defender` is calibrated; others have none.
pub const CALIBRATION: &str = "classifier_config.json";

/// The runtime as `browse security install-model` calls it.
pub const RUNTIME: &str =
    if cfg!(target_os = "macos") { "libonnxruntime.dylib" } else { "libonnxruntime.so" };
