import type { Readable } from 'node:stream';
import type { Space, User } from '../configuration.ts';
import type { FileStream } from '../ports/file-store.ts';

/** Log of one request or of the server; every line of a request carries its correlation id. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A request after routing, before any check. */
export interface Call {
  readonly method: string;
  /** Whether the content stays behind, as for HEAD, whose `method` is GET. */
  readonly withoutContent?: true;
  /** Path with query as the client sent it. */
  readonly url: string;
  /** Names of the segments in the route, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Lower-case names; repeated headers are joined as HTTP does. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer | undefined;
  /** The body of a route that takes it as it comes; `body` is undefined then. */
  readonly stream?: Readable;
  /** What a `{name*}` at the end of the route stands for: its segments as the client sent them. */
  readonly rest?: readonly string[];
  readonly correlationId: string;
  /** Whether the client gave the correlation id. */
  readonly correlationGiven: boolean;
  readonly log: Log;
  /** Where the client connects from; absent where no connection stands behind the call. */
  readonly remoteAddress?: string;
  /** Whether the client hung up meanwhile, which ends nothing that was begun. Absent where no connection stands behind the call. */
  readonly isAbandoned?: () => boolean;
}

/** A call on a route of a space by an identity whose role allows the method. */
export interface SpaceCall extends Call {
  readonly space: Space;
  readonly user: User;
  /** In an operation of a batch: whether another operation of it created the object, so that no relation may lead there. */
  readonly isSibling?: (oid: string) => boolean;
  /** In an operation of a batch: whether the batch itself made or changed the object, which nobody outside can read as it is by then. */
  readonly isChangedHere?: (oid: string) => boolean;
  /** What extensions found out ahead of the change set, by object and version; a promote hands it on to the version that it makes. */
  readonly verdicts?: Map<string, Verdict>;
}

/** A call on a collection route, or on one that asks for a valid identity only. */
export interface UserCall extends Call {
  readonly user: User;
}

/** The decoded information filter; other members are ignored. */
export interface InformationFilter {
  readonly time?: string;
  readonly role?: string;
}

/** An answer before it meets the wire. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A JSON value; absent for an empty body. */
  readonly body?: unknown;
  /** A text or bytes already serialised, with its own content-type header; takes the place of `body`. */
  readonly raw?: string | Buffer;
  /** Content that is sent as it is read, with its own content-type header; takes the place of `body` and `raw`. */
  readonly stream?: StreamedContent;
  /** How it is sent, where a dialect or a fault wants it otherwise. */
  readonly transport?: Transport;
}

/** Whoever has the answer last reads the content to its end or destroys it. */
export interface StreamedContent {
  readonly content: FileStream;
  /** Number of bytes that `content` gives. */
  readonly size: number;
}

export interface Transport {
  readonly chunked?: boolean;
  /** `announced` sends `Connection: close`; `silent` just closes after the answer; where a body has no length, `with the body` tells its end. */
  readonly close?: 'announced' | 'silent' | 'with the body';
  /** Whether an interim answer goes before. */
  readonly interim?: boolean;
  /** Behind the status, in place of the usual words. */
  readonly reason?: string;
  /** Whether the answer goes without its date. */
  readonly dateless?: boolean;
  readonly upperCaseHeaders?: boolean;
  readonly delayMs?: number;
}

/** What an extension found, or why it found nothing. Source: extensions, Calls to extensions, row ExternalValidation; Errors 5 */
export type Verdict =
  | { readonly kind: 'valid'; readonly message: string }
  | { readonly kind: 'invalid'; readonly message: string }
  | { readonly kind: 'error'; readonly message: string };
