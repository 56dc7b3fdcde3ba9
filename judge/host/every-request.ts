import { decodeSegment } from '../service/requests.ts';
import { checksumOf } from '../service/signature.ts';
import { isSuccess, type Reply } from '../exchange.ts';
import { isObject } from '../json.ts';
import { type Arrival, askedBy, chunkOf, finalStatuses, headerOf } from './arrival.ts';
import type { HostCall } from './host.ts';
import type { Course } from './queue.ts';
import { filePathOf } from './played/files.ts';

/** What an installation knows of a request that came to it. */
export interface GivenOut {
  readonly spaceId: string;
  /** Of the tasks that were called from there. */
  readonly inputPaths: readonly string[];
  /** Whether a call of that id was made from there. */
  gaveOut(callId: string): boolean;
  /** Whether a call was made from there that is about that space. */
  hasNamed(spaceId: string): boolean;
  /** Whether a call from there brought what it sends. */
  hasBrought(arrival: Arrival): boolean;
  /** Whether it carries the token of a call that was made from there. */
  speaksFor(arrival: Arrival): boolean;
}

export interface WrongRequest {
  readonly what: string;
  readonly arrival: Arrival;
  /** The rule in whose case it came. */
  readonly cameFor: string;
}

/** A call, and the rule in whose case it was made. */
interface MadeCall {
  readonly call: HostCall;
  readonly cameFor: string;
}

/** A call that had no answer. */
export interface Unanswered extends MadeCall {
  /** Whether its connection ended before the time of the suite was over. */
  readonly isLost: boolean;
}

/** A task that the host acknowledged. */
export interface TakenTask extends MadeCall {
  /** In ms of the clock of the host. */
  readonly takenAt: number;
  readonly course: () => Course;
}

/** For a validation, one in whose way the service was not. */
export interface Answered extends MadeCall {
  readonly reply: Reply;
}

/** How long limits of size may be is not said: what is longer may be refused by the end of its connection, in signs. */
const usualLength = 16_384;

/** Cases that call with what no service sends. */
const faulty: ReadonlySet<string> = new Set(['calls.host.malformed-envelope']);

/** Where a token may stand in the query. Source: extensions, Authentication 1 */
const byQueryToo: ReadonlySet<string> = new Set(['download', 'directory']);
const ofFiles: ReadonlySet<string> = new Set(['upload', 'chunk', 'deletion', ...byQueryToo]);

/** What goes to a place that its token is not for, or names files: it shows at the end whose they are. */
const mayBeOfOthers: ReadonlySet<string> = new Set(['status', 'progress', 'object', ...ofFiles]);

const mostKept = 30;

interface Sent {
  readonly path: string;
  readonly chunk?: { readonly number: number; readonly total: string | undefined } | undefined;
  readonly seen: Reply;
}

/** Uploads of an installation with their answers, and what may have brought files there by ways that are not looked at. */
interface Place {
  readonly uploads: Sent[];
  readonly otherWays: Arrival[];
}

interface Noted {
  readonly arrival: Arrival;
  readonly from: GivenOut;
  readonly cameFor: string;
}

/** What the host sends because of its calls in a run, whatever a case asks for: the first that are wrong are kept. */
export class EveryRequest {
  readonly #wrong: WrongRequest[] = [];
  readonly #places = new Map<GivenOut, Place>();
  readonly #later: Noted[] = [];
  readonly #unanswered: Unanswered[] = [];
  readonly #taken = new Map<string, TakenTask>();
  readonly #validated: Answered[] = [];
  readonly #refused: Answered[] = [];
  /** Ids of records that took a usual call. */
  readonly #taking = new Set<string>();
  judged = 0;

  /** The first calls that had no answer, at least once. */
  get unanswered(): readonly Unanswered[] {
    return this.#unanswered;
  }

