// Makes values again from what pack.js made of them.

const ERRORS = new Map(
  ['EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError']
    .map((name) => [name, globalThis[name]]),
);

const fromBase64 = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0)).buffer;

class Unpacker {
  /** `keys` are those that `Packer` exported, imported again. */
  constructor(keys) {
    this.keys = keys;
  }

  record(packed) {
    this.seen = [];
    return this.unpack(packed);
  }

  note(value) {
    this.seen.push(value);
    return value;
  }

  pairs(parts) {
    const pairs = [];
    for (let at = 0; at < parts.length; at += 2) pairs.push([parts[at], parts[at + 1]]);
    return pairs;
  }

  unpack(packed) {
    if (!Array.isArray(packed)) return packed;
    const [type, ...parts] = packed;
    switch (type) {
      case 'undefined': return undefined;
      case 'number': return Number(parts[0]);
      case 'bigint': return BigInt(parts[0]);
      case 'ref': return this.seen[parts[0]];
      case 'date': return this.note(new Date(parts[0] ?? NaN));
      case 'regexp': return this.note(new RegExp(parts[0], parts[1]));
      case 'buffer': return this.note(fromBase64(parts[0]));
      case 'blob': return this.note(new Blob([fromBase64(parts[0])], { type: parts[1] }));
      case 'file': {
        const [data, mime, name, lastModified] = parts;
        return this.note(new File([fromBase64(data)], name, { type: mime, lastModified }));
      }
      case 'key': {
        const key = this.keys[parts[0]];
        if (!key) throw new NotPortable('a key that cannot be imported');
        return this.note(key);
      }
      case 'array': {
        const value = this.note([]);
        for (const part of parts) value.push(this.unpack(part));
        return value;
      }
      case 'sparse': {
        const value = this.note([]);
        value.length = parts[0];
        return this.fill(value, parts.slice(1));
      }
      case 'object': return this.fill(this.note({}), parts);
      case 'map': {
        const value = this.note(new Map());
        for (const [key, item] of this.pairs(parts)) value.set(this.unpack(key), this.unpack(item));
        return value;
      }
      case 'set': {
        const value = this.note(new Set());
        for (const part of parts) value.add(this.unpack(part));
        return value;
      }
      case 'view': return this.later(() => {
        const [name, offset, length, buffer] = parts;
        return new (VIEWS.get(name))(this.unpack(buffer), offset, length);
      });
      case 'boxed': return this.later(() => Object(this.unpack(parts[0])));
      case 'image': return this.later(() => {
        const [data, width, height, colorSpace] = parts.map((part) => this.unpack(part));
        return new ImageData(data, width, height, { colorSpace });
      });
      case 'error': {
        const [name, ...properties] = parts;
        const value = this.note(new (ERRORS.get(name) ?? Error)());
        delete value.stack;
        return this.fill(value, properties);
      }
      default: throw new NotPortable(`values of the unknown type ${String(type)}`);
    }
  }

  // What is made of its parts has its number before them.
  later(make) {
    const at = this.seen.push(undefined) - 1;
    this.seen[at] = make();
    return this.seen[at];
  }

  // `__proto__` is a property like others, so nothing is assigned.
  fill(value, parts) {
    for (const [name, part] of this.pairs(parts)) {
      const isHidden = value instanceof Error;
      const property = { configurable: true, enumerable: !isHidden, writable: true, value: this.unpack(part) };
      Object.defineProperty(value, name, property);
    }
    return value;
  }
}
