/** Longest answer that is taken, in bytes; what comes beyond is an error of its own. */
export const mostBodyBytes = 64 * 1024 * 1024;
/** Longest head of an answer, as undici and Node have it, in bytes. */
const mostHeadBytes = 16 * 1024;

/** What came is no answer in HTTP/1.1, or one that is not taken. */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer';
}

export interface Answer {
  readonly status: number;
  /** By lower-case name; several of one name in one text. */
  readonly headers: Record<string, string>;
  /** In order; the last one stands where the bytes were read to, so that it is to be looked at before more are. */
  readonly pieces: readonly Buffer[];
  /** The connection may carry another request. */
  readonly keeps: boolean;
}

interface Head extends Pick<Answer, 'status' | 'headers' | 'keeps'> {
  readonly framing: Framing;
}

type Framing = { readonly kind: 'length'; readonly length: number } | { readonly kind: 'chunks' | 'end' };

type Part = 'head' | 'length' | 'end' | 'size' | 'chunk' | 'after chunk' | 'trailer';

const lineEnd = Buffer.from('\r\n');
const headEnd = Buffer.from('\r\n\r\n');

/**
 * Reads answers from the bytes of a connection, as strictly as undici does: a line ends with CR LF, a header stands on one line, a length is said
 * once and not beside chunks. What is looser than that makes the same bytes two things to two readers. Source: RFC 9112 sections 2.2, 5, 6, 7
 */
export class AnswerReader {
  #part: Part = 'head';
  #head: Head | undefined;
  /** Of a head, of the line of a chunk or of a trailer: what came of it. */
  #begun: Buffer | undefined;
  #pieces: Buffer[] = [];
  #length = 0;
  /** Bytes that are still to come of the body, or of the chunk. */
  #left = 0;

  /** Whether any byte of an answer came. */
  get hasBegun(): boolean {
    return this.#head !== undefined || this.#begun !== undefined;
  }

  /** Takes the first `length` bytes, which may be overwritten afterwards. @returns the answer when it is whole. @throws {BadAnswer} */
  read(bytes: Buffer, length: number): Answer | undefined {
    let at = 0;
    while (at < length || this.#isOver()) {
      if (this.#isOver()) return this.#finish(at === length);
      at = this.#readPart(bytes, at, length);
    }
    return undefined;
  }

  /** The connection ended. @returns the answer where its end is that of the connection */
  end(): Answer | undefined {
    return this.#part === 'end' ? this.#finish(false) : undefined;
  }

  #isOver(): boolean {
    return this.#part === 'length' && this.#left === 0;
  }

