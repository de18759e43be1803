//! Cookies and storage of a context, and the tab that nobody sees.

use browse_chromium::{Cookie, Event, SameSite, StorageText, StorageWriteOutcome};

use crate::support::{browser::Fixture, site::Site};

fn cookie(name: &str, domain: &str) -> Cookie {
    Cookie {
        name: name.to_owned(),
        value: "a value".to_owned(),
        domain: domain.to_owned(),
        path: "/".to_owned(),
        ..Cookie::default()
    }
}

#[tokio::test]
async fn cookies_come_back_as_they_were_put() {
    let fixture = Fixture::start().await;
    let jar = fixture.page.cookies();
    let plain = cookie("plain", "example.test");
    let below = Cookie {
        expires: Some(4_000_000_000.0),
        secure: true,
        http_only: true,
        same_site: Some(SameSite::None),
        path: "/a".to_owned(),
        ..cookie("below", ".example.test")
    };
    let bad = cookie("__Host-x", ".example.test");
    jar.set(&[plain.clone(), below.clone(), bad]).await.unwrap();
    let mut all = jar.all().await.unwrap();
    all.sort_by(|a, b| b.name.cmp(&a.name));
    let below = Cookie { expires: all[1].expires, ..below };
    assert_eq!(all, [plain.clone(), below]);
    jar.remove(&plain).await.unwrap();
    assert_eq!(jar.all().await.unwrap().len(), 1);
    jar.clear().await.unwrap();
    assert!(jar.all().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_blank_tab_reads_storage_without_being_seen_or_asking_the_network() {
    let site = Site::start().await.page("/", "<script>localStorage.a = '1'</script>");
    let fixture = Fixture::start().await;
    fixture.goto(&site.url("/")).await;
    let origin = site.url("");
    assert_eq!(fixture.page.visited_origins(), std::slice::from_ref(&origin));
    let (pages, hits) = (fixture.browser.pages().len(), site.hits().len());
    let tab = fixture.browser.blank_tab(fixture.context.id()).await.unwrap();
    let storage = tab.open_origin(&origin).await.unwrap();
    assert!(
        storage.read().await.unwrap()
            == Some(vec![(StorageText::plain("a"), StorageText::plain("1"))])
    );
    // Half a surrogate pair, as compressors write them.
    let items = vec![(StorageText::plain("b"), StorageText::Utf16(vec![0xd800, 0x41]))];
    let storage = tab.open_origin("https://elsewhere.test").await.unwrap();
    assert_eq!(storage.write(&items, true).await.unwrap(), Some(StorageWriteOutcome::Complete));
    assert!(tab.open_origin("http://169.254.169.254").await.is_err());
    assert_eq!((fixture.browser.pages().len(), site.hits().len()), (pages, hits));
    let opened = fixture.recorder.all(|event| match event {
        Event::PageOpened(page) => Some(page.target_id().clone()),
        _ => None,
    });
    assert_eq!(opened, [fixture.page.target_id().clone()]);
    drop(tab);
    let tab = fixture.browser.blank_tab(fixture.context.id()).await.unwrap();
    let storage = tab.open_origin("https://elsewhere.test").await.unwrap();
    assert!(storage.read().await.unwrap() == Some(items));
}

#[tokio::test]
async fn two_who_ask_at_once_what_a_document_keeps_both_hear_it() {
    let site = Site::start().await.page("/", "<script>localStorage.a = '1'</script>");
    let fixture = Fixture::start().await;
    fixture.goto(&site.url("/")).await;
    let ask = || fixture.page.document_snapshots();
    let (first, second) = tokio::join!(ask(), ask());
    for answer in [first, second] {
        assert_eq!(answer[0].local.as_deref(), Some("[[\"a\",\"1\"]]"));
    }
}

/// Fills two databases, and compares what another browser has with what it wrote.
const DATABASES: &str = r#"<script>
const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
const open = (name, version, upgrade) => {
  const request = indexedDB.open(name, version);
  request.onupgradeneeded = () => upgrade?.(request.result);
  return done(request);
};
const cyclic = () => {
  const value = { name: 'a', list: [1, 2, 3], sparse: [, 1], half: 'x\ud800' };
  value.self = value;
  value.map = new Map([[value, new Set(['b', 2n, undefined])], [['key'], -0]]);
  value.list.note = 'a property of an array';
  return value;
};
const buffer = new Uint8Array([0, 1, 2, 250, 251, 252, 253, 254]).buffer;
const VALUES = {
  cyclic,
  date: () => new Date(0),
  invalid: () => new Date(NaN),
  numbers: () => [NaN, Infinity, -Infinity, -0, 1.5, 12345678901234567890n],
  regexp: () => /a\/b/giu,
  views: () => [new Uint16Array(buffer, 2, 3), new DataView(buffer, 1), buffer, new Float64Array([1.5])],
  error: () => new RangeError('out of it', { cause: 'a cause' }),
  boxed: () => [new Boolean(false), new Number(3), new String('s')],
  odd: () => JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}'),
  image: () => new ImageData(new Uint8ClampedArray(16).fill(7), 2, 2),
};
const text = (value, seen = new Map()) => {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (typeof value !== 'object' || value === null) return `${typeof value} ${JSON.stringify(value)}`;
  if (seen.has(value)) return `#${seen.get(value)}`;
  seen.set(value, seen.size);
  const type = Object.prototype.toString.call(value);
  const own = [];
  if (value instanceof Date) own.push(value.getTime());
  if (value instanceof RegExp) own.push(String(value), value.flags);
  if (value instanceof ArrayBuffer) own.push([...new Uint8Array(value)]);
  if (ArrayBuffer.isView(value)) own.push(value.byteOffset, value.byteLength, text(value.buffer, seen));
  if (value instanceof Error) own.push(value.name, value.message, value.cause);
  if (value instanceof Map) for (const [key, item] of value) own.push(text(key, seen), text(item, seen));
  if (value instanceof Set) for (const item of value) own.push(text(item, seen));
  if ([Boolean, Number, String].some((kind) => value instanceof kind)) own.push(value.valueOf());
  if (value instanceof ImageData) own.push(value.width, value.height, [...value.data]);
  const names = ArrayBuffer.isView(value) ? [] : Object.keys(value);
  for (const name of names) own.push(name, text(value[name], seen));
  return `${type}(${own.join('|')})`;
};
async function fill() {
  const first = await open('first', 3, (database) => {
    const inline = database.createObjectStore('inline', { keyPath: ['a', 'b.c'], autoIncrement: false });
    inline.createIndex('by tag', 'tags', { multiEntry: true });
    inline.createIndex('by mail', 'mail', { unique: true });
    database.createObjectStore('values');
    database.createObjectStore('counted', { autoIncrement: true });
  });
  const transaction = first.transaction(['inline', 'values', 'counted'], 'readwrite');
  const inline = transaction.objectStore('inline');
  for (let at = 0; at < 3000; at += 1) inline.put({ a: at, b: { c: 'x' }, tags: [`t${at % 3}`, 'all'], mail: `m${at}` });
  for (const name of Object.keys(VALUES)) transaction.objectStore('values').put(VALUES[name](), name);
  const keys = [new Date(5), [1, ['two']], new Uint8Array([9]).buffer, -Infinity];
  for (const key of keys) transaction.objectStore('values').put('of a key', key);
  transaction.objectStore('values').put(new File(['a file'], 'f.txt', { type: 'text/plain', lastModified: 7 }), 'file');
  transaction.objectStore('counted').add('one');
  transaction.objectStore('counted').add('two');
  await new Promise((resolve) => { transaction.oncomplete = resolve; });
  first.close();
  const second = await open('second', 1, (database) => database.createObjectStore('keys'));
  const make = (extractable) => crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, extractable, ['encrypt', 'decrypt']);
  const [good, bad] = [await make(true), await make(false)];
  const iv = new Uint8Array(12);
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, good, new TextEncoder().encode('sealed'));
  const write = second.transaction('keys', 'readwrite');
  write.objectStore('keys').put({ good, sealed }, 'good');
  write.objectStore('keys').put(bad, 'bad');
  await new Promise((resolve) => { write.oncomplete = resolve; });
  second.close();
  await caches.open('a cache');
  return 'filled';
}
async function check(wanted) {
  const names = (await indexedDB.databases()).map(({ name, version }) => `${name} ${version}`).sort();
  if (names.join() !== 'first 3,second 1') return `databases: ${names}`;
  const first = await open('first');
  const transaction = first.transaction(['inline', 'values', 'counted'], 'readwrite');
  const inline = transaction.objectStore('inline');
  const counts = await Promise.all([inline.count(), inline.index('by tag').count('t1'), inline.index('by tag').count('all')].map(done));
  if (counts.join() !== '3000,1000,3000') return `counts: ${counts}`;
  const store = transaction.objectStore('values');
  for (const name of Object.keys(VALUES)) {
    const [found, wanted] = [text(await done(store.get(name))), text(VALUES[name]())];
    if (found !== wanted) return `${name}: ${found} instead of ${wanted}`;
  }
  const keys = (await done(store.getAllKeys())).length;
  if (keys !== Object.keys(VALUES).length + 5) return `keys: ${keys}`;
  const file = await done(store.get('file'));
  const counted = transaction.objectStore('counted');
  const [before, next] = await Promise.all([done(counted.count()), done(counted.add('more'))]);
  if (next !== before + 1) return `the next key: ${next}`;
  const view = await done(store.get('views'));
  if (view[0].buffer !== view[2]) return 'the buffer is not shared';
  if (`${file.name} ${file.type} ${file.lastModified} ${await file.text()}` !== 'f.txt text/plain 7 a file') return 'the file';
  const second = await open('second');
  const stored = second.transaction('keys').objectStore('keys');
  const [{ good, sealed }, all] = await Promise.all([done(stored.get('good')), done(stored.getAllKeys())]);
  const plain = await crypto.subtle.decrypt({ name: 'AES-GCM', iv: new Uint8Array(12) }, good, sealed);
  if (new TextDecoder().decode(plain) !== 'sealed' || all.join() !== wanted) return `keys: ${all}`;
  return 'as it was';
}
</script>"#;

