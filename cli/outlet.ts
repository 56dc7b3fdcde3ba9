import { appendFileSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { styleText } from 'node:util';
import { withoutCredentials } from '../contract/credentials.ts';
import { forgetLearned, learnedSince, Secrets } from '../judge/redact/redact.ts';
import { jsonLine, printable } from '../reports/text.ts';
import { makeFolder } from './make-folder.ts';

// The one way out of the process: the linter refuses every other one. What a target sent stands in what leaves here without the secrets that
// this process has come to know, and without anything that a terminal would act upon.

let secrets = new Secrets();

/** Members of records whose texts are words of the suite: a password that is one of them is not shown by it. */
const ours = new Set(
  'rule verdict standsOn missing selected kind level area event blocks state profileDigest'.split(' '),
);

/** A value none of whose texts holds a secret. Only this module makes one, out of anything, and only what is clean becomes another clean one. */
export class Clean<T> {
  readonly #value: T;

  private constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  /** The value with every text in it redacted, which an encoding comes after: a text of JSON that is redacted need not be JSON. */
  static of<T>(value: T): Clean<T> {
    return new Clean(known().redactAll(value, printable, (member) => ours.has(member)));
  }

  /** What belongs to the person in front, as a key that was made, the profile or an announcement, and what is made of cassettes, in which others stand for the secrets. */
  static own<T>(value: T): Clean<T> {
    return new Clean(value);
  }

  /** What is made of it and of words of the suite. */
  map<U>(make: (value: T) => U): Clean<U> {
    return new Clean(make(this.#value));
  }
}

/** Text of anything, or what is known to be clean. */
export type Leaving = string | Clean<string>;

/** A stream of the process. */
export interface Outlet {
  readonly isTTY: boolean;
  readonly columns: number | undefined;
  /** As NO_COLOR, FORCE_COLOR and the stream have it. */
  readonly hasColours: boolean;
  write(text: Leaving): void;
}

export const stdout = outletOf('stdout');
export const stderr = outletOf('stderr');

export function printJson(value: unknown): void {
  stdout.write(Clean.of(value).map(jsonLine));
}

/** Says it on standard error. */
export function tell(sentence: string): void {
  stderr.write(withoutCredentials(`svc-conformance: ${sentence}\n`));
}

/** The text as it may leave by a way of its own. */
export function gated(text: Leaving): string {
  return text instanceof Clean ? text.value : printable(known().redact(text));
}

/** Writes a document, and makes its folder where there is none. @param content bytes are those of a cassette, in which others stand for the secrets */
export function writeDocument(file: string, content: Leaving | Clean<Uint8Array>): void {
  makeFolder(dirname(file));
  try {
    writeNew(file, content);
  } catch (error) {
    emptyAgain(file);
    throw error;
  }
}

/** Half of a document is none. */
function emptyAgain(file: string): void {
  try {
    if (statSync(file).isFile()) truncateSync(file);
  } catch {
    // why it could not be written is told
  }
}

/** The same in a folder that is there. */
export function writeNew(
  file: string,
  content: Leaving | Clean<Uint8Array>,
  options: { readonly flag?: 'wx'; readonly mode?: number } = {},
): void {
  writeFileSync(file, content instanceof Clean ? content.value : gated(content), options);
}

export function appendText(file: string, text: Leaving): void {
  appendFileSync(file, gated(text));
}

export function writeLine(file: number, line: Clean<string>): void {
  const bytes = Buffer.from(line.value);
  for (let done = 0; done < bytes.byteLength;) done += writeSync(file, bytes, done);
}

/** What one command has come to know is none of the next one's business: a secret may be a word that others use. For several in one process. */
export function forgetSecrets(): void {
  forgetLearned();
  secrets = new Secrets();
}

/** The registry of everything that any other one of this process knows. */
function known(): Secrets {
  for (const [variable, secret] of learnedSince()) secrets.add(variable, secret);
  return secrets;
}

/** What the views write to draw one line over and over, to begin a screen, and to colour what is theirs. */
const drawing = /(\r?\u001b\[2K|\u001b\[2J\u001b\[3J\u001b\[H|\u001b\[\d{1,2}m)/;

function outletOf(name: 'stdout' | 'stderr'): Outlet {
  return {
    get isTTY() {
      return process[name].isTTY;
    },
    get columns() {
      return process[name].columns;
    },
    get hasColours() {
      return styleText('bold', 'a', { stream: process[name] }) !== 'a';
    },
    write(text) {
      const clean = text instanceof Clean ? text.value : known().redact(text);
      process[name].write(this.isTTY || this.hasColours ? drawn(clean) : printable(clean));
    },
  };
}

function drawn(text: string): string {
  return text
    .split(drawing)
    .map((part, index) => (index % 2 === 1 ? part : printable(part)))
    .join('');
}
