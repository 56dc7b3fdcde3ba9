import { hash } from 'node:crypto';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { readBytes } from '../../contract/named-file.ts';
import type { RuleId } from '../../contract/rule.ts';
import type { Verdict } from '../outcome.ts';
import type { Content } from './content.ts';
import { wrongWith } from './form.ts';
import type { AskLine, Head, Line } from './lines.ts';

export interface RecordedVerdict {
  readonly rule: RuleId;
  readonly verdict: Verdict;
}

/** What a cassette says of itself. */
export interface About {
  readonly implementation: string;
  readonly suiteVersion: string;
  /** RFC 3339. */
  readonly startedAt: string;
  readonly profileDigest?: string;
  readonly seed: number;
  readonly runs: number;
  /** As they were when all were known. */
  readonly verdicts: readonly RecordedVerdict[];
}

/** A recorded run: what it came to, and what its cases saw. */
export interface Cassette {
  readonly about: About;
  /** What a recorder left, compressed. */
  readonly tape: Uint8Array;
}

/** A file that cannot be played. */
export class CassetteError extends Error {
  readonly code = 'CASSETTE';
}

const title = 'svc-conformance cassette ';
const version = 2;
const digestLength = 64;
/** Longest parts, unpacked, in bytes: a full run has 50 MB. */
const mostAboutBytes = 16 * 1024 * 1024;
const mostTapeBytes = 256 * 1024 * 1024;

/** A title with the version, the digest of all that follows, and two compressed parts, the first behind its length. */
export function cassetteBytes({ about, tape }: Cassette): Uint8Array {
  const first = zstdCompressSync(JSON.stringify(about));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(first.length);
  const content = Buffer.concat([length, first, tape]);
  return Buffer.concat([Buffer.from(`${title}${version}\n${hash('sha256', content)}\n`), content]);
}

/** @throws {CassetteError} */
export function readCassetteFile(file: string): Buffer {
  const refusal = (why: string): Error =>
    new CassetteError(`${file} cannot be read: ${why}; name a file that check --record has written`);
  return readBytes(file, refusal, mostTapeBytes);
}

/** @param name of the file, for sentences @throws {CassetteError} */
export function readCassette(bytes: Uint8Array, name: string): Cassette {
  const buffer = Buffer.from(bytes);
  const [first = ''] = buffer.toString('latin1', 0, 100).split('\n');
  if (!first.startsWith(title))
    throw new CassetteError(`${name} is no cassette: name a file that check --record has written`);
  const found = first.slice(title.length);
  if (found !== String(version))
    throw new CassetteError(
      `${name} is a cassette of version ${found}, and this suite plays version ${version}: record it again, or play it with the suite that recorded it`,
    );
  const start = first.length + 1 + digestLength + 1;
  const content = buffer.subarray(start);
  if (hash('sha256', content) !== buffer.toString('latin1', first.length + 1, start - 1))
    throw new CassetteError(
      `${name} is damaged: its digest is not that of its content, so that it was cut off or changed since it was recorded; record it again`,
    );
  if (content.length < 4) throw new CassetteError(`${name} is no cassette: nothing follows its digest`);
  const length = content.readUInt32BE(0);
  const about = parsed<About>('about', unpacked(content.subarray(4, 4 + length), mostAboutBytes).toString());
  return { about, tape: new Uint8Array(content.subarray(4 + length)) };
}

/** @throws {CassetteError} it is not packed, or holds more than any run */
function unpacked(bytes: Uint8Array, mostBytes: number): Buffer {
  try {
    // many small pieces take longer to join than to unpack
    return zstdDecompressSync(bytes, { maxOutputLength: mostBytes, chunkSize: 1024 * 1024 });
  } catch (error) {
    const isTooLong = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    const why = isTooLong ? `unpacked it is longer than ${mostBytes} bytes` : 'a part of it cannot be unpacked';
    throw new CassetteError(`the cassette is damaged: ${why}`);
  }
}

/** What a recorder left, line by line: all of it as one text would take twice the room as soon as one letter of it is not Latin. */
export function readTape(tape: Uint8Array): { readonly head: Head; readonly lines: readonly Line[] } {
  const bytes = unpacked(tape, mostTapeBytes);
  const lines: Line[] = [];
  let from = endOfLine(bytes, 0) + 1;
  const head = parsed<Head>('head', bytes.toString('utf8', 0, from - 1));
  while (from < bytes.length) {
    const to = endOfLine(bytes, from);
    if (to > from) lines.push(parsed<Line>('line', bytes.toString('utf8', from, to)));
    from = to + 1;
  }
  return { head, lines };
}

/** How the recorded run was made: the first line, for which so much of the tape is unpacked as it takes. */
export function headOf(tape: Uint8Array): Head {
  for (let length = firstPiece; length < tape.length; length *= 4) {
    const bytes = beginningOf(tape.subarray(0, length));
    if (bytes?.includes(10) === true) return parsed('head', bytes.toString('utf8', 0, bytes.indexOf(10)));
  }
  const bytes = unpacked(tape, mostTapeBytes);
  return parsed('head', bytes.toString('utf8', 0, endOfLine(bytes, 0)));
}

const firstPiece = 64 * 1024;

/** @throws {CassetteError} it is no JSON, or not what stands there in a cassette */
function parsed<T>(part: 'about' | 'head' | 'line', text: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new CassetteError('the cassette is damaged: a part of it is no JSON');
  }
  const wrong = wrongWith(part, value);
  if (wrong !== undefined) throw new CassetteError(`the cassette is damaged: ${wrong}`);
  return value as T;
}

function endOfLine(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(10, from);
  return end === -1 ? bytes.length : end;
}

/** What the first bytes of a packed part hold; undefined where that cannot be told without the others. */
function beginningOf(bytes: Uint8Array): Buffer | undefined {
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: mostTapeBytes, finishFlush: constants.ZSTD_e_continue });
  } catch {
    return undefined;
  }
}

/** The answers by their numbers, for content that comes again. */
export function contentIn(answers: readonly AskLine[], { content = '' }: Pick<AskLine, 'content'>): Content {
  if (typeof content === 'string' || !('same' in content)) return content;
  const first = answers[content.same]?.content ?? '';
  return typeof first === 'string' || !('same' in first) ? first : '';
}
