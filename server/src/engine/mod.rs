//! The page engine: what an agent sees of a page, and how it acts on it.
//!
//! A small script (`js/`) lives in an isolated world of every frame; this
//! module calls it, puts the frames of a tab together, gives out refs, turns
//! targets into elements, and makes real input out of actions. One [`Engine`]
//! serves one tab.
//!
//! * **Refs are identities.** A number stays with its element for as long as
//!   the element lives in its document, and no other element ever gets it.
//! * **An action goes to its element or fails.** It is aimed, hit-tested in
//!   every frame around it, guarded at the moment of delivery, and proven.
//! * **Everything is cancel-safe.** A future that is dropped leaves a page
//!   that may have been acted on, but no state here that is half changed.

mod error;

mod target;

mod page;

mod snapshot;

mod action;

mod read;

mod style;

mod picture;

pub use action::check::Checked;
pub use action::click::{Button, Click, Modifiers};
pub use action::drafts::Drafts;
pub use action::drag::Drag;
pub use action::lay::Laid;
pub use action::mouse::{Mouse, Spot};
pub use action::receipt::{Asked, Fact, OpenedTab, Receipt, StartedDownload};
pub use action::scroll::{Direction, Point, Scroll};
pub use error::{Error, Kind, Result};
pub use page::deadline;
pub use page::engine::{Engine, Waiting};
pub use page::numbers::RefNumbers;
pub use page::script::{FIRST, SCRIPT};
pub use page::under_way::arrived;
pub use picture::canvas::{BadPicture, Canvas, Color};
pub use picture::marks::Extent;
pub use read::audit::{Audit, Control, Heading, NavLink, Site, TextBlock};
pub use read::data::{StructuredData, Tag};
pub use read::expect::{Expected, Verdict};
pub use read::facts::{Described, Rect, State};
pub use read::find::{Found, Pattern};
pub use read::footing::{FieldNow, Footing, Place};
pub use read::forms::{Field, FieldOption, Form, FrameForms};
pub use read::media::{MediaKind, Medium};
pub use read::outline::{Group, Outline, Region, Standing as TargetStanding};
pub use read::perf::Timings;
pub use read::text::Link;
pub use read::unseen::{Reading, SHOWN, UNCHECKED, Unseen};
pub use read::wait::Predicate;
pub use snapshot::options::SnapshotOptions;
pub use snapshot::take::Since;
pub use snapshot::tree::{Node, Snapshot};
pub use style::cascade::Standing;
pub use style::change::Change;
pub use style::cleanup::{Cleaned, Clutter};
pub use style::inspect::{Inspected, Judged};
pub use target::reference::{RefKind, Reference};
pub use target::target::Target;
