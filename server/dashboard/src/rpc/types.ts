// The messages of dashboard.proto, as the daemon writes them in JSON: names with underscores,
// 64-bit numbers as text, bytes as base64.

export interface OverviewResponse {
  sessions: SessionOverview[];
  approvals: number;
  version: string;
  build_id: string;
  warnings: string[];
}

export interface SessionOverview {
  name: string;
  owner: string;
  tabs: TabOverview[];
  display: string;
  holder?: ControlHolder;
  request?: string;
}

export interface ControlHolder {
  client: string;
  reason: string;
  since: string;
  expires_at: string;
  is_you: boolean;
}

export interface TabOverview {
  id: string;
  active: boolean;
  url: string;
  title: string;
  owner: string;
  state: string;
  dialog?: OpenDialog;
  last_action?: TabAction;
  prompt?: PagePrompt;
}

export interface OpenDialog {
  kind: string;
  message: string;
  default_text: string;
}

export interface TabAction {
  time: string;
  client: string;
  command: string;
  x?: number;
  y?: number;
}

export interface PagePrompt {
  kind: string;
  id: string;
  label: string;
  value: string;
  options: PromptOption[];
  multiple: boolean;
}

export interface PromptOption {
  value: string;
  label: string;
  selected: boolean;
  disabled: boolean;
}

export interface ViewTabsResponse {
  sequence: string;
  tab: string;
  session: string;
  state: string;
  jpeg: string;
  width: number;
  height: number;
  time: string;
}

export interface TakeControlResponse {
  lease: string;
  session: string;
  expires_at: string;
}

/** An event for `SendInput`; members that are left out have their zero value. */
export interface PersonInput {
  kind: string;
  x?: number;
  y?: number;
  button?: string;
  clicks?: number;
  dx?: number;
  dy?: number;
  key?: string;
  code?: string;
  text?: string;
  modifiers?: number;
  prompt?: string;
  values?: string[];
  files?: { name: string; content: string }[];
  caret?: number;
}

export interface ActivityEntry {
  time: string;
  client: string;
  command: string;
  target: string;
  duration_ms: number;
  outcome: string;
  tab?: string;
  session: string;
  raw: boolean;
  element: string;
}
