//! A pseudo-terminal, as its daemon has it.

use std::{io, os::fd::OwnedFd};

use browse_base::{Error, Result};
use browse_proto::Reason;
use rustix::{
    fs::{Mode, OFlags},
    io::{Errno, FdFlags, fcntl_setfd, ioctl_fionbio, retry_on_intr},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{Winsize, tcsetwinsize},
};
use tokio::{
    io::{Interest, unix::AsyncFd},
    sync::Mutex,
};

/// Bytes that are read at a time.
const READ_BYTES: usize = 16 << 10;

/// The largest number of columns and of rows.
const MAX_CELLS: u16 = 1000;

/// The fewest columns: a wide character has two.
const MIN_COLUMNS: u16 = 2;

/// How the device is opened. Another process that is started meanwhile must not get it, and only
/// Linux opens it so in one step.
#[cfg(target_os = "linux")]
const OPEN_FLAGS: OpenptFlags =
    OpenptFlags::RDWR.union(OpenptFlags::NOCTTY).union(OpenptFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const OPEN_FLAGS: OpenptFlags = OpenptFlags::RDWR.union(OpenptFlags::NOCTTY);

/// How large a terminal is, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalSize {
    columns: u16,
    rows: u16,
}

/// A pseudo-terminal. The programs in it get a hangup when this is dropped.
#[derive(Debug)]
pub struct Pty {
    device: AsyncFd<OwnedFd>,
    /// Held by a writer, so that two do not mix.
    writing: Mutex<()>,
}

impl Default for TerminalSize {
    fn default() -> Self {
        Self { columns: 80, rows: 24 }
    }
}

impl TerminalSize {
    /// The size of a request; none when it names none.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID`: it is out of range, or one number of the two.
    pub fn from_request(columns: Option<u32>, rows: Option<u32>) -> Result<Option<Self>> {
        let (columns, rows) = match (columns, rows) {
            (None, None) => return Ok(None),
            (Some(columns), Some(rows)) => (columns, rows),
            _ => return Err(invalid("a size has columns and rows".to_owned())),
        };
        let within = |number: u32, least: u16| {
            let number = u16::try_from(number).ok();
            number.filter(|number| (least..=MAX_CELLS).contains(number))
        };
        match (within(columns, MIN_COLUMNS), within(rows, 1)) {
            (Some(columns), Some(rows)) => Ok(Some(Self { columns, rows })),
            _ => Err(invalid(format!(
                "a size is {MIN_COLUMNS} to {MAX_CELLS} columns and 1 to {MAX_CELLS} rows, \
                 not {columns} and {rows}"
            ))),
        }
    }
}

impl Pty {
    /// Opens one; answers also the side of the programs in it.
    ///
    /// # Errors
    /// The system has none left.
    pub fn open(size: TerminalSize) -> io::Result<(Self, OwnedFd)> {
        let device = openpt(OPEN_FLAGS)?;
        fcntl_setfd(&device, FdFlags::CLOEXEC)?;
        grantpt(&device)?;
        unlockpt(&device)?;
        ioctl_fionbio(&device, true)?;
        let name = ptsname(&device, Vec::<u8>::new())?;
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let terminal = rustix::fs::open(name.as_c_str(), flags, Mode::empty())?;
        #[expect(deprecated, reason = "sound for a descriptor that it owns; `register` is unsafe")]
        let device = AsyncFd::new(device)?;
        let pty = Self { device, writing: Mutex::default() };
        pty.resize(size)?;
        Ok((pty, terminal))
    }

    /// What the programs print next; empty when none of them has the terminal any more.
    ///
    /// # Errors
    /// It cannot be read.
    pub async fn read(&self) -> io::Result<Vec<u8>> {
        let mut buffer = vec![0_u8; READ_BYTES];
        let first = |device: &OwnedFd| read_once(device, &mut buffer);
        let mut length = self.device.async_io(Interest::READABLE, first).await?;
        // A terminal gives out little at a time.
        while length > 0
            && length < READ_BYTES
            && let Ok(more @ 1..) = read_once(self.device.get_ref(), &mut buffer[length..])
        {
            length += more;
        }
        buffer.truncate(length);
        Ok(buffer)
    }

