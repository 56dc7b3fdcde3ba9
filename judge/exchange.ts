import type { IdentityName } from '../contract/profile.ts';

/** Headers as they stand on the wire, in their order. */
export type Headers = readonly (readonly [name: string, value: string])[];

/** Values of the headers of that name, without regard to case. */
export function headersIn(headers: Headers, name: string): readonly string[] {
  const lower = name.toLowerCase();
  return headers.flatMap(([each, value]) => (each.toLowerCase() === lower ? [value] : []));
}

/** The first of them. */
export function headerIn(headers: Headers, name: string): string | undefined {
  return headersIn(headers, name)[0];
}

/** A request as a case states it, before identity, filter and version are turned into headers. */
export interface RequestSpec {
  readonly method: string;
  /** Absolute, or from the base URL on. */
  readonly url: string;
  /** Identity whose token is sent; null sends no Authorization header. */
  readonly as: IdentityName | null;
  /** Information filter: an object is sent as Base64 of its JSON, a string as it is, null not at all; absent means that of the profile. */
  readonly filter?: object | string | null;
  /** `Svc-UOIVersion`: a text is sent as it is, null or absent means no header. */
  readonly version?: number | string | null;
  /** Further headers, spelled as given; null takes away one that would be sent. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** A string or bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
  /** A server error may be its right answer: of a batch with an operation that failed, or of what hands on the outcome of a call. */
  readonly mayFail?: true;
  /** Id of the link that it follows: several may lead to one address. */
  readonly link?: string;
  /** What it creates is no object to delete in the end, or is booked by whoever sends it. */
  readonly unbooked?: true;
}

/** What a request states of a header, without regard to case; undefined where it says nothing. */
export function statedHeader(headers: RequestSpec['headers'] = {}, name: string): string | null | undefined {
  return Object.entries(headers).find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1];
}

/** What a case may change in a ready request. */
export type Changes = Partial<RequestSpec>;

/** How long a client stays after the last byte of a request whose answer it does not wait for; some 30 ms unless given, and at least. */
export type Leave = Changes & { readonly stayMs?: number };

/** What went over the wire once; texts are cut to a limit, the cut is marked. */
export interface Exchange {
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Headers;
    readonly body?: string;
  };
  readonly response?: {
    readonly status: number;
    readonly headers: Headers;
    readonly body: string;
  };
  /** Why there is no response. */
  readonly error?: string;
  /** Monotonic ms from the start of the run. */
  readonly sentAt: number;
  readonly durationMs: number;
}

/** An answer with its exchange. */
export interface Reply {
  readonly status: number;
  /** By lower-case name; repeated headers are joined with ", ". */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Uint8Array;
  readonly text: string;
  /** The body as JSON, or undefined where it is none. Never throws. */
  readonly json: unknown;
  /** URI the request went to, absolute; relative references resolve against it. */
  readonly url: string;
  readonly exchange: Exchange;
  /** Of a 403, or one of an operation in a batch, where a method is missing in the role of the caller, or may be for all that is known. */
  readonly missingMethod?: MissingMethod | undefined;
  /** Whether the same request showed an object before, which this answer does not, though its case has deleted nothing. */
  readonly isLost?: boolean;
  /** Whether something before the service answered in its place. */
  readonly isInPlace?: true;
  /** Whether it was told as the result of an operation of a batch, whose exchange it has. */
  readonly isOfBatch?: true;
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Whether a call that is answered so comes again. Source: extensions, Errors, rule 1 */
export function isTransient(status: number): boolean {
  return status === 408 || status >= 500;
}

/** Whether it says that there is nothing. */
export function isOfNothing(status: number): boolean {
  return status === 404 || status === 410;
}

/** A method that the role of an identity does not have, or may not have. */
export interface MissingMethod {
  readonly as: IdentityName;
  readonly method: string;
  /** Whether the profile says so. */
  readonly isStated: boolean;
}
