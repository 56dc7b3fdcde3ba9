import type { IdentityName } from '../../contract/profile.ts';
import type { Changes, Reply, RequestSpec } from '../exchange.ts';

/** In the order of the document. Source: extensions, File areas */
export type AreaName = 'collection' | 'space' | 'user' | 'participant';

/** A file area of the service under test. */
export interface FileArea {
  readonly name: AreaName;
  /** Documented base path with ids filled in, from the base URL on: `/api/space/main/fs/file`. */
  readonly path: string;
  /** Identity of the profile that may use it; the sender of every request unless changed. */
  readonly as: IdentityName;
}

export interface UploadChanges extends Changes {
  /** Value of the `checksum` header; the right one unless given, null for none. */
  readonly checksum?: string | null;
  /** `application/octet-stream` unless given, null for none. */
  readonly contentType?: string | null;
}

export interface DownloadChanges extends Changes {
  /** `query` sends the token of the sender as query parameter `token` and no Authorization header; a text is sent there as it is. */
  readonly token?: 'query' | { readonly text: string };
}

/** One call of a chunk upload; whatever is absent is what an orderly upload would send. Source: extensions, File routes, chunk table */
export interface Chunk {
  /** Path of the file below the area, as resumableRelativePath; not encoded. */
  readonly path: string;
  /** The whole file. */
  readonly file: Uint8Array;
  /** Nominal size in bytes. */
  readonly chunkSize: number;
  /** From 1. */
  readonly number: number;
  /** The bytes that are sent, where they are not those of the file. */
  readonly bytes?: Uint8Array;
  /** Text parts that are sent otherwise, by name; null leaves the part out. */
  readonly parts?: Readonly<Record<string, string | null>>;
  /** File name of the part `file`. */
  readonly fileName?: string;
  /** Order of the parts by name, `file` included; those left out follow. The text parts come first unless given. */
  readonly order?: readonly string[];
}

/** The file routes as documented. A path is written with slashes; each segment of it is percent-encoded, unless `raw` says that it is ready. */
export interface Files {
  /** The areas that the profile declares. */
  readonly areas: readonly FileArea[];
  /** The first of them. */
  readonly any: FileArea;
  area(name: AreaName): FileArea;
  /** The user area as another identity sees it. */
  userArea(as: IdentityName): FileArea;
  /** Needs `second-participant`: the area of that participant, used by the second editor. */
  readonly secondParticipant: FileArea;
  /** Needs `second-space`: the space area there, used by the editor. */
  readonly secondSpace: FileArea;

  uploadRequest(area: FileArea, path: string, bytes: Uint8Array, changes?: UploadChanges & Raw): RequestSpec;
  chunkRequest(area: FileArea, chunk: Chunk, changes?: UploadChanges): RequestSpec;
  downloadRequest(area: FileArea, path: string, changes?: Changes & Raw): RequestSpec;
  removeRequest(area: FileArea, path: string, changes?: Changes & Raw): RequestSpec;

  /** Stream upload. */
  upload(area: FileArea, path: string, bytes: Uint8Array, changes?: UploadChanges & Raw): Promise<Reply>;
  /** One chunk. */
  chunk(area: FileArea, chunk: Chunk, changes?: UploadChanges): Promise<Reply>;
  /** Every chunk, one after another until one is refused; the replies so far. */
  chunks(area: FileArea, upload: Omit<Chunk, 'number'>): Promise<readonly Reply[]>;
  download(area: FileArea, path: string, changes?: DownloadChanges & Raw): Promise<Reply>;
  remove(area: FileArea, path: string, changes?: Changes & Raw): Promise<Reply>;
  /** GET of the listing, by routes.dir of the profile or `…/fs/dir/{path}`. */
  directory(area: FileArea, path?: string, changes?: Changes & Raw): Promise<Reply>;
  /** Lower-case hex of the MD5 of the bytes, as the judge computes it. */
  checksumOf(bytes: Uint8Array): string;
  /** Changes that send Basic with user name and personal access token of the identity, or with another secret. @throws {Inconclusive} the profile lacks them */
  basic(as: IdentityName, secret?: string): Pick<Changes, 'as' | 'headers'>;
}

/** How a path is spelled. */
export interface Raw {
  /** The path is put into the URL as it stands. */
  readonly raw?: boolean;
}

/** A file that the case uploaded. */
export interface GivenFile {
  readonly area: FileArea;
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** What `given` offers for files. A failure in here is never a `fail` of the rule. */
export interface MakesFiles {
  /** A path that no other case uses: a unique directory with a file in it, or just a unique name at the root of the area. */
  filePath(options?: { readonly root?: boolean; readonly name?: string }): string;
  /** Bytes of that length that no other case uses, the same for the same seed. */
  bytes(length: number): Uint8Array;
  /** A file uploaded by stream and booked for clean-up; of the first area, with a path and bytes of its own unless given. */
  file(options?: {
    readonly area?: FileArea;
    readonly path?: string;
    readonly bytes?: Uint8Array;
    readonly contentType?: string;
  }): Promise<GivenFile>;
  /** Books a file that the case made otherwise than by `upload`, `chunk` and `chunks`, which book what they make. */
  bookFile(area: FileArea, path: string): void;
}
