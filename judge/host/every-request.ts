import { decodeSegment } from '../service/requests.ts';
import { isObject } from '../json.ts';
import { type Arrival, askedBy } from './arrival.ts';

/** What an installation knows of a request that came to it. */
export interface GivenOut {
  readonly spaceId: string;
  /** Whether a call of that id was made from there. */
  gaveOut(callId: string): boolean;
}

export interface WrongRequest {
  readonly what: string;
  readonly arrival: Arrival;
  /** The rule in whose case it came. */
  readonly cameFor: string;
}

/** Cases that call with what no service sends. */
const faulty: ReadonlySet<string> = new Set(['calls.host.malformed-envelope']);

/** Where a token may stand in the query. Source: extensions, Authentication 1 */
const byQueryToo: ReadonlySet<string> = new Set(['download', 'directory']);
const ofFiles: ReadonlySet<string> = new Set(['upload', 'chunk', 'deletion', ...byQueryToo]);

const mostKept = 30;

/** What the host sends because of its calls in a run, whatever a case asks for: the first that are wrong are kept. */
export class EveryRequest {
  readonly wrong: WrongRequest[] = [];
  judged = 0;

  note(arrival: Arrival, givenOut: GivenOut, cameFor: string): void {
    if (faulty.has(cameFor)) return;
    const what = wrongIn(arrival, givenOut);
    this.judged += 1;
    if (what !== undefined && this.wrong.length < mostKept) this.wrong.push({ what, arrival, cameFor });
  }
}

/** Source: extensions, Authentication 1 and 4; External task links; Callbacks */
function wrongIn(arrival: Arrival, givenOut: GivenOut): string | undefined {
  const { kind } = askedBy(arrival);
  if (kind === 'status' || kind === 'progress') return wrongInReport(arrival, kind, givenOut);
  if (!ofFiles.has(kind) || !arrival.target.includes(givenOut.spaceId)) return undefined;
  if (arrival.callId === undefined) return 'carries the token of no call';
  return arrival.token?.in === 'header' || byQueryToo.has(kind) ? undefined : 'carries its token in the query';
}

function wrongInReport(
  { path, method, text, json, callId, token }: Arrival,
  kind: 'status' | 'progress',
  { gaveOut }: GivenOut,
): string | undefined {
  const job = decodeSegment(/\/dx\/([^/]+)/.exec(path)?.[1] ?? '');
  if (!gaveOut(job)) return undefined;
  if (callId !== job) return `carries the token of ${callId === undefined ? 'no call' : 'the call of another job'}`;
  if (token?.in !== 'header') return 'carries its token in the query';
  if (kind === 'status') return text === '' || isObject(json) ? undefined : 'has a body that is no JSON object';
  if (method !== 'PUT') return 'is no PUT';
  const message = isObject(json) ? json['message'] : json;
  return typeof message === 'string' ? undefined : 'has no text as its message';
}
