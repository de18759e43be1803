//! Tries to get out, one way after the other, and says which ways led out.

use std::fs;
use std::io::Write as _;
use std::net::{TcpStream, UdpSocket};
use std::os::unix::net::UnixStream;
use std::path::Path;

fn value(text: &str, name: &str) -> String {
    let (_, rest) = text.split_once(&format!("\"{name}\":")).unwrap();
    rest.trim_start_matches('"').split(['"', ',', '}']).next().unwrap().to_owned()
}

fn writes(path: &str) -> std::io::Result<()> {
    fs::write(path, "x").and_then(|()| fs::remove_file(path))
}

fn fills() -> std::io::Result<()> {
    let folder = std::env::var("TMPDIR").unwrap_or("/tmp".to_owned());
    let name = |number| format!("{folder}/browse-fill-{}-{number}", std::process::id());
    let filled = (0..5).try_for_each(|number| fs::write(name(number), vec![0; 20 << 20]));
    (0..5).for_each(|number| drop(fs::remove_file(name(number))));
    filled
}

fn threads() -> std::io::Result<()> {
    let (sender, receiver) = std::sync::mpsc::channel::<()>();
    let receiver = std::sync::Arc::new(std::sync::Mutex::new(receiver));
    let mut all = Vec::new();
    let mut begun = Ok(());
    for _ in 0..200 {
        let receiver = receiver.clone();
        match std::thread::Builder::new().stack_size(65536).spawn(move || receiver.lock().unwrap().recv()) {
            Ok(thread) => all.push(thread),
            Err(error) => begun = Err(error),
        }
    }
    drop(sender);
    all.into_iter().for_each(|thread| drop(thread.join()));
    begun
}

fn main() {
    let text = fs::read_to_string("targets.json").unwrap();
    let at = |name: &str| value(&text, name);
    let home = at("key");
    let home = Path::new(&home).ancestors().nth(2).unwrap();
    let address = |name: &str| format!("127.0.0.1:{}", at(name));
    let found = [
        ("reads_private_key", fs::read(at("key")).map(drop)),
        ("reads_root_token", fs::read(at("state")).map(drop)),
        ("reads_other_skill", fs::read(at("other")).map(drop)),
        ("reads_environment_of_daemon", fs::read(format!("/proc/{}/environ", at("daemon"))).map(drop)),
        ("lists_home", fs::read_dir(home).map(drop)),
        ("writes_outside", writes(&at("outside"))),
        ("writes_own_folder", writes("written")),
        ("tcp_other_port", TcpStream::connect(address("tcp")).map(drop)),
        ("tcp_other_host", TcpStream::connect(format!("127.0.0.2:{}", at("tcp"))).map(drop)),
        ("udp", UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.send_to(b"x", address("udp"))).map(drop)),
        ("unix_path", UnixStream::connect(at("unix")).map(drop)),
        ("forks_beyond_limit", threads()),
        ("fills_scratch", fills()),
    ];
    let list = found.map(|(name, result)| {
        if let Err(error) = &result {
            let _ = writeln!(std::io::stderr(), "{name}: {error}");
        }
        format!("\"{name}\":{}", result.is_ok())
    });
    println!("{{{}}}", list.join(","));
}