  /** The tasks that the host acknowledged, the first of them first. */
  get taken(): readonly TakenTask[] {
    return [...this.#taken.values()];
  }

  noteTaken(task: TakenTask): void {
    const { accessToken } = task.call.envelope;
    if (!faulty.has(task.cameFor) && !this.#taken.has(accessToken)) this.#taken.set(accessToken, task);
  }

  get validated(): readonly Answered[] {
    return this.#validated;
  }

  noteValidated(validated: Answered): void {
    if (!faulty.has(validated.cameFor)) this.#validated.push(validated);
  }

  /** Usual calls without success, of records that took others. */
  get refused(): readonly Answered[] {
    return this.#refused.filter(({ call }) => this.hasTaken(call.record.id));
  }

  /** Whether a usual call of that record had success. */
  hasTaken(record: string): boolean {
    return this.#taking.has(record);
  }

  noteAnswered(answered: Answered): void {
    const { call, reply, cameFor } = answered;
    if (call.isUsual !== true || faulty.has(cameFor)) return;
    if (isSuccess(reply.status)) this.#taking.add(call.record.id);
    else this.#refused.push(answered);
  }

  noteUnanswered(unanswered: Unanswered): void {
    const { call, cameFor } = unanswered;
    if (faulty.has(cameFor) || this.#unanswered.length === mostKept) return;
    if (JSON.stringify(call.envelope).length > usualLength) return;
    if (!this.#unanswered.some((other) => other.call === call)) this.#unanswered.push(unanswered);
  }

  note(arrival: Arrival, from: GivenOut, cameFor: string): void {
    if (faulty.has(cameFor)) return;
    const what = wrongIn(arrival, from);
    this.judged += 1;
    this.#keep(arrival, from);
    if (what !== undefined && this.#wrong.length < mostKept) this.#wrong.push({ what, arrival, cameFor });
    else if (mayBeOfOthers.has(arrival.kind) && !isAtHome(arrival, from)) this.#later.push({ arrival, from, cameFor });
  }

  /** The first that are wrong, so far. */
  get wrong(): readonly WrongRequest[] {
    const ofOthers = this.#later.flatMap(({ arrival, from, cameFor }) => {
      const what = this.#ofAnother(arrival, from);
      return what === undefined ? [] : [{ what, arrival, cameFor }];
    });
    return [...this.#wrong, ...ofOthers].slice(0, mostKept);
  }

  #keep(arrival: Arrival, from: GivenOut): void {
    const place = this.#places.get(from) ?? { uploads: [], otherWays: [] };
    this.#places.set(from, place);
    const { kind } = arrival;
    const isRead = arrival.method === 'GET' || arrival.method === 'HEAD';
    if ((kind === 'other' || kind === 'keyed') && !isRead && !from.hasBrought(arrival)) place.otherWays.push(arrival);
    if (kind !== 'upload' && kind !== 'chunk') return;
    const read = kind === 'chunk' ? chunkOf(arrival) : undefined;
    const path = kind === 'upload' ? filePathOf(arrival) : (read?.path ?? '');
    const chunk = read && { number: read.number, total: read.texts.get('resumableTotalChunks') };
    place.uploads.push({ path, chunk, seen: arrival.seen });
  }

  /** Source: extensions, Authentication 4; Callbacks; External task links */
  #ofAnother(arrival: Arrival, from: GivenOut): string | undefined {
    const others = [...this.#places.keys()].filter((place) => place !== from);
    if (arrival.callId === undefined)
      return isIn(arrival, from) && others.some((place) => place.speaksFor(arrival))
        ? 'carries the token of a call of another space'
        : undefined;
    const job = jobOf(arrival);
    if (job !== undefined && !from.gaveOut(job))
      return others.some((place) => place.gaveOut(job)) ? 'tells of the job of another call' : undefined;
    // spaces of two installations may have one id
    if (others.some((place) => isIn(arrival, place) && !from.hasNamed(place.spaceId)))
      return 'goes to a space of another call';
    const file = told(arrival).find((path) => this.#isOfOthersAlone(path, arrival, from));
    if (file !== undefined) return `names ${file}, a file of another job`;
    // in which spelling a path is told is judged where one task is looked at
    const results = /\/status\/Completed$/i.test(arrival.path) ? told(arrival) : [];
    const nowhere = results.find((path) => this.#isNowhere(path, arrival, from));
    if (nowhere) return `names ${nowhere}, which it never sent`;
    const lost = results.find((path) => this.#isLost(path, arrival, from));
    return lost ? `names ${lost}, which the service could not take whenever it was sent` : undefined;
  }

  /** Whether all uploads that are called like that failed for a reason that passes, or all of one chunk: what is refused because it is there is there. Source: extensions, Callbacks and Errors 1; chunk table */
  #isLost(path: string, report: Arrival, from: GivenOut): boolean {
    const { uploads = [], otherWays = [] } = this.#places.get(from) ?? {};
    if (otherWays.some((other) => mayBring(other, path, report))) return false;
    const names = [path, decodeSegment(path)].map(lastOf);
    if (uploads.some((upload) => upload.path === '') || from.inputPaths.some((there) => names.includes(lastOf(there))))
      return false;
    const alike = uploads.filter((upload) => names.includes(lastOf(upload.path)));
    const isLost = alike.length > 0 && alike.every(hadTrouble);
    return isLost || hasLostChunk(alike.filter((upload) => upload.path === path));
  }

  /** Whether neither an upload, an input nor a directory of one is called like that, as far as all uploads were seen. Source: extensions, Callbacks */
  #isNowhere(path: string, report: Arrival, from: GivenOut): boolean {
    const { uploads = [], otherWays = [] } = this.#places.get(from) ?? {};
    const paths = uploads.map((upload) => upload.path);
    const names = new Set([...paths, ...from.inputPaths].flatMap((there) => there.split('/')));
    const name = lastOf(path);
    const isSeen = !otherWays.some((other) => mayBring(other, path, report));
    return isSeen && !paths.includes('') && !names.has(name) && !names.has(decodeSegment(name));
  }

  /** What has no directory may be called alike anywhere. */
  #isOfOthersAlone(path: string, report: Arrival, from: GivenOut): boolean {
    const own = this.#places.get(from);
    if (own === undefined || !path.includes('/')) return false;
    if (own.otherWays.some((other) => mayBring(other, path, report))) return false;
    const isOwn = own.uploads.some(
      (upload) => `/${path}`.endsWith(`/${upload.path}`) || upload.path.endsWith(`/${path}`),
    );
    const isThere = ({ uploads }: Place): boolean => uploads.some((upload) => upload.path === path);
    return !isOwn && [...this.#places].some(([place, sent]) => place !== from && isThere(sent));
  }
}

function hadTrouble({ seen }: Sent): boolean {
  return seen.status === 408 || seen.status >= 500;
}

/** Whether a chunk of the last try with a file never came through. */
function hasLostChunk(sent: readonly Sent[]): boolean {
  if (sent.some((upload) => upload.chunk === undefined && !hadTrouble(upload))) return false;
  const total = sent.at(-1)?.chunk?.total;
  const ofLast = sent.filter(({ chunk }) => chunk !== undefined && chunk.total === total);
  return [...Map.groupBy(ofLast, ({ chunk }) => chunk?.number).values()].some((one) => one.every(hadTrouble));
}

function lastOf(path: string): string {
  return path.split('/').findLast((segment) => segment !== '') ?? '';
}

/** Whether a request may have brought the file of that path for the task whose end is reported: a bulk upload into its directory, and what else its own call sent. */
function mayBring({ kind, json, callId }: Arrival, path: string, report: Arrival): boolean {
  if (kind === 'other') return callId === undefined || callId === report.callId;
  const target = isObject(json) ? json['targetDirectory'] : undefined;
  return typeof target !== 'string' || path.includes(target.replaceAll(/^\/+|\/+$/g, ''));
}

function isIn({ path }: Arrival, { spaceId }: GivenOut): boolean {
  return path.includes(`/space/${spaceId}/`);
}

function jobOf({ kind, path }: Arrival): string | undefined {
  if (kind !== 'status' && kind !== 'progress') return undefined;
  return decodeSegment(/\/dx\/([^/]+)/.exec(path)?.[1] ?? '');
}

/** Paths of files that the report of an end names. */
function told({ kind, json }: Arrival): readonly string[] {
  if (kind !== 'status' || !isObject(json)) return [];
  const paths = [json['outputFilePath'], json['logFilePath']].filter((path) => typeof path === 'string');
  return paths.map((path) => path.replace(/^\/+/, ''));
}

/** Whether a request that names no file stays in the space of its token and tells of a job of it. */
function isAtHome(arrival: Arrival, place: GivenOut): boolean {
  if (arrival.callId === undefined || !isIn(arrival, place) || told(arrival).length > 0) return false;
  const job = jobOf(arrival);
  return job === undefined || place.gaveOut(job);
}

/** Source: extensions, Authentication 1 and 4; External task links; Callbacks */
function wrongIn(arrival: Arrival, givenOut: GivenOut): string | undefined {
  const { kind } = askedBy(arrival);
  if (kind === 'status' || kind === 'progress') return wrongInReport(arrival, kind, givenOut);
  if (!ofFiles.has(kind) || !arrival.target.includes(givenOut.spaceId)) return undefined;
  if (arrival.callId === undefined) return 'carries the token of no call';
  if (arrival.token?.in !== 'header' && !byQueryToo.has(kind)) return 'carries its token in the query';
  return isChecksumOfOthers(arrival) ? 'carries a checksum that is not that of its bytes' : undefined;
}

function isChecksumOfOthers(arrival: Arrival): boolean {
  const checksum = headerOf(arrival, 'checksum');
  const bytes = arrival.kind === 'chunk' ? chunkOf(arrival)?.bytes : arrival.bytes;
  const isUpload = arrival.kind === 'upload' || arrival.kind === 'chunk';
  return isUpload && checksum !== undefined && bytes !== undefined && checksum !== checksumOf(bytes);
}

function wrongInReport(
  { path, method, text, json, callId, token }: Arrival,
  kind: 'status' | 'progress',
  place: GivenOut,
): string | undefined {
  const job = decodeSegment(/\/dx\/([^/]+)/.exec(path)?.[1] ?? '');
  if (!place.gaveOut(job)) return undefined;
  if (callId !== job) return `carries the token of ${callId === undefined ? 'no call' : 'the call of another job'}`;
  if (token?.in !== 'header') return 'carries its token in the query';
  if (kind === 'status' && !finalStatuses.includes(decodeSegment(lastOf(path)))) return 'is no status';
  if (kind === 'status') return text === '' || isObject(json) ? undefined : 'has a body that is no JSON object';
  if (method !== 'PUT') return 'is no PUT';
  const message = isObject(json) ? json['message'] : json;
  return typeof message === 'string' ? undefined : 'has no text as its message';
}
