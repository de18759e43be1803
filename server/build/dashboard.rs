//! Builds in the page of the dashboard, where `npm run build` in `server/dashboard` has made
//! it. A build without it works; `browse dashboard` then says what is missing.

use std::{env, fmt::Write as _, fs, io, path::Path};

/// The files, with their media types.
const FILES: [(&str, &str); 4] = [
    ("index.html", "text/html; charset=utf-8"),
    ("app.js", "text/javascript; charset=utf-8"),
    ("app.css", "text/css; charset=utf-8"),
    ("terminal.js", "text/javascript; charset=utf-8"),
];

/// Writes the list of files for `src/dashboard/assets.rs`.
pub fn write() -> io::Result<()> {
    let built = Path::new("dashboard/dist");
    // Always there, so that cargo also notices the first page that is made.
    println!("cargo::rerun-if-changed=dashboard/dist");
    let mut list = String::from("&[");
    if FILES.iter().all(|(name, _)| built.join(name).is_file()) {
        for (name, kind) in FILES {
            let path = fs::canonicalize(built.join(name))?;
            let _ = write!(list, "({name:?}, {kind:?}, include_bytes!({path:?}).as_slice()),");
        }
    }
    list.push(']');
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("no OUT_DIR"))?;
    fs::write(Path::new(&out).join("dashboard.rs"), list)
}
