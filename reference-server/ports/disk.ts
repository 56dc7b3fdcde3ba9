import { createHash, randomUUID } from 'node:crypto';
import {
  type BigIntStats,
  close,
  closeSync,
  constants,
  fstatSync,
  fsync,
  linkSync,
  lstatSync,
  mkdirSync,
  open,
  openSync,
  read,
  realpathSync,
  unlinkSync,
  writev,
} from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, realpath, rename, rm, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import {
  type Arrived,
  type Beginning,
  type ByteRange,
  type FileArea,
  type FileInfo,
  type FilePlace,
  type FileStore,
  type GrowingFile,
  NoRoom,
  type OpenFile,
  type PlaceInfo,
  PlaceTaken,
  type Section,
  type WriteOptions,
  type Written,
} from './file-store.ts';

/** Folder of what is being written, beside those of the areas. */
const incomingFolder = '.incoming';

interface Root {
  /** Free of links. */
  path(): Promise<string>;
  /** Whether what is written has to survive a crash of the machine: what goes when the store is closed need not. */
  readonly isKept: boolean;
  close(): Promise<void>;
}

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

const [made, readFrom, writeTo, flushed, closed] = [
  promisify(open),
  promisify(read),
  promisify(writev),
  promisify(fsync),
  promisify(close),
];

/**
 * An open file or folder. What takes microseconds is done at once, and only what waits for the disk goes to the thread pool: on a busy
 * machine the way there and back takes longer than the work.
 */
class Descriptor implements Disposable {
  readonly #fd: number;
  #closed = false;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /** Opens what is there. @throws {Error} that of the system */
  static open(path: string, flags: number): Descriptor {
    return new Descriptor(openSync(path, flags));
  }

  /** Makes a file where that is needed, for which the disk may be asked. @throws {Error} that of the system */
  static async make(path: string, flags: number): Promise<Descriptor> {
    return new Descriptor(await made(path, flags, 0o666));
  }

