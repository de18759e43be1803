// What reading and writing the databases of an origin have in common. The files of this folder are
// one function, which `databases.rs` puts together.

// The version of what is packed.
const VERSION = 1;
// Characters of a name that is shown to people.
const MAX_NAME = 80;

const VIEWS = new Map(
  ['Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array',
    'Uint32Array', 'Float16Array', 'Float32Array', 'Float64Array', 'BigInt64Array',
    'BigUint64Array', 'DataView'].map((name) => [name, globalThis[name]]).filter(([, type]) => type),
);
// Stands for all databases in a list of names.
const EVERY = '*';

/** A value that has no form outside of this browser. */
class NotPortable extends Error {}
/** More than may be packed. */
class TooLarge extends Error {}

const isA = (value, name) => typeof globalThis[name] === 'function' && value instanceof globalThis[name];
const shown = (name) => `\`${name.slice(0, MAX_NAME).toWellFormed()}\``;
const count = (number, noun) => `${number} ${noun}${number === 1 ? '' : 's'}`;

function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function committed(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new DOMException('aborted', 'AbortError'));
  });
}

/** Opens a database that is there; `null` when it has gone. */
function openExisting(name) {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name);
    let isNew = false;
    request.onupgradeneeded = () => {
      isNew = true;
      request.transaction.abort();
    };
    request.onsuccess = () => {
      request.result.onversionchange = () => request.result.close();
      resolve(request.result);
    };
    request.onerror = () => (isNew ? resolve(null) : reject(request.error));
  });
}

function describe(store) {
  const indexes = [...store.indexNames].map((name) => {
    const { keyPath, unique, multiEntry } = store.index(name);
    return { name, keyPath, unique, multiEntry };
  });
  return { name: store.name, keyPath: store.keyPath, autoIncrement: store.autoIncrement, indexes };
}
