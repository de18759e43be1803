//! The classifier from a folder: what the daemon and the program that runs it
//! have to agree on. What the files of a folder mean, how a long text is cut,
//! and what the two say to each other.

mod labels;
mod model_description;
mod model_folder;
mod overlapping_pieces;
mod protocol;

pub use model_description::{ModelDescription, ModelFileError, ScoreHead};
pub use model_folder::{ModelFolder, file_name};
pub use overlapping_pieces::{OverlappingPiece, split_text};
pub use protocol::{
    LoadedModel, MAX_REQUEST_BYTES, MAX_RESPONSE_BYTES, ScoreRequest, ScoreResponse,
    StartupMessage, encode_frame, frame_length,
};

/// Where a folder may hold its model; the first that is there counts.
pub const MODEL_FILES: [&str; 4] =
    ["model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx"];

/// Where it may hold its tokenizer.
pub const TOKENIZER_FILES: [&str; 2] = ["tokenizer.json", "onnx/tokenizer.json"];

/// What the model is: its labels and how long a text it takes.
pub const CONFIG_FILE: &str = "config.json";

/// How its tokenizer is set; it may be missing.
pub const TOKENIZER_CONFIG_FILE: &str = "tokenizer_config.json";

/// How one of `stackone-defender` is calibrated; others have none.
pub const CALIBRATION_FILE: &str = "classifier_config.json";

/// The runtime as `browse security install-model` calls it.
pub const RUNTIME_FILE: &str =
    if cfg!(target_os = "macos") { "libonnxruntime.dylib" } else { "libonnxruntime.so" };
