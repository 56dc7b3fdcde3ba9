import type { HostCalledType } from './records.ts';

/** What a host acknowledges first and works on afterwards. Source: extensions, Calls to extensions */
const worked: readonly HostCalledType[] = ['ExternalEvent', 'ExternalTask', 'Email'];

/** A call of a run that is worked on after its acknowledgement. */
export interface Queued {
  readonly number: number;
  readonly type: HostCalledType;
  /** Id of the record, where it is known. */
  readonly record: string | undefined;
}

/** How long a case waits in all for a host that is behind, in ms: in time that is moved less than it may last, in real time as long as a run has for it. */
const mostBehindMs = { moved: 50_000, real: 400_000 };

/** What a case has left of its patience with a host that is behind. */
export class Patience {
  #leftMs: number;

  constructor(time: keyof typeof mostBehindMs) {
    this.#leftMs = mostBehindMs[time];
  }

  /** That long, or what is left of it; 0 where that is too little to see whether the host goes on. */
  take(ms: number): number {
    if (this.#leftMs < ms / 4) return 0;
    const taken = Math.min(ms, this.#leftMs);
    this.#leftMs -= taken;
    return taken;
  }
}

/** The calls of a run in their order: a host that works off a queue comes to each when it is through with those before. */
export class Queue {
  readonly #byId = new Map<string, Queued>();
  readonly #byToken = new Map<string, Queued>();
  /** Because of which the host sent requests, oldest first. */
  readonly #heard: Queued[] = [];

  /** Takes note of a call, by the id of its envelope and its token. @returns undefined where it is not worked on afterwards */
  made(id: string, token: string, type: HostCalledType, record?: string): Queued | undefined {
    if (!worked.includes(type)) return undefined;
    const queued = this.#byId.get(id) ?? { number: this.#byId.size + 1, type, record };
    this.#byId.set(id, queued);
    this.#byToken.set(token, queued);
    return queued;
  }

  /** Takes note of a request of the host, also because of a call whose case has ended. */
  hear(token: string | undefined): void {
    const queued = this.#byToken.get(token ?? '');
    if (queued !== undefined) this.#heard.push(queued);
  }

  /** Whether the host sent requests because of a call of that record. */
  hasHeardOf(record: string): boolean {
    return this.#heard.some((queued) => queued.record === record);
  }

  /** How many requests were heard so far. */
  get heard(): number {
    return this.#heard.length;
  }

  /** Whether the host sent requests because of earlier calls since so many were heard, and has come to none of later ones: of all, or of those of the same type. */
  isBehind({ number, type }: Queued, since: number): boolean {
    const isBusy = (heard: readonly Queued[], later: readonly Queued[]): boolean =>
      later.length > 0 && heard.every((other) => other.number < number);
    const isAlike = (other: Queued): boolean => other.type === type;
    const later = this.#heard.slice(since);
    return isBusy(this.#heard, later) || isBusy(this.#heard.filter(isAlike), later.filter(isAlike));
  }
}