  stats(): BigIntStats {
    return fstatSync(this.#fd, { bigint: true });
  }

  /** Number of bytes that were read into the buffer; 0 at the end. */
  async read(into: Uint8Array, position: number): Promise<number> {
    return (await readFrom(this.#fd, into, 0, into.length, position)).bytesRead;
  }

  /** Writes all of the pieces, one behind another: the system may take a part of them only. */
  async write(pieces: readonly Uint8Array[], position: number): Promise<void> {
    let left = pieces.filter(({ length }) => length > 0);
    for (let at = position; left.length > 0;) {
      const { bytesWritten } = await writeTo(this.#fd, left, at);
      at += bytesWritten;
      left = behind(left, bytesWritten);
    }
  }

  /** What was written survives a crash of the machine. */
  sync(): Promise<void> {
    return flushed(this.#fd);
  }

  /** For a file that may have been deleted, whose room the system gives back now. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await closed(this.#fd);
  }

  [Symbol.dispose](): void {
    if (!this.#closed) closeSync(this.#fd);
    this.#closed = true;
  }
}

/** Bytes that are read at once. */
const pieceBytes = 512 * 1024;

/** Pieces that are kept to be filled again: one is being read while another one is sent. */
const sparePieces = 2;

/** Bytes of an open file, which is closed at the end. Pieces that are given back are filled again. */
class FileContent extends Readable {
  readonly #file: Descriptor;
  readonly #to: number;
  #at: number;
  readonly #spare: Uint8Array[] = [];
  #isReading = false;
  #close: (() => void) | undefined;

  constructor(file: Descriptor, { from, to }: ByteRange) {
    super({ highWaterMark: pieceBytes });
    this.#file = file;
    this.#at = from;
    this.#to = to;
  }

  /** Says that nobody looks at a piece of this content any more. */
  release(piece: Uint8Array): void {
    if (piece.buffer.byteLength === pieceBytes && this.#spare.length < sparePieces)
      this.#spare.push(new Uint8Array(piece.buffer));
  }

  override _read(): void {
    void this.#next();
  }

  /** A descriptor that is closed while it is read could be that of another file already. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const close = (): void => {
      this.#file[Symbol.dispose]();
      done(error);
    };
    if (this.#isReading) this.#close = close;
    else close();
  }

  async #next(): Promise<void> {
    this.#isReading = true;
    const read = await this.#filled().catch((error: unknown) =>
      Object.assign(new Error('Cannot read the file.'), { cause: error }),
    );
    this.#isReading = false;
    if (this.#close !== undefined) this.#close();
    else if (read instanceof Error) this.destroy(read);
    else this.push(read ?? null);
  }

  /** Undefined at the end. @throws {Error} the file has become shorter, so that fewer bytes would go than were announced */
  async #filled(): Promise<Buffer | undefined> {
    const length = Math.min(pieceBytes, this.#to - this.#at);
    if (length <= 0) return undefined;
    // what fits into less gets less: memory that nothing is written to is cleared all the same, and stays until all else is swept
    const piece = this.#spare.pop() ?? new Uint8Array(length);
    const bytes = await this.#file.read(piece.subarray(0, length), this.#at);
    if (bytes === 0) throw new Error('The file has become shorter.');
    this.#at += bytes;
    return Buffer.from(piece.buffer, 0, bytes);
  }
}

/** Bytes that are written at once, or a piece more. */
const batchBytes = 1024 * 1024;

/** Folder and name where a file is to stand. The folder is made only when everything has arrived. */
interface Target {
  readonly isKept: boolean;
  folder(): Promise<string>;
  readonly name: string;
}

/** Keeps the areas below a folder, which is made when something is first asked for; without one below a folder that goes when the store is closed. */
export function openFileStore(folder?: string): FileStore {
  const root = rootOf(folder);
  const located = async (place: FilePlace): Promise<{ readonly found?: string; readonly name: string }> => {
    const { folders, name } = whereabouts(place);
    const found = foundPath(await root.path(), folders);
    return { name, ...(found !== undefined && { found }) };
  };
  const { isKept } = root;
  const made = async (folders: readonly string[]): Promise<string> => madeFolder(await root.path(), folders, isKept);
  let incoming: Promise<string> | undefined;
  // nobody else reaches into a temporary folder, so that one look is enough
  const incomingPath = (): Promise<string> => (isKept ? made([incomingFolder]) : (incoming ??= made([incomingFolder])));
  return {
    async describe(place) {
      const { found, name } = await located(place);
      const stats = found === undefined ? undefined : statsOf(join(found, name));
      return stats && infoOf(stats);
    },
    async write(place, content, options = {}) {
      const { folders, name } = whereabouts(place);
      const incoming = await incomingPath();
      return withRoom(writtenFile(incoming, { folder: () => made(folders), name, isKept }, content, options));
    },
    async begin(place, section, beginning) {
      const { folders, name } = whereabouts(place);
      const incoming = await incomingPath();
      return withRoom(begunFile(incoming, { folder: () => made(folders), name, isKept }, section, beginning));
    },
    async openToGrow(place) {
      const { found, name } = await located(place);
      return found === undefined ? undefined : openedToGrow(join(found, name), isKept);
    },
    async open(place) {
      const { found, name } = await located(place);
      return found === undefined ? undefined : openedFile(join(found, name));
    },
    async read(place, range) {
      return (await this.open(place))?.stream(range);
    },
    async remove(place) {
      const { found, name } = await located(place);
      return found === undefined ? false : removedFile(found, name, isKept);
    },
    async list(place) {
      const { folders, name } = whereabouts(place);
      const found = foundFolder(await root.path(), [...folders, name]);
      return found === undefined ? undefined : describeListed(found);
    },
    async empty() {
      const path = await root.path();
      for (const folder of areaKinds) await rm(join(path, folder), { recursive: true, force: true, maxRetries: 10 });
    },
    close: () => root.close(),
  };
}

function rootOf(folder: string | undefined): Root {
  let opened: Promise<string> | undefined;
  return {
    isKept: folder !== undefined,
    path: () => (opened ??= folder === undefined ? temporary() : kept(folder)),
    async close() {
      if (folder === undefined && opened !== undefined)
        await rm(await opened, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

async function temporary(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), 'svc-files-')));
}

async function kept(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  return realpath(folder);
}

/** Folders below the root that hold areas, and nothing else. */
const areaKinds: readonly FileArea['kind'][] = ['collection', 'space', 'user', 'participant'];

/** Folder of an area below the root. Ids are encoded, so that none of them, dots included, can lead anywhere else. */
function areaFolder(area: FileArea): readonly string[] {
  switch (area.kind) {
    case 'collection':
      return ['collection'];
    case 'space':
      return ['space', asFolder(area.spaceId)];
    case 'user':
      return ['user', asFolder(area.spaceId), asFolder(area.userName)];
    case 'participant':
      return ['participant', asFolder(area.spaceId), asFolder(area.participantId)];
  }
}

function asFolder(id: string): string {
  return encodeURIComponent(id).replaceAll('.', '%2E') || '%';
}

/** Folders from the root to the one that holds the place, and its name in there. @throws {RangeError} a place that is not below the root */
function whereabouts({ area, segments }: FilePlace): {
  readonly folders: readonly string[];
  readonly name: string;
} {
  const path = join(...areaFolder(area), ...segments);
  const all = path.split(sep).filter((name) => name !== '');
  const name = all.at(-1);
  if (name === undefined || name === '.' || all[0] === '..')
    throw new RangeError('Expected a place below the root of the files.');
  return { folders: all.slice(0, -1), name };
}

/** The path, when no link is part of it and something is there; below what is no folder nothing is found. */
function foundPath(root: string, folders: readonly string[]): string | undefined {
  const path = join(root, ...folders);
  return whenThere(() => realpathSync.native(path)) === path ? path : undefined;
}

/** The folder as a path that no link is part of; undefined when it is not there, or not a folder of its own. */
function foundFolder(root: string, folders: readonly string[]): string | undefined {
  const path = foundPath(root, folders);
  return path !== undefined && statsOf(path)?.isDirectory() ? path : undefined;
}

/** The folder, made as far as it is not there; at the same time by others too. @throws {PlaceTaken} a file or a link is in the way */
async function madeFolder(root: string, folders: readonly string[], isKept: boolean): Promise<string> {
  const found = foundFolder(root, folders);
  if (found !== undefined) return found;
  let path = root;
  for (const folder of folders) {
    const parent = path;
    path = join(parent, folder);
    if (makeFolder(path) && isKept) await syncFolder(parent);
    if (!statsOf(path)?.isDirectory())
      throw new PlaceTaken(`Where a directory ${folder} is needed, something else is.`);
  }
  return path;
}

function makeFolder(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** What stands in a folder survives a crash of the machine. */
async function syncFolder(path: string): Promise<void> {
  using folder = Descriptor.open(path, O_RDONLY | O_DIRECTORY);
  await folder.sync();
}

function statsOf(path: string): BigIntStats | undefined {
  return whenThere(() => lstatSync(path, { bigint: true, throwIfNoEntry: false }));
}

/** Undefined where nothing is, and behind links or files that are taken for folders. */
function whenThere<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    return absent(error);
  }
}

/** Passes over that nothing is there. @throws {unknown} any other error */
function absent(error: unknown): undefined {
  if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error))) throw error;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Undefined for what is neither a file nor a directory; a link is neither. */
function infoOf(stats: BigIntStats): PlaceInfo | undefined {
  if (stats.isFile()) return fileInfoOf(stats);
  return stats.isDirectory() ? { kind: 'directory', modifiedAt: Number(stats.mtimeMs) } : undefined;
}

function fileInfoOf(stats: BigIntStats): FileInfo {
  return {
    kind: 'file',
    size: Number(stats.size),
    modifiedAt: Number(stats.mtimeMs),
    stamp: stampOf(stats),
    fileId: stats.ino.toString(36),
  };
}

function stampOf({ ino, size, mtimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs].map((number) => number.toString(36)).join('-');
}

/** What is left of the pieces behind so many bytes. */
function behind(pieces: readonly Uint8Array[], bytes: number): Uint8Array[] {
  const left: Uint8Array[] = [];
  let skipped = bytes;
  for (const piece of pieces) {
    if (skipped < piece.length) left.push(piece.subarray(skipped));
    skipped = Math.max(0, skipped - piece.length);
  }
  return left;
}

/** Undefined when there is no file; neither a link is followed nor a pipe waited for. */
function openedFile(path: string): OpenFile | undefined {
  const file = openedToRead(path);
  if (file === undefined) return undefined;
  const stats = file.stats();
  if (!stats.isFile()) return void file[Symbol.dispose]();
  const info = fileInfoOf(stats);
  return {
    info,
    stream: (range = { from: 0, to: info.size }) => new FileContent(file, range),
    close: () => file.close(),
  };
}

/** A socket has a name too, but cannot be opened. */
function openedToRead(path: string): Descriptor | undefined {
  try {
    return Descriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    return codeOf(error) === 'ENXIO' ? undefined : absent(error);
  }
}

/** What is in a folder, in the order of names; what is neither file nor directory is left out. */
async function describeListed(folder: string): Promise<readonly (PlaceInfo & { readonly name: string })[] | undefined> {
  const names = await readdir(folder).catch(absent);
  if (names === undefined) return undefined;
  const entries = await Promise.all(names.map(async (name) => entryOf(folder, name)));
  return entries.filter((entry) => entry !== undefined).sort((one, other) => (one.name < other.name ? -1 : 1));
}

async function entryOf(folder: string, name: string): Promise<(PlaceInfo & { readonly name: string }) | undefined> {
  const stats = await lstat(join(folder, name), { bigint: true }).catch(absent);
  const info = stats && infoOf(stats);
  return info && { ...info, name };
}

/** @throws {NoRoom} where the disk is full */
async function withRoom<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!['ENOSPC', 'EDQUOT'].includes(codeOf(error))) throw error;
    throw new NoRoom('The disk is full.', { cause: error });
  }
}

async function writtenFile(
  incoming: string,
  target: Target,
  content: AsyncIterable<Uint8Array>,
  { replace = false, accept }: WriteOptions,
): Promise<Written> {
  return drafted(incoming, target, replace, async (file) => {
    const arrived = await fillFile(file, content);
    if (target.isKept) await file.sync();
    const written = { ...arrived, stamp: stampOf(file.stats()) };
    await accept?.(written);
    return written;
  });
}

async function begunFile(
  incoming: string,
  target: Target,
  { pieces, position }: Section,
  { accept, withdraw }: Beginning,
): Promise<void> {
  const begin = async (file: Descriptor): Promise<FileInfo> => {
    await file.write(pieces, position);
    if (target.isKept) await file.sync();
    const begun = fileInfoOf(file.stats());
    await accept(begun);
    return begun;
  };
  await drafted(incoming, target, false, begin, withdraw);
}

/** Writes to a file that nobody sees, and gives it its name at the end. */
async function drafted<T>(
  incoming: string,
  target: Target,
  replace: boolean,
  fill: (file: Descriptor) => Promise<T>,
  withdraw?: (result: T) => Promise<void>,
): Promise<T> {
  const draft = join(incoming, randomUUID());
  try {
    using file = await Descriptor.make(draft, O_WRONLY | O_CREAT | O_EXCL);
    const result = await fill(file);
    const folder = await placeRefusal(draft, target, replace).catch(async (error: unknown) => {
      await withdraw?.(result);
      throw error;
    });
    if (target.isKept) await syncFolder(folder);
    return result;
  } finally {
    if (statsOf(draft) !== undefined) await unlink(draft);
  }
}

/** The next bytes may come while the last ones are being written. */
async function fillFile(file: Descriptor, content: AsyncIterable<Uint8Array>): Promise<Arrived> {
  const hash = createHash('md5');
  let size = 0;
  let stored = Promise.resolve();
  try {
    for await (const { pieces, bytes } of batchesOf(content)) {
      for (const piece of pieces) hash.update(piece);
      await stored;
      stored = file.write(pieces, size);
      stored.catch(() => 'told when it is waited for');
      size += bytes;
    }
  } finally {
    await stored;
  }
  return { size, md5: hash.digest('hex') };
}

/** Many small writes cost more than the bytes in them. */
async function* batchesOf(
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly pieces: readonly Uint8Array[]; readonly bytes: number }> {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of content) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes < batchBytes) continue;
    yield { pieces, bytes };
    pieces = [];
    bytes = 0;
  }
  if (bytes > 0) yield { pieces, bytes };
}

