// Writes databases that were packed.

// Milliseconds that pages get to let go of a database that is replaced.
const BLOCKED_TIMEOUT = 1000;

/** Deletes a database; whether that was done in time. */
function remove(name) {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    const timer = setTimeout(() => resolve(false), BLOCKED_TIMEOUT);
    request.onsuccess = () => { clearTimeout(timer); resolve(true); };
    request.onerror = () => { clearTimeout(timer); reject(request.error); };
  });
}

/** Creates a database that is not there. */
async function create({ name, version, stores }) {
  const request = indexedDB.open(name, version);
  request.onupgradeneeded = () => {
    for (const { name: storeName, keyPath, autoIncrement, indexes } of stores) {
      const store = request.result.createObjectStore(storeName, { keyPath, autoIncrement });
      for (const { name: index, keyPath: path, unique, multiEntry } of indexes) {
        store.createIndex(index, path, { unique, multiEntry });
      }
    }
  };
  return done(request);
}

const schema = (stores) => {
  const rows = stores.map(({ name, keyPath, autoIncrement, indexes }) =>
    JSON.stringify([name, keyPath, autoIncrement, indexes.map((index) => JSON.stringify(index)).sort()]));
  return rows.sort().join();
};

/** Whether a database has the version and the stores of a packed one. */
function isAlike(database, packed) {
  const names = [...database.objectStoreNames];
  if (database.version !== packed.version || names.length !== packed.stores.length) return false;
  if (names.length === 0) return true;
  const transaction = database.transaction(names, 'readonly');
  return schema(names.map((name) => describe(transaction.objectStore(name)))) === schema(packed.stores);
}

/**
 * Opens the database to write to: the one that is there when it is alike, else a new one; with
 * `replace` one that is not alike is removed. Answers `null` when there is a problem.
 */
async function openToWrite(packed, isThere, replace, problems) {
  if (!isThere) return create(packed);
  const database = await openExisting(packed.name);
  if (!database) return create(packed);
  if (isAlike(database, packed)) return database;
  database.close();
  if (!replace) {
    problems.push(`the database ${shown(packed.name)} is there in another version`);
    return null;
  }
  if (await remove(packed.name)) return create(packed);
  problems.push(`the database ${shown(packed.name)} is open in a page: close it, and load the state again`);
  return null;
}

async function writeDatabase(packed, isThere, replace, unpacker, problems) {
  const { name, stores } = packed;
  const database = await openToWrite(packed, isThere, replace, problems);
  if (!database) return false;
  try {
    if (stores.length === 0) return true;
    const transaction = database.transaction(stores.map((store) => store.name), 'readwrite');
    const end = committed(transaction);
    let refused = 0;
    for (const { name: storeName, records } of stores) {
      const store = transaction.objectStore(storeName);
      if (replace) store.clear();
      for (const record of records) {
        try {
          const parts = record.map((part) => unpacker.record(part));
          const request = parts.length === 2 ? store.put(parts[1], parts[0]) : store.put(parts[0]);
          request.onerror = (event) => {
            if (request.error?.name !== 'ConstraintError') return;
            // One record, such as another value of a unique index: the others stay.
            event.preventDefault();
            refused += 1;
          };
        } catch {
          refused += 1;
        }
      }
    }
    await end;
    if (refused > 0) problems.push(`${count(refused, 'record')} of the database ${shown(name)} cannot be written`);
    return true;
  } finally {
    database.close();
  }
}

/** Writes what `read` packed, in place of all databases but those in `keep` with `replace`. */
async function write(text, replace, keep) {
  const { version, keys, databases } = JSON.parse(text);
  const problems = [];
  let written = 0;
  if (version > VERSION) {
    problems.push('its databases were saved by a newer version of browse');
    return JSON.stringify({ databases: written, problems });
  }
  const existing = new Set((await indexedDB.databases()).map(({ name }) => name));
  if (replace && !keep.includes(EVERY)) {
    const wanted = new Set([...databases.map(({ name }) => name), ...keep]);
    const others = [...existing].filter((name) => !wanted.has(name));
    const removed = await Promise.all(others.map(remove));
    others.filter((_, at) => !removed[at]).forEach((name) => {
      problems.push(`the database ${shown(name)} is removed when the page that has it open is closed`);
    });
  }
  const plain = new Unpacker([]);
  const imported = await Promise.all(keys.map(async ({ jwk, algorithm, usages }) => {
    try {
      return await crypto.subtle.importKey('jwk', jwk, plain.record(algorithm), true, usages);
    } catch {
      return null;
    }
  }));
  const unpacker = new Unpacker(imported);
  for (const database of databases) {
    try {
      const isThere = existing.has(database.name);
      // Records that could not come along are still there.
      const clears = replace && !keep.includes(EVERY) && !keep.includes(database.name);
      if (await writeDatabase(database, isThere, clears, unpacker, problems)) written += 1;
    } catch (error) {
      const why = error.name === 'QuotaExceededError' ? 'its storage is full' : error.name;
      problems.push(`the database ${shown(database.name)} is not written: ${why}`);
    }
  }
  return JSON.stringify({ databases: written, problems });
}

/** Removes all databases but those in `keep`. */
const clear = (keep) => write(JSON.stringify({ version: VERSION, keys: [], databases: [] }), true, keep);
