import type { Readable } from 'node:stream';

/** One of the unmanaged file areas. Source: extensions, File areas */
export type FileArea =
  | { readonly kind: 'collection' }
  | { readonly kind: 'space'; readonly spaceId: string }
  | { readonly kind: 'user'; readonly spaceId: string; readonly userName: string }
  | { readonly kind: 'participant'; readonly spaceId: string; readonly participantId: string };

/** A file or a directory of an area: decoded and checked segments below its root, none for the root itself. */
export interface FilePlace {
  readonly area: FileArea;
  readonly segments: readonly string[];
}

export interface FileInfo {
  readonly kind: 'file';
  /** In bytes. */
  readonly size: number;
  /** Ms since the epoch. */
  readonly modifiedAt: number;
  /** Another one for every other content of the place, as far as the disk can tell: it changes with size, time of writing and file. */
  readonly stamp: string;
  /** Another one for every other file that is there at the same time; the same while a file grows. */
  readonly fileId: string;
}

export type PlaceInfo = FileInfo | { readonly kind: 'directory'; readonly modifiedAt: number };

/** What a write brought. */
export interface Written extends Arrived {
  readonly stamp: string;
}

/** The bytes of a write that were taken. */
export interface Arrived {
  /** In bytes. */
  readonly size: number;
  /** Lower-case hex. */
  readonly md5: string;
}

export interface WriteOptions {
  /** Takes the place of a file that is there; otherwise that is an error. */
  readonly replace?: boolean;
  /** Called when every byte has arrived and before anybody can see the file: what it throws refuses the write, of which nothing remains. */
  readonly accept?: (written: Written) => void | Promise<void>;
}

/** Bytes that stand one behind another in a file, from a position on. */
export interface Section {
  readonly position: number;
  readonly pieces: readonly Uint8Array[];
}

/** Bytes [from, to) of a file. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** Content that can use the memory of its pieces again. */
export interface FileStream extends Readable {
  /** Tells that a piece was sent and nobody looks at it any more. Whoever keeps pieces does not call it. */
  release?(piece: Uint8Array): void;
}

/** A file as it was when it was opened, whatever becomes of its place; it has to be closed unless a stream of it was read or destroyed. */
export interface OpenFile {
  readonly info: FileInfo;
  /** Closes the file at its end. May be called once. */
  stream(range?: ByteRange): FileStream;
  close(): Promise<void>;
}

/** Who keeps what is known of a file that is begun. No other file has the id of the begun one meanwhile. */
export interface Beginning {
  /** Called before anybody can see the file; what it throws refuses it. */
  accept(begun: FileInfo): Promise<void>;
  /** Called when the place turned out to be taken after that. */
  withdraw(begun: FileInfo): Promise<void>;
}

/** A file that is written on, whatever becomes of its place. It has to be disposed of; as long as it is open, no other file gets its id. */
export interface GrowingFile extends Disposable {
  info(): FileInfo;
  /** Durable when it resolves. @throws {NoRoom} */
  write(section: Section): Promise<void>;
}

/** Something is at the place that keeps it from being written: a file, a directory, or a file where a directory would be needed. */
export class PlaceTaken extends Error {
  override readonly name = 'PlaceTaken';
}

/** The disk is full. Nothing of what was to be written counts. */
export class NoRoom extends Error {
  override readonly name = 'NoRoom';
}

/** Where the bytes of the file areas are. Nothing outside its root is ever read or written, whatever links stand in it. */
export interface FileStore {
  /** Undefined when nothing is there. */
  describe(place: FilePlace): Promise<PlaceInfo | undefined>;
  /** Writes a file whole or not at all, durable when it resolves; directories are made as needed. @throws {PlaceTaken | NoRoom} */
  write(place: FilePlace, content: AsyncIterable<Uint8Array>, options?: WriteOptions): Promise<Written>;
  /** Makes a file that has a section only, durable when it resolves. @throws {PlaceTaken | NoRoom} nothing of it remains */
  begin(place: FilePlace, section: Section, beginning: Beginning): Promise<void>;
  /** Undefined when there is no file. */
  openToGrow(place: FilePlace): Promise<GrowingFile | undefined>;
  /** Undefined when there is no file. */
  open(place: FilePlace): Promise<OpenFile | undefined>;
  /** Undefined when there is no file. The stream has to be read or destroyed. */
  read(place: FilePlace, range?: ByteRange): Promise<Readable | undefined>;
  /** Whether there was a file. @throws {PlaceTaken} a directory is there */
  remove(place: FilePlace): Promise<boolean>;
  /** What is in a directory, in the order of names; undefined when there is none. */
  list(place: FilePlace): Promise<readonly (PlaceInfo & { readonly name: string })[] | undefined>;
  /** No area has a file or a directory any more. Only while nobody writes. */
  empty(): Promise<void>;
  close(): Promise<void>;
}
