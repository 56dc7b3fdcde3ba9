import { metadataPath } from '../../contract/names.ts';
import { defaultAnswer } from './default-answer.ts';
import { jsonOf } from '../../contract/json.ts';
import { envelopeOf, isObject } from './envelope.ts';
import { headerValues, textOf, type Entry } from './entry.ts';
import { kindOfType, type MetadataRecord, type ReceivedKind } from './metadata.ts';
import { Player, type Script } from './script.ts';
import { checkSignature } from './signature.ts';
import type { ScriptedAnswer, Step } from './step.ts';

export interface SiteOptions {
  /** Base64; signatures are checked where it is given. */
  readonly apiKey?: string;
  /** Metadata response; none: every path is an external endpoint. Anything is served as it stands, so that a record may be wrong. */
  readonly records?: readonly MetadataRecord[];
  readonly script?: Script;
  /** What those get who are not let in, undefined for others; all are unless given, and the check of the signature is only recorded. */
  readonly refusalOf?: (entry: Entry) => Step | undefined;
  /** What a request gets that the script leaves alone; the right answer for its kind unless given. */
  readonly answer?: (entry: Entry) => Step | Promise<Step>;
  /** Requests that get the right answer, whatever the script says. */
  readonly isForeign?: (entry: Entry) => boolean;
}

/** A request before its meaning is known. */
export type Arrival = Pick<Entry, 'number' | 'arrivedAt' | 'arrivedWall' | 'method' | 'target' | 'headers'>;

/** One extension, or one external endpoint, at a base path of a listener. */
export class Site {
  /** Path of hostUri, without a slash at its end. */
  readonly base: string;
  readonly apiKey: string | undefined;
  readonly #refusalOf: (entry: Entry) => Step | undefined;
  readonly #answer: (entry: Entry) => Step | Promise<Step>;
  #records: readonly MetadataRecord[] | undefined;
  readonly #isForeign: (entry: Entry) => boolean;
  readonly #released = new AbortController();
  #player: Player;

  constructor(base: string, options: SiteOptions) {
    const { apiKey, records, script, isForeign = () => false } = options;
    this.base = base;
    this.apiKey = apiKey;
    this.#refusalOf = options.refusalOf ?? (() => undefined);
    this.#answer = options.answer ?? ((entry) => defaultAnswer(entry, this.records));
    this.#records = records;
    this.#isForeign = isForeign;
    this.#player = new Player(script);
  }

  get records(): readonly MetadataRecord[] {
    return this.#records ?? [];
  }

  /** Takes the place of the former script; its counts begin anew. */
  setScript(script: Script): void {
    this.#player = new Player(script);
  }

  /** Aborts once everybody is answered as by default, and nobody kept waiting. */
  get released(): AbortSignal {
    return this.#released.signal;
  }

  /** For one whose script has served: whoever waits for an answer gets it. */
  release(): void {
    this.setScript([]);
    this.#released.abort(new Error('the script is over'));
  }

  get script(): Script {
    return this.#player.script;
  }

  /** @throws {TypeError} the script is a function */
  appendScript(answers: readonly ScriptedAnswer[]): void {
    this.#player.append(answers);
  }

  setRecords(records: readonly MetadataRecord[]): void {
    this.#records = records;
  }

  /** The request with everything that can be told of it. */
  entryOf(arrival: Arrival, body: Uint8Array, cutShort: boolean): Entry {
    const path = (arrival.target.split('?')[0] ?? '').slice(this.base.length);
    const record = this.#recordAt(path);
    const kind = this.#kindOf(arrival.method, path, record);
    const json = jsonOf(textOf(body) ?? '');
    const envelope = kind === 'endpoint' ? undefined : envelopeOf(json);
    const correlationId = envelope?.id ?? headerValues(arrival, 'X-Correlation-Id')[0];
    const { apiKey, base } = this;
    return {
      ...arrival,
      base,
      kind,
      path,
      body,
      cutShort,
      json,
      ...(typeof record?.id === 'string' && { recordId: record.id }),
      ...(envelope && { envelope }),
      ...(correlationId !== undefined && { correlationId }),
      ...(apiKey !== undefined && {
        signature: checkSignature(apiKey, arrival.target, base, headerValues(arrival, 'Authorization')),
      }),
    };
  }

  /** Whether the connection is to be broken when only the head of the request is there, which is looked at where that may be. */
  cutsBeforeBody(head: () => Entry): boolean {
    return this.#player.mayCutBeforeBody && this.#player.cutsBeforeBody(head());
  }

  stepFor(entry: Entry): Step | Promise<Step> {
    if (entry.cutShort) return { status: 413 };
    const refusal = this.#refusalOf(entry);
    if (refusal !== undefined) return refusal;
    const step = this.#isForeign(entry) ? undefined : this.#player.next(entry);
    if (step?.status !== undefined) return step;
    const answer = this.#answer(entry);
    return answer instanceof Promise ? answer.then((right) => ({ ...right, ...step })) : { ...answer, ...step };
  }

  /** What tells the step that another request like one of before would get, as long as the script stays; undefined where only its coming would tell. */
  upcoming(): (entry: Entry) => Step | undefined {
    const player = this.#player;
    return (entry) => {
      if (typeof player.script === 'function') return undefined;
      const step = player.peek(entry);
      if (step?.status !== undefined) return step;
      const answer = this.#answer(entry);
      return answer instanceof Promise ? undefined : { ...answer, ...step };
    };
  }

  #kindOf(method: string, path: string, record: MetadataRecord | undefined): ReceivedKind {
    if (this.#records === undefined) return 'endpoint';
    if (method === 'GET' && path === metadataPath) return 'metadata';
    return record === undefined ? 'other' : kindOfType(record.extensionType);
  }

  #recordAt(path: string): MetadataRecord | undefined {
    return this.#records?.find((record: unknown) => isObject(record) && isSamePath(record['endpoint'], path));
  }
}

/** Slashes at the seam and percent-encoding are the caller's business: what it made of them shows in the entry. */
function isSamePath(endpoint: unknown, path: string): boolean {
  return typeof endpoint === 'string' && plainPath(endpoint.split('?')[0] ?? '') === plainPath(path);
}

function plainPath(path: string): string {
  const plain = path.replaceAll(/\/+/g, '/').replace(/^\//, '');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
