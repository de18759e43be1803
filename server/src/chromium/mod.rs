//! Everything that knows the DevTools protocol.
//!
//! The rest of the daemon sees browsers, pages, frames and worlds; no type of
//! the protocol crate leaves this module. Three rules hold everywhere in it:
//!
//! * **A call is written when it is made.** Functions that return a
//!   [`Call`] have already put their message on the pipe; awaiting only waits
//!   for the answer. Several calls made before the first `await` therefore
//!   travel in one flight. Dropping a call forgets it, nothing more.
//! * **Events are applied before later answers are delivered**, because one
//!   task reads the pipe and applies each event to the page's state in place.
//!   A caller that has its answer sees every state change Chromium reported
//!   before it.
//! * **Nothing here has a deadline** except the launch. The dispatcher times
//!   out whole handlers, so every future in this module may be dropped at any
//!   point.

mod bare;
mod error;
mod ids;
pub(crate) mod sync;

mod connection;
mod launch;

mod browser;
mod capture;
mod emulation;
mod guard;
mod input;
mod page;
mod storage;
mod world;

pub use browser::browser::Browser;
pub use browser::context::{Context, ContextOptions};
pub use browser::hidden::HiddenPage;
pub use browser::options::{BrowserOptions, DialogPolicy, MAX_WINDOWS, Viewport};
pub use browser::side_panel::SidePanel;
pub use browser::spare::Spares;
pub use browser::trace::Trace;
pub use browser::windows::{AskedWindow, RefusedWindow, WindowRefusal};
pub use capture::body::ResponseBody;
pub use capture::console::ConsoleEntry;
pub use capture::downloads::{Download, DownloadState};
pub use capture::event::{DocumentRequest, Event, EventSink, NoSink, Verdict};
pub use capture::har::{Exchange, ExchangeAnswer, Recording, Timing};
pub use capture::network::{NetworkRequest, RequestState};
pub use capture::sheets::SheetText;
pub use connection::call::Call;
pub use connection::session::Session;
pub use emulation::state::{Conditions, Emulation, Header, Media, Position, Screen};
pub use error::{Error, Result};
pub use guard::address::{
    Place, is_forbidden_to_cookies, is_metadata_address, is_metadata_host, place,
};
pub use guard::document::Denied;
pub use guard::resolver_rules::{Mapped, ResolverRules};
pub use guard::route::{Route, RouteAction, is_safe_method};
pub use guard::rules::{BadRule, HostRules};
pub use ids::{BrowserContextId, FrameId, LoaderId, SessionId, TargetId};
pub use input::drag::DragStep;
pub use input::files::FileChooser;
pub use input::geometry::{FrameMapping, Point};
pub use input::keyboard::settle;
pub use input::keys::{Key, KeyCombination};
pub use input::mouse::{Mouse, MouseButton, MouseEvent, MouseEventKind};
pub use launch::find::find_headed;
pub use launch::info::{BrowserInfo, Flavour, Sandbox};
pub use launch::options::LaunchOptions;
pub use launch::profile::PARTIAL;
pub use page::carry::Belongings;
pub use page::dialogs::{Acting, AnsweredBy, Dialog, DialogAnswer, Leaving, Question};
pub use page::fetch::{Answer, Kept, Stop, Visit};
pub use page::frames::Frame;
pub use page::memory::{DomCounters, Heap};
pub use page::navigate::Navigated;
pub use page::page::Page;
pub use page::print::ByteStream;
pub use page::renders::Renders;
pub use page::screencast::{Pointer, Screencast};
pub use page::screenshot::{Area, ImageFormat, Screenshot};
pub use page::state::{LoadState, MainResponse, NavigationState};
pub use page::styles::{BoxEdges, Declaration, RuleOrigin, StyleRule, Styles};
pub use storage::blank::BlankTab;
pub use storage::cookie::{Cookie, CookieKey, PartitionKey, SameSite};
pub use storage::jar::{CookieJar, now};
pub use storage::origin::{Glance, Item, OriginStorage, Text, Written};
pub use world::argument::Argument;
pub use world::main_world::{EvaluateOptions, Evaluated};
pub use world::world::{Engine, World};
