// Bytes as protobuf JSON writes them: base64.

/** Bytes that one call of `String.fromCharCode` takes. */
const MAX_ARGUMENTS = 8192;

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
  return bytes;
}

export function toBase64(bytes: Uint8Array): string {
  let letters = '';
  for (let at = 0; at < bytes.length; at += MAX_ARGUMENTS)
    letters += String.fromCharCode(...bytes.subarray(at, at + MAX_ARGUMENTS));
  return btoa(letters);
}

export function textOfBase64(text: string): string {
  return new TextDecoder().decode(fromBase64(text));
}
