// Reads the databases of an origin.

// Records that are read at once: the first time, and at most.
const FIRST_BATCH = 16;
const MAX_BATCH = 1024;
// Packed characters of a batch from which on batches do not grow.
const LARGE_BATCH = 1 << 20;

/** Packs all records of a store; `leave` counts those that cannot be packed. */
async function packRecords(store, packer, leave) {
  const records = [];
  let [batch, after] = [FIRST_BATCH, null];
  for (;;) {
    // Both are asked for before one is awaited: a transaction without requests ends.
    const [keys, values] = await Promise.all([
      done(store.getAllKeys(after, batch)), done(store.getAll(after, batch))]);
    const before = packer.room;
    for (let at = 0; at < keys.length; at += 1) {
      try {
        const parts = store.keyPath === null ? [keys[at], values[at]] : [values[at]];
        records.push(parts.map((part) => packer.record(part)));
      } catch (error) {
        if (!(error instanceof NotPortable)) throw error;
        leave(error.message);
      }
    }
    if (keys.length < batch) return records;
    after = IDBKeyRange.lowerBound(keys.at(-1), true);
    if (before - packer.room < LARGE_BATCH) batch = Math.min(batch * 2, MAX_BATCH);
  }
}

async function packDatabase(name, packer, omitted, incomplete) {
  const database = await openExisting(name);
  if (!database) return null;
  try {
    const packed = { name, version: database.version, stores: [] };
    const left = new Map();
    const names = [...database.objectStoreNames];
    if (names.length > 0) {
      const transaction = database.transaction(names, 'readonly');
      for (const storeName of names) {
        const store = transaction.objectStore(storeName);
        const leave = (what) => left.set(what, (left.get(what) ?? 0) + 1);
        packed.stores.push({ ...describe(store), records: await packRecords(store, packer, leave) });
      }
    }
    await Promise.all(packer.waiting.splice(0));
    if (left.size > 0) incomplete.push(name.toWellFormed());
    for (const [what, number] of left) {
      omitted.push(`${count(number, 'record')} of the database ${shown(name)}: ${what}`);
    }
    return packed;
  } finally {
    database.close();
  }
}

/** What the origin keeps in other places, which no script can take along. */
async function otherStorage() {
  const found = [];
  const look = async (note) => {
    try { await note(); } catch { /* It is not there in this document. */ }
  };
  await look(async () => {
    const caches_ = (await caches.keys()).length;
    if (caches_ > 0) found.push(count(caches_, 'cache'));
  });
  await look(async () => {
    const workers = (await navigator.serviceWorker.getRegistrations()).length;
    if (workers > 0) found.push(count(workers, 'service worker'));
  });
  await look(async () => {
    const folder = await navigator.storage.getDirectory();
    for await (const _ of folder.keys()) {
      found.push('files in its private file system');
      break;
    }
  });
  return found;
}

/** Packs all databases, in at most `limit` characters. */
async function read(limit) {
  const omitted = [];
  const left = [];
  const packed = { version: VERSION, keys: [], databases: [] };
  let room = limit;
  let known = [];
  try {
    known = await indexedDB.databases();
  } catch {
    // A document without storage, or a browser that cannot say: nothing is known of any.
    left.push(EVERY);
  }
  for (const { name } of known) {
    const packer = new Packer(room);
    packer.keys = [...packed.keys];
    try {
      const database = await packDatabase(name, packer, omitted, left);
      if (!database) continue;
      packed.databases.push(database);
      [packed.keys, room] = [packer.keys, packer.room];
    } catch (error) {
      const why = error instanceof TooLarge ? 'it is too large' : `it cannot be read (${error.name})`;
      omitted.push(`the database ${shown(name)}: ${why}`);
      left.push(name.toWellFormed());
    }
  }
  omitted.push(...await otherStorage());
  const databases = packed.databases.length;
  return JSON.stringify({ packed: databases > 0 ? JSON.stringify(packed) : null, databases, omitted, left });
}
