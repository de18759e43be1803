//! The file system of a confined program: an empty one, into which only what
//! it may see is bound, at the places where it is outside.

use std::ffi::{CString, OsStr};
use std::fs;
use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::os::unix::{ffi::OsStrExt as _, fs::symlink};
use std::path::{Path, PathBuf};

use nix::{
    libc,
    mount::{MntFlags, MsFlags, mount, umount2},
    unistd::pivot_root,
};

use super::{SCRATCH, SOCKET, io_context::with_context, profile};
use crate::skills::process_plan::ProcessPlan;

/// Where the new root is put together; what lies there is hidden meanwhile.
const MOUNT_BASE: &str = "/tmp";

/// Size of the root, which holds nothing but places to bind to.
const TMPFS_OPTIONS: &str = "size=4m,nr_inodes=4096,mode=755";

/// Devices that programs expect, and what stands for them. A shared mapping of
/// `/dev/zero` is memory that no process shows; `/dev/full` gives the same zeros and
/// cannot be mapped.
const DEVICES: [(&str, &str); 5] = [
    ("/dev/null", "/dev/null"),
    ("/dev/zero", "/dev/full"),
    ("/dev/full", "/dev/full"),
    ("/dev/random", "/dev/random"),
    ("/dev/urandom", "/dev/urandom"),
];

/// What may be done with something that is bound.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BindAccess {
    Read,
    Write,
    Device,
}