  #finish(keeps: boolean): Answer | undefined {
    const head = this.#head;
    if (head === undefined) return undefined;
    const answer = { status: head.status, headers: head.headers, pieces: this.#pieces, keeps: keeps && head.keeps };
    [this.#part, this.#head, this.#begun, this.#pieces, this.#length] = ['head', undefined, undefined, [], 0];
    return answer;
  }

  #readPart(bytes: Buffer, at: number, until: number): number {
    switch (this.#part) {
      case 'head':
        return this.#readHead(bytes, at, until);
      case 'length':
      case 'chunk': {
        const end = Math.min(until, at + this.#left);
        this.#left -= end - at;
        this.#take(bytes, at, end);
        if (this.#left === 0 && this.#part === 'chunk') this.#part = 'after chunk';
        return end;
      }
      case 'end':
        this.#take(bytes, at, until);
        return until;
      default:
        return this.#readLine(bytes, at, until);
    }
  }

  #take(bytes: Buffer, from: number, to: number): void {
    if (from === to) return;
    this.#length += to - from;
    if (this.#length > mostBodyBytes) throw new BadAnswer(`the answer is longer than ${mostBodyBytes} bytes`);
    const piece = bytes.subarray(from, to);
    this.#pieces.push(this.#isOver() ? piece : Buffer.from(piece));
  }

  #readHead(bytes: Buffer, at: number, until: number): number {
    const { text, next } = this.#upTo(headEnd, bytes, at, until);
    if (text === undefined) return next;
    const head = headIn(text);
    if (head === undefined) return next;
    this.#head = head;
    const { framing } = head;
    if (framing.kind === 'length') [this.#part, this.#left] = ['length', framing.length];
    else this.#part = framing.kind === 'chunks' ? 'size' : 'end';
    return next;
  }

  #readLine(bytes: Buffer, at: number, until: number): number {
    const { text, next } = this.#upTo(lineEnd, bytes, at, until);
    if (text === undefined) return next;
    if (this.#part === 'size') {
      this.#left = sizeIn(text);
      this.#part = this.#left === 0 ? 'trailer' : 'chunk';
    } else if (this.#part === 'after chunk') {
      if (text !== '\r\n') throw new BadAnswer('a chunk is longer than it says');
      this.#part = 'size';
    } else if (text === '\r\n') [this.#part, this.#left] = ['length', 0];
    else if (!field.test(text)) throw new BadAnswer('a trailer is no header');
    return next;
  }

  /** The text up to and with the mark, once it is there. @throws {BadAnswer} it is too long, or a line ends in another way */
  #upTo(mark: Buffer, bytes: Buffer, at: number, until: number): { readonly text?: string; readonly next: number } {
    const before = this.#begun;
    const room = before === undefined ? bytes.subarray(at, until) : Buffer.concat([before, bytes.subarray(at, until)]);
    const found = room.indexOf(mark);
    if (found < 0) {
      this.#begun = Buffer.from(room);
      assertMayGoOn(room);
      return { next: until };
    }
    const end = found + mark.length;
    if (end > mostHeadBytes) throw new BadAnswer('the head of the answer is too long');
    this.#begun = undefined;
    return { text: room.toString('latin1', 0, end), next: at + end - (before?.length ?? 0) };
  }
}

/** Half a line or head waits for the rest, unless no rest makes it one. */
function assertMayGoOn(room: Buffer): void {
  if (room.length > mostHeadBytes) throw new BadAnswer('the head of the answer is too long');
  const text = room.toString('latin1');
  if (/(?:^|[^\r])\n|\r(?!\n|$)/.test(text)) throw new BadAnswer('a line does not end with CR LF');
}

/** An empty line before is a rest of the answer before, which undici lets pass as well. */
const statusLine = /^(?:\r\n)?HTTP\/1\.([01]) (\d{3})(?: [\t\x20-\x7e\x80-\xff]*)?\r\n/;
const fields = /([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[\t ]*([\t\x20-\x7e\x80-\xff]*)\r\n/y;
const field = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*\r\n$/;

/** Undefined of an interim answer. @throws {BadAnswer} */
function headIn(text: string): Head | undefined {
  const [line = '', minor, digits] = statusLine.exec(text) ?? [];
  if (line === '') throw new BadAnswer('the answer does not begin as one in HTTP/1.1');
  const status = Number(digits);
  const headers: Record<string, string> = {};
  let lengths = 0;
  fields.lastIndex = line.length;
  while (fields.lastIndex < text.length - lineEnd.length) {
    const found = fields.exec(text);
    if (found === null) throw new BadAnswer('a header of the answer is malformed');
    const name = (found[1] ?? '').toLowerCase();
    const value = (found[2] ?? '').trimEnd();
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
    if (name === 'content-length') lengths += 1;
  }
  if (status === 101) throw new BadAnswer('the target changed to another protocol');
  const framing = framingOf(status, headers, lengths);
  if (status < 200) return undefined;
  return { status, headers, framing, keeps: framing.kind !== 'end' && isKept(headers['connection'], minor === '0') };
}

function framingOf(status: number, headers: Readonly<Record<string, string>>, lengths: number): Framing {
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  if (lengths > 1) throw new BadAnswer('the length of the answer is said twice');
  if (length !== undefined && coding !== undefined) throw new BadAnswer('the answer has a length beside chunks');
  if (length !== undefined && !/^\d{1,15}$/.test(length)) throw new BadAnswer('the length of the answer is no number');
  if (status < 200 || status === 204 || status === 304) return { kind: 'length', length: 0 };
  if (coding !== undefined) return { kind: /(?:^|,)[\t ]*chunked$/i.test(coding) ? 'chunks' : 'end' };
  return length === undefined ? { kind: 'end' } : { kind: 'length', length: Number(length) };
}

function isKept(connection: string | undefined, isOld: boolean): boolean {
  if (connection === undefined) return !isOld;
  const words = connection
    .toLowerCase()
    .split(',')
    .map((word) => word.trim());
  return isOld ? words.includes('keep-alive') : !words.includes('close');
}

function sizeIn(line: string): number {
  const [, digits] = /^([0-9A-Fa-f]{1,12})(?:;[\t\x20-\x7e\x80-\xff]*)?\r\n$/.exec(line) ?? [];
  if (digits === undefined) throw new BadAnswer('a chunk does not say its size');
  return Number.parseInt(digits, 16);
}
