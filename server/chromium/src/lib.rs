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
//!
//! A module uses those before it: `connection`, `launch` and `guard`; `capture`,
//! `clients`, `emulation` and `world`; `page`; `input` and `storage`; `browser`; `attach`.

mod attach_failure;
mod error;
mod error_conversion;
mod ids;
mod url_credentials;

mod connection;
mod launch;

mod attach;
mod browser;
mod capture;
mod clients;
mod emulation;
mod guard;
mod input;
mod page;
mod storage;
mod world;

pub use attach::address::CdpAddress;
pub use attach::bridge::{BRIDGE_FLAG, run_bridge};
pub use attach::connect::{AttachOptions, TakenTab};
pub use attach_failure::{AttachFailure, AttachFailureKind};
pub use browser::blank_tab::BlankTab;
pub use browser::browser::Browser;
pub use browser::client::{ClientAnswer, ProtocolClient};
pub use browser::context::{BrowserContext, ContextOptions};
pub use browser::hidden_page::HiddenPage;
pub use browser::options::{BrowserOptions, MAX_WINDOWS};
pub use browser::panel_documents::{PanelDocument, PanelPoster};
pub use browser::side_panel::{PANEL_DOCUMENT, PANEL_OPENER, SidePanel};
pub use browser::spare::SpareOptions;
pub use browser::trace::RecordedTrace;
pub use capture::body::ResponseBody;
pub use capture::console::ConsoleEntry;
pub use capture::downloads::{Download, DownloadState};
pub use capture::har::{HarExchange, HarExchangeResponse, HarRecording, ResourceTiming};
pub use capture::network::{ObservedRequest, RequestState};
pub use clients::events::ClientEvents;
pub use connection::call::CdpCall;
pub use connection::session::CdpSession;
pub use emulation::state::{
    EmulatedScreen, Emulation, Geolocation, MediaFeatures, NetworkConditions, RequestHeader,
};
pub use emulation::viewport::Viewport;
pub use error::{Error, Result};
pub use error_conversion::{browser_gone, navigation_error};
pub use guard::document::DeniedDocument;
pub use guard::route::{Route, RouteAction, is_safe_method};
pub use ids::{BrowserContextId, FrameId, LoaderId, SessionId, TargetId};
pub use input::drag::DragStep;
pub use input::geometry::{FrameMapping, Point};
pub use input::keyboard::await_all;
pub use input::keys::{KeyCombination, KeyboardKey};
pub use input::mouse::{MouseButton, MouseEvent, MouseEventKind};
pub use input::touch::TouchPhase;
pub use launch::find::find_headed;
pub use launch::info::{BrowserInfo, Flavour, Sandbox};
pub use launch::options::{LaunchOptions, UserAgentMode};
pub use launch::profile::PARTIAL_DIR_PREFIX;
pub use page::action_tracking::ActionBaseline;
pub use page::dialogs::{
    ActingGuard, AnsweredBy, Dialog, DialogAnswer, DialogPolicy, LeavingGuard, OpenPageDialog,
};
pub use page::document_snapshot::DocumentSnapshot;
pub use page::event::{DocumentRequest, DocumentVerdict, Event, EventSink, NoSink};
pub use page::fetch::{BodyDownload, FetchResponseHead, FetchStep, TabFetch};
pub use page::file_chooser::FileChooser;
pub use page::frames::Frame;
pub use page::highlight::{HighlightArea, HighlightOutcome};
pub use page::main_world::{EvaluateOptions, EvaluatedValue};
pub use page::memory::{DomCounters, HeapUsage};
pub use page::mouse_state::MouseState;
pub use page::navigate::Navigated;
pub use page::page::Page;
pub use page::page_tools::{PageTool, PageToolKind, PageToolOutcome, PageTools};
pub use page::print::ByteStream;
pub use page::screencast::{Pointer, Screencast, ScreencastFormat, ScreencastImage};
pub use page::screenshot::{CaptureArea, ImageFormat, Screenshot};
pub use page::state::{LoadState, MainResponse, NavigationState};
pub use page::styles::{BoxEdges, Declaration, MatchedStyles, RuleOrigin, StyleRule};
pub use page::windows::{RefusedWindow, RequestedWindow, WindowRefusal};
pub use storage::cookie::{Cookie, CookieKey, PartitionKey, SameSite};
pub use storage::cookie_jar::{CookieJar, unix_seconds};
pub use storage::databases::{DatabaseSnapshot, DatabaseWriteResult, MAX_DATABASE_BYTES};
pub use storage::origin::{
    OriginStorage, StorageEntryPreview, StorageItem, StorageText, StorageWriteOutcome,
};
pub use url_credentials::{deserialize_url, strip_credentials};
pub use world::argument::ScriptArgument;
pub use world::world::{InjectedScript, World};
