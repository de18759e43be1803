// The messages of traces of steps in diagnostics.proto, as the daemon writes them in JSON.

export interface TraceInfo {
  id: string;
  session: string;
  state: string;
  started: string;
  steps: number;
  failed: number;
  bytes: string;
}

export interface TraceStep {
  number: number;
  time: string;
  duration_ms: number;
  client: string;
  command: string;
  arguments: string;
  element: string;
  tab?: string;
  url: string;
  outcome: string;
  error: string;
  findings: string[];
  has_picture: boolean;
}

export interface StepDetails {
  snapshot: string;
  console: ConsoleMessage[];
  requests: NetworkEntry[];
}

export interface ConsoleMessage {
  time_ms: string;
  level: string;
  text: string;
  location: string;
}

export interface NetworkEntry {
  id: string;
  method: string;
  url: string;
  type: string;
  status?: number;
  size: string;
  duration_ms?: number;
  failure?: string;
}
