// Why a call failed, and how that is read from a Connect error.

import type { PageQuote } from './contract.ts';

/** A failed call. Message and hint are the words of the daemon. */
export class CallError extends Error {
  readonly reason: string;
  readonly hint: string;
  /** What a page wrote, as far as the error quotes it. */
  readonly quotes: PageQuote[];

  constructor(reason: string, message: string, hint = '', quotes: PageQuote[] = []) {
    super(message);
    this.name = 'CallError';
    this.reason = reason;
    this.hint = hint;
    this.quotes = quotes;
  }
}

/** The error of a daemon that cannot be reached. */
export function unreachable(): CallError {
  return new CallError('DAEMON_UNREACHABLE', 'the daemon does not answer', 'Run `browse status`');
}

/** Reads the JSON document of an error: `{code, message, details}`. */
export function errorOf(document: unknown): CallError {
  const { code, message, details } = asObject(document);
  const info = detailOf(details, 'google.rpc.ErrorInfo');
  const { page } = detailOf(details, 'browse.v1.ErrorPage');
  const quotes = Array.isArray(page)
    ? page.map(asObject).map(({ about, text }) => ({ about: textOf(about), text: textOf(text) }))
    : [];
  const reason = textOf(info.reason) || textOf(code).toUpperCase() || 'UNKNOWN';
  return new CallError(reason, textOf(message) || 'the daemon gave no message', textOf(info.hint), quotes);
}

/** Any thrown value as a `CallError`. */
export function asCallError(cause: unknown): CallError {
  if (cause instanceof CallError) return cause;
  return new CallError('DASHBOARD_ERROR', cause instanceof Error ? cause.message : String(cause), 'Reload this page');
}

function detailOf(details: unknown, type: string): Record<string, unknown> {
  if (!Array.isArray(details)) return {};
  return asObject(details.map(asObject).find((detail) => detail.type === type)?.debug);
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