/// Builds the root of this process, which has a mount namespace of its own.
///
/// # Errors
/// The system refuses, or something that is needed is not there.
pub fn build(plan: &ProcessPlan, socket: Option<&Path>) -> io::Result<()> {
    let none: Option<&str> = None;
    with_context(
        "private mounts",
        to_io(mount(none, "/", none, MsFlags::MS_REC | MsFlags::MS_PRIVATE, none)),
    )?;
    // Taken before anything is hidden.
    let mut parts = Vec::new();
    let mut take = |from: &Path, to: &Path, usage: BindAccess| match clone_mount(from, usage) {
        Ok(mount) => {
            parts.push((mount, to.to_owned(), from.is_dir()));
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => with_context(&format!("`{}`", from.display()), Err(error)),
    };
    let mut links = Vec::new();
    for path in profile::system_paths(plan) {
        match fs::read_link(&path) {
            Ok(target) if target.is_relative() => links.push((path, target)),
            // One that this user cannot reach, as `/home` under ProtectHome of systemd, is left
            // out as one that is not there.
            _ => match take(&path, &path, BindAccess::Read) {
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
                taken => taken?,
            },
        }
    }
    for path in plan.readable.iter().chain([&plan.folder]) {
        take(path, path, BindAccess::Read)?;
    }
    for path in &plan.writable {
        take(path, path, BindAccess::Write)?;
    }
    for (path, device) in DEVICES {
        take(Path::new(device), Path::new(path), BindAccess::Device)?;
    }
    if let Some(socket) = socket {
        take(socket, Path::new(SOCKET), BindAccess::Read)?;
    }
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    with_context(
        "the root",
        to_io(mount(Some("root"), MOUNT_BASE, Some("tmpfs"), flags, Some(TMPFS_OPTIONS))),
    )?;
    for (path, target) in links {
        let place = in_new_root(&path);
        parent(&place)?;
        symlink(target, place)?;
    }
    // Scratch first: what is bound may lie below it.
    let scratch = in_new_root(Path::new(SCRATCH));
    fs::create_dir_all(&scratch)?;
    let size = format!("size={},nr_inodes=65536,mode=1777", plan.limits.scratch);
    with_context(
        "the scratch",
        to_io(mount(Some("scratch"), &scratch, Some("tmpfs"), flags, Some(size.as_str()))),
    )?;
    for (mount, path, is_folder) in parts {
        let place = in_new_root(&path);
        let attached =
            create_mount_point(&place, is_folder).and_then(|()| move_mount(&mount, &place));
        with_context(&format!("`{}`", path.display()), attached)?;
    }
    mount_proc();
    pivot()
}

/// What the program finds about processes: its own, in its own namespace.
/// Some runtimes look there; none must.
fn mount_proc() {
    let place = in_new_root(Path::new("/proc"));
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    if fs::create_dir_all(&place).is_ok() {
        let _ = mount(Some("proc"), &place, Some("proc"), flags, Some("subset=pid"));
    }
}

/// Makes the new root the root, and the old one unreachable.
fn pivot() -> io::Result<()> {
    nix::unistd::chdir(MOUNT_BASE)?;
    with_context("the new root", to_io(pivot_root(".", ".")))?;
    with_context("the old root", to_io(umount2(".", MntFlags::MNT_DETACH)))?;
    nix::unistd::chdir("/")?;
    let root = open_tree(Path::new("/"), 0)?;
    restrict(&root, libc::MOUNT_ATTR_RDONLY, 0)
}

/// A place to bind to.
fn create_mount_point(place: &Path, is_folder: bool) -> io::Result<()> {
    parent(place)?;
    match is_folder {
        true if !place.is_dir() => fs::create_dir(place),
        false if !place.exists() => fs::File::create(place).map(drop),
        _ => Ok(()),
    }
}

fn parent(place: &Path) -> io::Result<()> {
    place.parent().map_or(Ok(()), fs::create_dir_all)
}

/// The path under the root that is put together.
fn in_new_root(path: &Path) -> PathBuf {
    Path::new(MOUNT_BASE).join(path.strip_prefix("/").unwrap_or(path))
}

/// A copy of a mount that nothing is mounted on yet.
fn clone_mount(path: &Path, usage: BindAccess) -> io::Result<OwnedFd> {
    let mount = open_tree(path, libc::OPEN_TREE_CLONE | libc::AT_RECURSIVE as libc::c_uint)?;
    let attributes = match usage {
        BindAccess::Read => libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NODEV,
        BindAccess::Write => libc::MOUNT_ATTR_NODEV,
        BindAccess::Device => libc::MOUNT_ATTR_NOEXEC,
    };
    restrict(&mount, attributes | libc::MOUNT_ATTR_NOSUID, libc::AT_RECURSIVE)?;
    Ok(mount)
}

#[allow(unsafe_code)]
fn open_tree(path: &Path, flags: libc::c_uint) -> io::Result<OwnedFd> {
    let path = text(path.as_os_str())?;
    let flags = flags | libc::OPEN_TREE_CLOEXEC;
    // SAFETY: the path ends with a zero and outlives the call, whose answer is
    // a new descriptor.
    unsafe {
        let mount = libc::syscall(libc::SYS_open_tree, libc::AT_FDCWD, path.as_ptr(), flags);
        check(mount)?;
        Ok(OwnedFd::from_raw_fd(mount as i32))
    }
}

/// Takes rights from a mount, and from those below it.
#[allow(unsafe_code)]
fn restrict(mount: &OwnedFd, attributes: u64, depth: libc::c_int) -> io::Result<()> {
    let attributes =
        libc::mount_attr { attr_set: attributes, attr_clr: 0, propagation: 0, userns_fd: 0 };
    let flags = libc::AT_EMPTY_PATH | depth;
    // SAFETY: the structure is that of the call, of the size that is named.
    check(unsafe {
        let size = size_of::<libc::mount_attr>();
        let pointer = &raw const attributes;
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_raw_fd(),
            c"".as_ptr(),
            flags,
            pointer,
            size,
        )
    })
}

#[allow(unsafe_code)]
fn move_mount(mount: &OwnedFd, place: &Path) -> io::Result<()> {
    let place = text(place.as_os_str())?;
    let (from, to) = (mount.as_raw_fd(), libc::AT_FDCWD);
    let flags = libc::MOVE_MOUNT_F_EMPTY_PATH;
    // SAFETY: both paths end with a zero and outlive the call.
    check(unsafe {
        libc::syscall(libc::SYS_move_mount, from, c"".as_ptr(), to, place.as_ptr(), flags)
    })
}

fn text(path: &OsStr) -> io::Result<CString> {
    CString::new(path.as_bytes()).map_err(io::Error::other)
}

fn to_io(result: nix::Result<()>) -> io::Result<()> {
    result.map_err(Into::into)
}

fn check(result: libc::c_long) -> io::Result<()> {
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