/** @returns the folder that it stands in. @throws {PlaceTaken} */
async function placeRefusal(draft: string, { folder, name }: Target, replace: boolean): Promise<string> {
  const path = await folder();
  await giveName(draft, join(path, name), replace);
  return path;
}

/** A link never takes the place of anything, so that of several writers one wins. @throws {PlaceTaken} */
async function giveName(draft: string, path: string, replace: boolean): Promise<void> {
  try {
    if (replace) return await rename(draft, path);
    linkSync(draft, path);
    unlinkSync(draft);
  } catch (error) {
    if (['EEXIST', 'EISDIR'].includes(codeOf(error)))
      throw new PlaceTaken('Something is there already.', { cause: error });
    throw error;
  }
}

/** Undefined when there is no file; no link is followed. */
function openedToGrow(path: string, isKept: boolean): GrowingFile | undefined {
  const file = openedToWrite(path);
  if (!file?.stats().isFile()) return void file?.[Symbol.dispose]();
  return {
    info: () => fileInfoOf(file.stats()),
    write: ({ position, pieces }) =>
      withRoom(file.write(pieces, position).then(() => (isKept ? file.sync() : undefined))),
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}

function openedToWrite(path: string): Descriptor | undefined {
  try {
    return Descriptor.open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    return ['EISDIR', 'ENXIO'].includes(codeOf(error)) ? undefined : absent(error);
  }
}

/** Whether there was a file; a link is none. @throws {PlaceTaken} a directory is there */
async function removedFile(folder: string, name: string, isKept: boolean): Promise<boolean> {
  const path = join(folder, name);
  const stats = statsOf(path);
  if (stats?.isDirectory()) throw new PlaceTaken('A directory is there.');
  if (!stats?.isFile()) return false;
  const removed = await unlink(path).then(() => true, absent);
  if (isKept) await syncFolder(folder);
  return removed ?? false;
}
