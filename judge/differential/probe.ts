import type { RuleId } from '../../contract/rule.ts';
import type { Reply, RequestSpec } from '../exchange.ts';
import type { Requests } from '../service/requests.ts';
import type { Subject } from '../model/object.ts';
import type { Judging } from './judge-look.ts';
import type { Party } from './party.ts';
import type { AnswerKind } from './reading.ts';

/** What a probe may use to make its request. */
export interface On {
  readonly party: Party;
  readonly subject: Subject;
  readonly requests: Requests;
  /** A text that both implementations get and no other request of the history holds. */
  readonly fresh: () => string;
  /** Ids of the entries of each port, in order; as the last read shows them. */
  readonly ids: readonly (readonly string[])[];
}

/** One request of which the documents decide part or nothing. */
export interface Probe {
  /** What is asked, and under which circumstances: the two together name the probe. */
  readonly command: string;
  readonly situation: string;
  /** Kind of the answer where it is no refusal. */
  readonly answer: AnswerKind;
  /** Whether an implementation can be asked at all. */
  readonly needs?: (party: Party) => boolean;
  /** What the documents say of the status: one of these, or a refusal where none is listed. */
  readonly says?: { readonly rule: RuleId; readonly statuses?: readonly number[] };
  /** What may have become of the object: nothing, anything, or it is gone; or another object was made. */
  readonly touches: 'nothing' | 'object' | 'removes' | 'makes';
  /** The rule by which a refusal leaves the object as it was; absent where the documents leave that open. */
  readonly keeps?: RuleId;
  /** Ids of silences that leave status and effect open. */
  readonly silence?: string;
  /** Entries of the first port that show most; 2 unless given. */
  readonly entries?: number;
  /** Whether it takes an object without any content. */
  readonly isBare?: true;
  /** Reads that show whether what was accepted was done. */
  readonly prove?: (on: On, request: RequestSpec, reply: Reply, judging: Judging) => Promise<void>;
  readonly request: (on: On) => RequestSpec | undefined | Promise<RequestSpec | undefined>;
}

export function probeName({ command, situation }: Pick<Probe, 'command' | 'situation'>): string {
  return `${command}, ${situation}`;
}

/** Needs that several probes share. */
export const has = {
  scalars: ({ shape }: Party): boolean => shape.scalars.length > 0,
  port: ({ shape }: Party): boolean => shape.ports.length > 0,
  object: ({ shape }: Party): boolean => shape.object !== undefined,
  filter: ({ shape }: Party): boolean => shape.filter !== undefined,
  operations: ({ shape }: Party): boolean => shape.kinds.has('add scalar') && shape.scalars.length > 0,
  entryOperations: ({ shape }: Party): boolean => shape.kinds.has('append') && shape.ports.length > 0,
  put: ({ shape }: Party): boolean => shape.kinds.has('put'),
  promote: ({ shape }: Party): boolean => shape.kinds.has('promote'),
  batch: ({ shape }: Party): boolean => shape.kinds.has('batch') && shape.scalars.length > 0,
  remove: ({ loaded }: Party): boolean => loaded.profile.routes?.softTypeDelete !== undefined,
  openApi: ({ loaded }: Party): boolean => loaded.profile.openApi?.served === true,
  multiCreate: ({ loaded }: Party): boolean => loaded.profile.multiCreate !== undefined,
} as const;

/** An object id of the kind of the subject, which nothing has. */
export function unknownOid({ party, subject }: On): string {
  return party.context.given.unknownOid(subject.thing);
}

/** Names of the first scalar and of the first port, which the needs grant. */
export function scalarOf({ party }: On): string {
  return party.shape.scalars[0] ?? '';
}

export function portOf({ party }: On): Party['shape']['ports'][number] {
  return party.shape.ports[0] ?? { member: '', portId: '', entry: {}, text: '' };
}
