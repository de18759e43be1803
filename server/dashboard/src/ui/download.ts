// Saves bytes as a file of the person.

import { fromBase64 } from '../rpc/base64.ts';

const REVOKE_AFTER_MS = 60_000;

export function saveFile(name: string, base64: string, type: string): void {
  const url = URL.createObjectURL(new Blob([fromBase64(base64)], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_AFTER_MS);
}
