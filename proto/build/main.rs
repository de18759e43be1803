//! Compiles the contract: prost and tonic code, the static command registry,
//! the error reasons, and the visitors of page-derived fields and of what is sent.
//!
//! The build fails on a contract that does not hold together; `check` lists
//! the laws. Only this crate knows protox and prost-reflect.

mod check;
mod comments;
mod emit;
mod model;
mod options;
mod page_visitors;
mod sent_visitors;

use std::{env, error::Error, fs, path::PathBuf};

use prost::Message as _;
use prost_reflect::DescriptorPool;

const PROTO_FILES: &[&str] = &[
    "browse/v1/browser.proto",
    "browse/v1/daemon.proto",
    "browse/v1/skill.proto",
    "browse/v1/domain_skill.proto",
    "browse/v1/pair.proto",
    "browse/v1/dashboard.proto",
    "browse/v1/tunnel.proto",
    "browse/v1/errors.proto",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=browse");
    println!("cargo:rerun-if-changed=build");
    let out = PathBuf::from(env::var("OUT_DIR")?);

    let mut compiler = protox::Compiler::new(["."])?;
    compiler.include_imports(true).include_source_info(true);
    compiler.open_files(PROTO_FILES)?;
    let encoded = compiler.encode_file_descriptor_set();
    fs::write(out.join("descriptor.bin"), &encoded)?;

    let pool = DescriptorPool::decode(encoded.as_slice())?;
    let model = model::read_contract(&pool)?;
    check::check(&model).map_err(|faults| faults.join("\n"))?;
    fs::write(out.join("registry.rs"), emit::registry(&model))?;
    fs::write(out.join("reasons.rs"), emit::reasons(&model))?;
    fs::write(out.join("glue.rs"), emit::service_macros(&model))?;
    fs::write(out.join("page.rs"), page_visitors::visitors(&pool))?;
    fs::write(out.join("sent.rs"), sent_visitors::visitors(&model))?;

    if env::var_os("CARGO_FEATURE_MESSAGES").is_some() {
        let descriptors = prost_types::FileDescriptorSet::decode(encoded.as_slice())?;
        tonic_prost_build::configure()
            .build_client(env::var_os("CARGO_FEATURE_CLIENT").is_some())
            .build_server(env::var_os("CARGO_FEATURE_SERVER").is_some())
            .build_transport(false)
            .disable_comments(["."])
            .compile_fds(descriptors)?;
    }
    Ok(())
}