#[tokio::test]
async fn databases_are_in_another_browser_as_they_were() {
    let site = Site::start().await.page("/", DATABASES);
    let fixture = Fixture::start().await;
    fixture.goto(&site.url("/")).await;
    assert_eq!(fixture.js("fill()").await, "filled");
    assert_eq!(fixture.js("check('bad,good')").await, "as it was");
    let origin = site.url("");
    let tab = fixture.browser.blank_tab(fixture.context.id()).await.unwrap();
    let read = tab.open_origin(&origin).await.unwrap().read_databases(8 << 20).await.unwrap();
    assert_eq!(read.databases, 2);
    let omitted = ["1 record of the database `second`: keys that cannot be exported", "1 cache"];
    assert_eq!(read.omitted, omitted);
    let small = tab.open_origin(&origin).await.unwrap().read_databases(10_000).await.unwrap();
    assert_eq!(small.databases, 1, "one is small");
    assert_eq!(small.omitted[0], "the database `first`: it is too large");

    assert_eq!(small.left, ["first", "second"]);
    let kept = tab.open_origin(&origin).await.unwrap().restore_databases(&small).await.unwrap();
    assert_eq!((kept.databases, kept.problems.len()), (1, 0));
    assert_eq!(fixture.js("check('bad,good')").await, "as it was", "what is left stays");

    let other = Fixture::start().await;
    let packed = read.packed.unwrap();
    let tab = other.browser.blank_tab(other.context.id()).await.unwrap();
    let storage = tab.open_origin(&origin).await.unwrap();
    let written = storage.write_databases(&packed, false).await.unwrap();
    assert_eq!((written.databases, written.problems.as_slice()), (2, &[][..]));
    // Once more, on top of what is there.
    let written = storage.write_databases(&packed, false).await.unwrap();
    assert_eq!((written.databases, written.problems.as_slice()), (2, &[][..]));
    drop(tab);
    other.goto(&site.url("/")).await;
    assert_eq!(other.js("check('good')").await, "as it was");
    let tab = other.browser.blank_tab(other.context.id()).await.unwrap();
    let storage = tab.open_origin(&origin).await.unwrap();
    // The page has them open.
    let cleared = storage.clear_databases().await.unwrap();
    assert_eq!(cleared.problems.len(), 2, "{:?}", cleared.problems);
    other.goto("about:blank").await;
    let written = storage.write_databases(&packed, true).await.unwrap();
    assert_eq!((written.databases, written.problems.as_slice()), (2, &[][..]));
    assert!(storage.clear_databases().await.unwrap().problems.is_empty());
    assert_eq!(storage.read_databases(8 << 20).await.unwrap().databases, 0);
}
