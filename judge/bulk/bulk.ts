import type { Changes, Reply } from '../exchange.ts';

/** Where a bulk upload goes. Source: extensions, File routes, rows 5 to 7 */
export type BulkLevel = 'collection' | 'space' | 'participant';

/** Source: extensions, Bulk upload request body */
export interface BulkBody {
  readonly sourceDirectory?: unknown;
  readonly writeLog?: unknown;
  readonly targetDirectory?: unknown;
  readonly replaceFiles?: unknown;
  readonly deleteFilesAfterUpload?: unknown;
}

export interface BulkChanges extends Changes {
  /** Base64 of the key that signs; that of the profile unless given. */
  readonly key?: string;
  /** Text that is signed; the path of the route unless given. */
  readonly signed?: string;
  /** Bearer value as it is sent; null for none. */
  readonly signature?: string | null;
}

/** The bulk upload routes. Need `admin-api-key` or a key in the changes. */
export interface Bulk {
  /** Path of the route with the ids of the profile, as it is signed. */
  path(level: BulkLevel): string;
  upload(level: BulkLevel, body: BulkBody, changes?: BulkChanges): Promise<Reply>;
  /** Bearer value over a path, as the judge computes it. Source: extensions, Authentication 2 */
  signatureOf(key: string, path: string): string;
}

/** A directory on the disk of the service's host with files in it. Needs `host-directory`. */
export interface SourceDirectory {
  /** As the service sees it, for sourceDirectory. */
  readonly path: string;
  /** Names of all files below it, with slashes, in order. */
  names(): Promise<readonly string[]>;
  read(name: string): Promise<Uint8Array>;
  write(name: string, bytes: Uint8Array): Promise<void>;
}

export interface MakesSources {
  /** A fresh directory with these files, by relative name with slashes; gone after the case. */
  sourceDirectory(files: Readonly<Record<string, Uint8Array>>): Promise<SourceDirectory>;
}