    /// Types `data`, as fast as the programs read it.
    ///
    /// # Errors
    /// No program has the terminal any more.
    pub async fn write_all(&self, mut data: &[u8]) -> io::Result<()> {
        let _turn = self.writing.lock().await;
        while !data.is_empty() {
            let write = self.device.async_io(Interest::WRITABLE, |device| {
                retry_on_intr(|| rustix::io::write(device, data)).map_err(io::Error::from)
            });
            let written = write.await?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            data = &data[written..];
        }
        Ok(())
    }

    /// Changes its size; its programs are notified.
    ///
    /// # Errors
    /// The system refuses.
    pub fn resize(&self, size: TerminalSize) -> io::Result<()> {
        let size = Winsize { ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0 };
        Ok(tcsetwinsize(self.device.get_ref(), size)?)
    }
}

fn read_once(device: &OwnedFd, buffer: &mut [u8]) -> io::Result<usize> {
    match retry_on_intr(|| rustix::io::read(device, &mut *buffer)) {
        // Linux says so when nobody has the other side any more.
        Err(Errno::IO) => Ok(0),
        read => read.map_err(io::Error::from),
    }
}

fn invalid(message: String) -> Error {
    Error::new(Reason::ArgumentInvalid, message).with("command", "terminal open")
}

#[cfg(test)]
mod tests {
    use std::{io::Write as _, time::Duration};

    use rustix::termios::tcgetwinsize;

    use super::*;

    /// Reads until `part` has come.
    async fn read_until(pty: &Pty, part: &str) -> String {
        let mut seen = String::new();
        while !seen.contains(part) {
            let read = tokio::time::timeout(Duration::from_secs(10), pty.read()).await;
            let bytes = read.expect("in time").expect("readable");
            assert!(!bytes.is_empty(), "it ended: {seen}");
            seen.push_str(&String::from_utf8_lossy(&bytes));
        }
        seen
    }

    #[tokio::test]
    async fn what_is_typed_and_printed_arrives_and_the_end_is_noticed() {
        let (pty, terminal) = Pty::open(TerminalSize::default()).expect("a terminal");
        pty.write_all(b"typed\r").await.expect("written");
        read_until(&pty, "typed").await;
        let mut file = std::fs::File::from(terminal);
        file.write_all(b"printed").expect("written");
        read_until(&pty, "printed").await;
        drop(file);
        assert!(pty.read().await.expect("readable").is_empty(), "nobody has it any more");
    }

    #[tokio::test]
    async fn programs_see_its_size() {
        let (pty, terminal) = Pty::open(TerminalSize::default()).expect("a terminal");
        let size = || tcgetwinsize(&terminal).map(|size| (size.ws_col, size.ws_row));
        assert_eq!(size().expect("a size"), (80, 24));
        let wide = TerminalSize::from_request(Some(132), Some(50)).expect("a size");
        pty.resize(wide.expect("one")).expect("resized");
        assert_eq!(size().expect("a size"), (132, 50));
    }

    #[tokio::test]
    async fn a_program_that_prints_without_end_waits_for_its_reader() {
        let (pty, terminal) = Pty::open(TerminalSize::default()).expect("a terminal");
        ioctl_fionbio(&terminal, true).expect("set");
        let mut printed = 0;
        loop {
            match rustix::io::write(&terminal, &[b'y'; 4096]) {
                Ok(more) => printed += more,
                Err(Errno::AGAIN) => break,
                Err(error) => panic!("{error}"),
            }
            assert!(printed < 16 << 20, "nothing holds it up");
        }
        assert!(!pty.read().await.expect("readable").is_empty());
    }

    #[test]
    fn sizes_are_within_bounds() {
        assert_eq!(TerminalSize::from_request(None, None).expect("none"), None);
        let whole = TerminalSize::from_request(Some(1000), Some(1)).expect("a size");
        assert_eq!(whole, Some(TerminalSize { columns: 1000, rows: 1 }));
        for (columns, rows) in
            [(Some(1), Some(24)), (Some(80), Some(0)), (Some(80), None), (Some(70_000), Some(24))]
        {
            let refused = TerminalSize::from_request(columns, rows).expect_err("it is not one");
            assert_eq!(refused.reason(), Reason::ArgumentInvalid);
        }
    }
}
