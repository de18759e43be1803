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
//!
//! A module uses those before it: `target`, `page`, `snapshot`, `read`, `style`,
//! `action` and `picture`.

mod error;
mod error_conversion;

mod target;

mod page;

mod snapshot;

mod action;

mod read;

mod style;

mod picture;

pub use action::check::CheckState;
pub use action::drafts::FieldDrafts;
pub use action::drag::DragOptions;
pub use action::gesture::{Button, Click, Modifiers};
pub use action::mouse::{MouseAction, PointerTarget};
pub use action::outcome::TabBaseline;
pub use action::prompts::{ControlOption, ControlPrompt};
pub use action::receipt::{ActionReceipt, OpenDialog, OpenedTab};
pub use action::screenshot_layout::ScreenshotLayout;
pub use action::scroll::{Direction, Scroll, ScrollPosition};
pub use error::{Error, RefusalKind, Result};
pub use page::deadline;
pub use page::engine::{Engine, WaitPolicy};
pub use page::fact::Fact;
pub use page::hidden_parts::{HiddenParts, SHOWN_SUFFIX};
pub use page::navigation_retry::retry_across_navigation;
pub use page::rect::Rect;
pub use page::ref_numbers::RefNumbers;
pub use page::script::{ENGINE_SCRIPT, PRELOAD_SCRIPT};
pub use page::side_effects::StartedDownload;
pub use page::style_history::UndoableChange;
pub use picture::canvas::{Canvas, Color, PictureError};
pub use picture::ref_boxes::DocumentExtent;
pub use read::audit::{Control, DesignAudit, Heading, NavLink, SiteInfo, TextBlock};
pub use read::document_tokens::DocumentContent;
pub use read::element_state::{ElementDescription, ElementStateKind};
pub use read::expect::{ExpectationResult, Expected};
pub use read::find::{LineMatches, LinePattern};
pub use read::forms::{FieldOption, FrameForms, PageForm, PageFormField};
pub use read::locator::{ElementLocator, FieldState, FrameLocator};
pub use read::media::{MediaKind, Medium};
pub use read::outline::{Outline, RecordGroup, Region, TargetStatus as TargetStanding};
pub use read::page_reading::PageReading;
pub use read::perf::Timings;
pub use read::structured_data::{MetadataEntry, StructuredData};
pub use read::text::PageLink;
pub use read::wait::Predicate;
pub use snapshot::capture::DiffBase;
pub use snapshot::options::SnapshotOptions;
pub use snapshot::tree::{Snapshot, SnapshotLine};
pub use style::cascade::CascadeResult;
pub use style::cleanup::{CleanupResult, Clutter};
pub use style::inspect::{ElementStyles, MatchedRule};
pub use target::reference::{RefKind, Reference};
pub use target::target::Target;
