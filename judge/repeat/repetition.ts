import type { Exchange } from '../exchange.ts';
import type { Part } from '../redact/redact.ts';
import type { Statuses } from '../violation.ts';

/** Part of a text of a script; `base64` stands for the encoding of its parts. */
export type ScriptPart = Part | { readonly base64: readonly ScriptPart[] } | MadePart;

/** What a command of a POSIX shell prints, made of a variable. */
interface MadePart {
  readonly command: string;
  readonly of: string;
}

/** Part of a body: text, or a command of a POSIX shell that prints bytes. */
export type BodyPart = { readonly parts: readonly ScriptPart[] } | { readonly command: string };

/** Where an answer tells a value that later requests need. */
export interface Capture {
  readonly variable: string;
  /** Name of a header, lower case; or the JSON Pointer of a member. */
  readonly header?: string;
  readonly pointer?: string;
  /** Which of the pieces between `"`, `/`, `?`, `&`, `=` and `#`, counted from the end, from 1; all of it unless given. */
  readonly piece?: number;
  /** Only what stands before the first `{`. */
  readonly stem?: true;
  /** With this in the place of what stands in braces. */
  readonly filled?: string;
}

/** What of the answer to the last request shows the violation. */
export type Check =
  | { readonly kind: 'status'; readonly expected: Statuses; readonly found: number }
  /** The header is missing. */
  | { readonly kind: 'header'; readonly name: string; readonly status: number }
  | MeetingCheck
  | LinesCheck;

/** So many answers at least to what is sent at one moment have such a status. */
export interface MeetingCheck {
  readonly kind: 'meeting';
  readonly found: Statuses;
  readonly least: number;
}

/** Every line is in the answer told as lines, see `linesOf`. */
export interface LinesCheck {
  readonly kind: 'lines';
  readonly status: number;
  /** What is found. */
  readonly lines: readonly (readonly ScriptPart[])[];
  /** The line that should stand there, where that is known. */
  readonly expected?: readonly ScriptPart[];
  /** The same with a value that an answer told spelled otherwise, as a number or as a text. */
  readonly alsoRight?: readonly ScriptPart[];
  /** What the POSIX command `cksum` prints of all lines of the body, sorted by their bytes. */
  readonly sum?: string;
  /** Number of all lines, where it is the same each time. */
  readonly count?: number;
  /** Only the lines of the body are counted. */
  readonly ofBody?: true;
}

export interface ScriptStep {
  /** Its answer is not waited for. */
  readonly unanswered?: true;
  /** It is sent at one moment with those beside it that are so as well, which are the last. */
  readonly atOnce?: true;
  /** Its url is a token, which is looked at in the place of a request. */
  readonly isOfToken?: true;
  /** It is sent below any HTTP client, and the body of its answer is all that follows the head. */
  readonly raw?: true;
  /** What it does to files, in the place of a request. */
  readonly file?: 'make' | 'write' | 'remove' | 'read' | 'list';
  readonly method: string;
  readonly url: readonly ScriptPart[];
  readonly headers: readonly (readonly [string, readonly ScriptPart[]])[];
  readonly body?: readonly BodyPart[];
  /** A form whose values hold secrets, in the place of the body. */
  readonly form?: readonly (readonly [string, readonly ScriptPart[]])[];
  /** A line of a shell that makes the signature. */
  readonly signature?: string;
  /** So long is waited before it is sent, in ms. */
  readonly pauseMs?: number;
  /** So much time has passed that a token of before may have ended: it takes another one. */
  readonly isLater?: true;
  readonly status: number;
  readonly captures: readonly Capture[];
  /** What its answer tells as well, where what was found is made of several. */
  readonly found?: LinesCheck;
  /** As it was recorded. */
  readonly exchange: Exchange;
}

/** Requests that show a violation again: they make their own objects and take ids, versions and links from the answers. */
export interface Repetition {
  /** The last one is judged. Where the service calls somebody, there are orders to `simulate callee` among them. */
  readonly steps: readonly ScriptStep[];
  /** What takes registrations back, whatever was shown. */
  readonly afterwards?: readonly ScriptStep[];
  readonly check: Check;
  /** For so many seconds the last one is sent again while it shows the violation, as what it shows may come late. */
  readonly patienceSeconds?: number;
  /** How a reader gets what is made of secrets: name -> a line of a shell. */
  readonly variables?: Readonly<Record<string, string>>;
  /** What `BASE_URL` stands for. */
  readonly baseUrl: string;
  /** Requests of the case up to the violation. */
  readonly recorded: number;
  /** Whether it was played to the target and showed the same. */
  readonly shown: boolean;
}

/** A violation that no requests alone can show, and why. */
export interface NoRepetition {
  readonly reason: string;
}
