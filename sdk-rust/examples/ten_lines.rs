use browse_sdk::{SnapshotRequest, connect};

fn main() -> browse_sdk::Result<()> {
    let browse = connect()?;
    let page = browse.goto("https://example.com")?;
    println!("{:?} {}", page.status, page.title);
    let request = SnapshotRequest { interactive: true, ..Default::default() };
    println!("{}", browse.snapshot_with(request)?.tree);
    Ok(())
}
