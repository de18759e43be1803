// Packs values as JSON: null, booleans, strings and most numbers as themselves, all else as an array
// that begins with its type. Objects are numbered as they are met, so that one that is met again is
// ["ref", number]: the structured clone algorithm keeps cycles, too
// (https://html.spec.whatwg.org/multipage/structured-data.html).

function toBase64(buffer) {
  const bytes = new Uint8Array(buffer);
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(text);
}

/** Packs values; what takes time is in `waiting`, and is to be awaited before they are used. */
class Packer {
  constructor(room) {
    this.room = room;
    this.waiting = [];
    this.keys = [];
  }

  take(size) {
    this.room -= size;
    if (this.room < 0) throw new TooLarge();
  }

  // Each record is a graph of its own.
  record(value) {
    this.seen = new Map();
    const [room, waiting, keys] = [this.room, this.waiting.length, this.keys.length];
    try {
      return this.pack(value);
    } catch (error) {
      if (error instanceof TooLarge) throw error;
      [this.room, this.waiting.length, this.keys.length] = [room, waiting, keys];
      if (error instanceof RangeError) throw new NotPortable('values that are nested too deeply');
      throw error;
    }
  }

  pack(value) {
    switch (typeof value) {
      case 'string':
        this.take(value.length + 3);
        return value;
      case 'boolean':
        this.take(6);
        return value;
      case 'undefined':
        this.take(14);
        return ['undefined'];
      case 'bigint':
        return this.text(['bigint', String(value)]);
      case 'number':
        this.take(20);
        return Number.isFinite(value) && !Object.is(value, -0)
          ? value : ['number', Object.is(value, -0) ? '-0' : String(value)];
      case 'object':
        if (value !== null) return this.object(value);
        this.take(5);
        return null;
      default:
        throw new NotPortable(`values of the type ${typeof value}`);
    }
  }

  text(packed) {
    this.take(packed.reduce((sum, part) => sum + String(part).length + 4, 0));
    return packed;
  }

  bytes(packed, buffer) {
    this.take(Math.ceil(buffer.byteLength * 4 / 3) + 16);
    packed.push(toBase64(buffer));
    return packed;
  }

  blob(packed, blob) {
    this.take(Math.ceil(blob.size * 4 / 3) + 16);
    this.waiting.push(blob.arrayBuffer().then((buffer) => { packed[1] = toBase64(buffer); }));
    return packed;
  }

  all(packed, values) {
    this.take(16);
    for (const value of values) packed.push(this.pack(value));
    return packed;
  }

  object(value) {
    const known = this.seen.get(value);
    if (known !== undefined) return this.text(['ref', known]);
    this.seen.set(value, this.seen.size);
    if (Array.isArray(value)) return this.array(value);
    if (value instanceof Date) return this.text(['date', value.getTime()]);
    if (value instanceof RegExp) return this.text(['regexp', value.source, value.flags]);
    if (value instanceof Map) return this.all(['map'], [...value].flat());
    if (value instanceof Set) return this.all(['set'], value);
    if (value instanceof ArrayBuffer) return this.bytes(['buffer'], value);
    if (ArrayBuffer.isView(value)) return this.view(value);
    if (isA(value, 'File')) {
      return this.blob(this.text(['file', '', value.type, value.name, value.lastModified]), value);
    }
    if (isA(value, 'Blob')) return this.blob(this.text(['blob', '', value.type]), value);
    if (value instanceof Error) {
      const own = ['message', 'stack', 'cause'].filter((name) => Object.hasOwn(value, name));
      return this.all(['error', value.name], own.flatMap((name) => [name, value[name]]));
    }
    for (const type of [Boolean, Number, String, BigInt]) {
      if (value instanceof type) return this.all(['boxed'], [value.valueOf()]);
    }
    if (isA(value, 'CryptoKey')) return this.key(value);
    if (isA(value, 'ImageData')) {
      const { data, width, height, colorSpace } = value;
      return this.all(['image'], [data, width, height, colorSpace]);
    }
    if (isA(value, 'FileSystemHandle')) throw new NotPortable('handles of files');
    if (Object.getPrototypeOf(value) !== Object.prototype) {
      throw new NotPortable(`objects of the type ${String(value.constructor?.name).slice(0, MAX_NAME)}`);
    }
    return this.all(['object'], Object.entries(value).flat());
  }

  array(value) {
    const names = Object.keys(value);
    const isDense = names.length === value.length && names.every((name, index) => name === String(index));
    if (isDense) return this.all(['array'], value);
    return this.all(['sparse', value.length], names.flatMap((name) => [name, value[name]]));
  }

  view(value) {
    const [name] = [...VIEWS].find(([, type]) => value instanceof type) ?? [];
    if (!name) throw new NotPortable('a view of bytes of an unknown type');
    const length = value.length ?? value.byteLength;
    return this.all(['view', name, value.byteOffset, length], [value.buffer]);
  }

  key(value) {
    if (!value.extractable) throw new NotPortable('keys that cannot be exported');
    // It is unpacked by itself, before the record.
    const seen = this.seen;
    this.seen = new Map();
    const key = { jwk: null, algorithm: this.pack({ ...value.algorithm }), usages: [...value.usages] };
    this.seen = seen;
    this.take(4096);
    this.waiting.push(crypto.subtle.exportKey('jwk', value).then((jwk) => { key.jwk = jwk; }));
    this.keys.push(key);
    return ['key', this.keys.length - 1];
  }
}
