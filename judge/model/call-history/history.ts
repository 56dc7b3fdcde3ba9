export type CalleeKind = 'event' | 'mail' | 'task' | 'simple endpoint' | 'trusted endpoint' | 'validation' | 'action';

/** How an attempt is answered: with a status, never, or by a connection that breaks. A validation that is answered with 200 has a verdict. */
export interface Answer {
  readonly status?: number;
  readonly never?: true;
  readonly cut?: true;
  readonly isValid?: boolean;
  /** Of a validation: 200 with a verdict that is none. */
  readonly isMalformed?: true;
}

/** Members of a record, or of the registration of an endpoint, that say how calls are made. */
interface Settings {
  readonly requestTimeout?: number;
  readonly retryForever?: boolean;
  readonly rateLimitNumberOfExecutions?: number;
}

/** What a registration says from a moment on. */
export interface Stated {
  readonly settings: Settings;
  /** In minutes. */
  readonly tokenLifeTime: number;
  readonly active: boolean;
  /** Route of an extension, or path and query of an endpoint. */
  readonly target: string;
  /** Of an endpoint. */
  readonly method: string;
  /** Of an endpoint that came back as one of the other kind: whether that is a trusted one. */
  readonly isTrusted?: boolean;
  /** Value of a header of an endpoint. */
  readonly header: string;
  /** Which of the keys of an extension, from 0. */
  readonly key: number;
  /** What a user calls it, where anything is said. */
  readonly name?: string | undefined;
  /** What keys it may ask for; none unless given. */
  readonly keys?: KeysStated | undefined;
  /** Which version and description it has, and what stands beside it in the metadata, from 0; the usual ones unless given. */
  readonly look?: number;
  /** Of an extension: its metadata leave out the record. */
  readonly isLeftOut?: boolean;
}

/** Permissions, and the path below the host that their keys are brought to. */
export interface KeysStated {
  readonly permissions: readonly string[];
  readonly path: string;
}

/** Something with a registration of its own. */
export interface CalleePlan {
  readonly kind: CalleeKind;
  readonly stated: Stated;
  /** Each attempt comes on a connection of its own, so that one may break. */
  readonly isAlone: boolean;
  /** Of an endpoint whose only trigger has a content without members: which, from 0. */
  readonly bare?: number;
  /** Of an endpoint that has the address of the callee before it. */
  readonly isNeighbour?: true;
}

/** One trigger. */
export interface CallPlan {
  /** Answers to its attempts in turn, the last of them to all later ones. */
  readonly answers: readonly Answer[];
  readonly isOfSecondUser: boolean;
  readonly isElsewhere: boolean;
  readonly correlation: 'id' | 'text' | 'none';
  /** Day of the date in the information filter. */
  readonly day: number;
  /** Of a validation or an action: in the context object module, an action also without a selection there. */
  readonly module: 'none' | 'with selection' | 'without selection';
  /** Which of the contents, from 0. */
  readonly content: number;
}

export type Happening = {
  /** In ms from the beginning. */
  readonly at: number;
  /** Index of what it happens to. */
  readonly callee: number;
} & (
  | Deed
  /** Of this callee alone, or of all. */
  | { readonly kind: 'use tokens'; readonly ofAll?: true }
);

/** `again`: about the object of the trigger before. */
export type Deed =
  | { readonly kind: 'trigger'; readonly call: CallPlan; readonly again?: boolean }
  | { readonly kind: 'burst'; readonly count: number; readonly call: CallPlan }
  | { readonly kind: 'update'; readonly change: Partial<Stated> }
  /** Of an event, counted back from the last one that was triggered for the callee. */
  | { readonly kind: 'delete'; readonly back: number }
  | { readonly kind: 'edit' };

export interface CallHistory {
  readonly callees: readonly CalleePlan[];
  /** In the order of their times. */
  readonly happenings: readonly Happening[];
  /** How long what comes behind the last of them is watched, in ms. */
  readonly watchedMs: number;
}

/** The history of one callee alone. */
export function ofCallee({ callees, happenings, ...rest }: CallHistory, index: number): CallHistory {
  return {
    ...rest,
    callees: callees.filter((_callee, at) => at === index),
    happenings: happenings.filter(({ callee }) => callee === index).map((happening) => ({ ...happening, callee: 0 })),
  };
}

export function tellCallee({ callees, happenings }: CallHistory, index: number): string {
  const plan = callees[index];
  if (plan === undefined) return '';
  const told = happenings.filter(({ callee, kind }) => callee === index && kind !== 'use tokens').map(tellHappening);
  return [`a callee of kind ${plan.kind} with ${tellStated(plan.stated)}`, ...told].join('; ');
}

function tellHappening(happening: Happening): string {
  const at = `at ${Math.round(happening.at) / 1000} s`;
  switch (happening.kind) {
    case 'trigger':
      return `${at} a trigger, answered ${happening.call.answers.map(tellAnswer).join(', ')}`;
    case 'burst':
      return `${at} ${happening.count} triggers, each answered ${happening.call.answers.map(tellAnswer).join(', ')}`;
    case 'update':
      return `${at} an update to ${tellStated(happening.change)}`;
    case 'delete':
      return `${at} the last event but ${happening.back} is deleted`;
    default:
      return `${at} ${happening.kind}`;
  }
}

function tellAnswer({ status, never, cut, isValid, isMalformed }: Answer): string {
  if (isMalformed === true) return '200 without a verdict';
  if (never === true) return 'never';
  if (cut === true) return 'by a broken connection';
  return isValid === undefined ? String(status) : `${status} and ${isValid ? 'valid' : 'invalid'}`;
}

export function tellStated({ settings = {}, keys, ...stated }: Partial<Stated>): string {
  const asked = keys && { keys: `${keys.permissions.join(' and ') || 'of no name'} to ${keys.path}` };
  const members = Object.entries({ ...stated, ...settings, ...asked }).map(
    ([name, value]) => `${name} ${String(value)}`,
  );
  return members.join(', ');
}
