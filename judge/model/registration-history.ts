import type { IdentityName } from '../../contract/profile.ts';
import {
  type CalleePlan,
  type Deed,
  type Stated,
  tellStated,
  type CalleeKind,
  type KeysStated,
} from './call-history/history.ts';
import { permissionNames } from '../../contract/names.ts';
import { drawCall, methods, targets } from './call-history/draw.ts';
import { plentyOfExecutions } from '../extension/extension.ts';
import { Dice } from '../case/dice.ts';

/** Why a request to register or to update is refused, or ought to be. */
export type Flaw = 'lacks a member' | 'has a wrong member' | 'is no JSON' | 'comes of somebody else';

/** Which keys are asked for: all or one of those that are configured, one more than those, another one, all at another callback or one with a query more, or those of before. */
export type Asking = 'all' | 'one' | 'one more' | 'another' | 'elsewhere' | 'with a query' | 'as before';

/** What happens to a registration. What does not fit to how it stands is passed over. */
export type RegistrationDeed =
  | Extract<Deed, { readonly kind: 'trigger' | 'update' }>
  /** Under the id or at the host of this one. */
  | {
      readonly kind: 'flawed';
      readonly of: 'registration' | 'update';
      readonly flaw: Flaw;
      readonly stated: Stated;
      /** Who may not register; null for nobody. */
      readonly as?: IdentityName | null;
    }
  /** The host tells something else from now on, and nobody asks it. */
  | { readonly kind: 'tell otherwise'; readonly stated: Stated }
  | { readonly kind: 'remove' }
  | { readonly kind: 'register anew'; readonly stated: Stated; readonly isSpelledOtherwise: boolean }
  | { readonly kind: 'ask for keys'; readonly asking: Asking; readonly isUsed?: true };

type RegistrationStep = RegistrationDeed & { readonly callee: number };

export interface RegistrationHistory {
  readonly callees: readonly CalleePlan[];
  readonly steps: readonly RegistrationStep[];
}

/** The history of some of its registrations alone. */
export function ofCallees({ callees, steps }: RegistrationHistory, indexes: readonly number[]): RegistrationHistory {
  return {
    callees: callees.filter((_callee, index) => indexes.includes(index)),
    steps: steps
      .filter(({ callee }) => indexes.includes(callee))
      .map((step) => ({ ...step, callee: indexes.indexOf(step.callee) })),
  };
}

/** The history in words. */
export function tellRegistrations({ callees, steps }: RegistrationHistory): string {
  const begun = callees.map(
    ({ kind, stated }, index) => `${index + 1} is a callee of kind ${kind} with ${tellStated(stated)}`,
  );
  return [...begun, ...steps.map((step) => `${step.callee + 1}: ${tellDeed(step)}`)].join('; ');
}

function tellDeed(deed: RegistrationDeed): string {
  switch (deed.kind) {
    case 'update':
      return `an update to ${tellStated(deed.change)}`;
    case 'flawed':
      return `${deed.of === 'update' ? 'an' : 'a'} ${deed.of} that ${deed.flaw}${deed.as === undefined ? '' : `, ${deed.as ?? 'nobody'}`}`;
    case 'register anew':
      return `registered anew with ${tellStated(deed.stated)}`;
    case 'ask for keys':
      return `keys are asked for: ${deed.asking}`;
    case 'remove':
      return 'removed';
    case 'tell otherwise':
      return `the host tells ${tellStated(deed.stated)}`;
    default:
      return 'a trigger';
  }
}

/** What the target allows. */
export interface RegistrationScope {
  readonly kinds: ReadonlySet<CalleeKind>;
  readonly updates: boolean;
  readonly removals: boolean;
  /** Whether keys can be asked for. */
  readonly keys: boolean;
  /** Who is there that may not register. */
  readonly strangers: readonly IdentityName[];
}

/** Chapters of each registration beside those that none lacks. */
const furtherChapters = { extension: 2, endpoint: 1 } as const;

const lifeTimes = [60, 61, 300, 1440] as const;

/** What is not to be had, or not all of it. */
const wrongAskings = ['as before', 'elsewhere', 'with a query', 'another', 'one more'] as const;

/** Below the host; they differ in little. */
const callbackPaths = ['/keys', '/keys/next', '/keys/Next'] as const;

/** So many that each version, description and neighbour comes with some. */
const looks = 20;

const names = ['Conformance', 'Conformance of another name', 'conformance'] as const;

/** A history that follows from a seed: each registration has a story of its own, and their steps come one after the other in any order. */
export function drawRegistrations(seed: number, scope: RegistrationScope): RegistrationHistory {
  const dice = new Dice(seed);
  const kinds: readonly CalleeKind[] = [
    'event',
    dice.pick(['event', 'mail']),
    'simple endpoint',
    'trusted endpoint',
    dice.pick(['simple endpoint', 'trusted endpoint']),
  ];
  const stories = kinds.filter((kind) => scope.kinds.has(kind)).map((kind) => new Story(dice, scope, kind));
  const callees = stories.map(({ plan }) => plan);
  return {
    callees,
    steps: dice.mingled(stories.map((story, callee) => story.told().map((deed) => ({ ...deed, callee })))),
  };
}

/** What may be told of a registration, and whether it can happen. */
type Chapter = readonly [isPossible: boolean, tell: () => void];

function possible(chapters: readonly Chapter[]): readonly Chapter[1][] {
  return chapters.filter(([isPossible]) => isPossible).map(([, tell]) => tell);
}

/** What happens to one registration. */
class Story {
  readonly plan: CalleePlan;
  readonly #dice: Dice;
  readonly #scope: RegistrationScope;
  readonly #isExtension: boolean;
  readonly #mayHaveKeys: boolean;
  readonly #deeds: RegistrationDeed[] = [];
  #stated: Stated;
  /** Where it is no longer of the kind that it was. */
  #isTrusted: boolean | undefined;
  #turn = 0;

  constructor(dice: Dice, scope: RegistrationScope, kind: CalleeKind) {
    this.#dice = dice;
    this.#scope = scope;
    this.#isExtension = !kind.endsWith('endpoint');
    this.#mayHaveKeys = scope.keys && kind !== 'simple endpoint';
    this.#stated = this.#drawn();
    this.plan = { kind, stated: this.#stated, isAlone: false };
  }

  told(): readonly RegistrationDeed[] {
    const { updates, removals } = this.#scope;
    this.#trigger();
    this.#ask('all');
    const isMail = this.plan.kind === 'mail';
    const always: readonly Chapter[] = [
      [updates, () => this.#updates()],
      [true, () => this.#flaws()],
      [removals && !isMail, () => this.#comesBack()],
    ];
    const further: readonly Chapter[] = [
      [updates, () => this.#updates()],
      [updates && this.#mayHaveKeys, () => this.#otherKeys()],
      [updates && this.#isExtension, () => this.#leavesOut()],
      // another one may take over the mail of one that is switched off
      [updates && !isMail, () => this.#toggles()],
      [this.#isExtension, () => this.#tellsOtherwise()],
    ];
    const told = [
      ...possible(always),
      ...this.#dice.some(possible(further), furtherChapters[this.#isExtension ? 'extension' : 'endpoint']),
    ];
    for (const [index, tell] of this.#dice.some(told, told.length).entries()) {
      if (index > 0) this.#trigger();
      tell();
    }
    for (const asking of this.#dice.some(wrongAskings, 2)) this.#ask(asking);
    this.#ask('all', true);
    return this.#deeds;
  }

  #add(deed: RegistrationDeed): void {
    this.#deeds.push(deed);
  }

  #trigger(): void {
    const call = drawCall(this.#dice, [{ status: this.#dice.pick([200, 201]) }]);
    // keys may be asked for with the token of a call
    this.#add({ kind: 'trigger', call: { ...call, isOfSecondUser: false } });
  }

  #ask(asking: Asking, isUsed = false): void {
    if (this.#mayHaveKeys) this.#add({ kind: 'ask for keys', asking, ...(isUsed && { isUsed }) });
  }

  #update(change: Partial<Stated>): void {
    this.#stated = { ...this.#stated, ...change };
    this.#add({ kind: 'update', change });
  }

  /** Another registration of the kind, of which every member is its own. */
  #drawn(): Stated {
    this.#turn += 1;
    return {
      settings: { rateLimitNumberOfExecutions: plentyOfExecutions },
      active: true,
      header: `turn ${this.#turn}`,
      key: this.#turn,
      ...(this.#isTrusted !== undefined && { isTrusted: this.#isTrusted }),
      keys: this.#keys(),
      ...this.#target(),
      ...this.#small(),
    };
  }

  #target(): Pick<Stated, 'target' | 'method'> {
    const dice = this.#dice;
    return this.#isExtension
      ? { target: `turn-${this.#turn}`, method: 'POST' }
      : { target: dice.pick(targets), method: dice.pick(methods) };
  }

  #otherMethod(): string {
    return methods.find((method) => method !== this.#stated.method) ?? this.#stated.method;
  }

  #small(): Pick<Stated, 'name' | 'tokenLifeTime' | 'look'> {
    const dice = this.#dice;
    return { name: dice.pick(names), tokenLifeTime: dice.pick(lifeTimes), look: dice.below(looks) };
  }

  #keys(): KeysStated | undefined {
    const dice = this.#dice;
    if (!this.#mayHaveKeys || this.#isTrusted === false) return undefined;
    return {
      permissions: dice.some(permissionNames, dice.pick([1, 2, 3])),
      path: dice.pick(callbackPaths),
    };
  }

  /** One member after the other. */
  #updates(): void {
    const dice = this.#dice;
    this.#turn += 1;
    const turn = this.#turn;
    const changes: readonly Partial<Stated>[] = this.#isExtension
      ? [{ key: turn }, this.#target(), this.#small(), { look: dice.below(looks) }]
      : [this.#target(), { header: `turn ${turn}` }, this.#small()];
    for (const [index, change] of dice.some(changes, 2).entries()) {
      if (index > 0 && dice.below(2) === 0) this.#trigger();
      this.#update(change);
    }
  }

  #otherKeys(): void {
    const dice = this.#dice;
    const next = this.#isExtension && dice.below(3) === 0 ? undefined : this.#keys();
    this.#update({ keys: next });
    for (const asking of dice.some(
      ['all', 'one', 'as before', 'elsewhere', 'with a query', 'another', 'one more'] as const,
      4,
    ))
      this.#ask(asking);
    if (next === undefined) this.#update({ keys: this.#keys() });
  }

  #leavesOut(): void {
    this.#update({ isLeftOut: true });
    this.#trigger();
    this.#ask('as before');
    this.#turn += 1;
    this.#update({ isLeftOut: false, ...this.#target() });
  }

  #toggles(): void {
    for (const _turn of ['first', 'second']) {
      this.#update({ active: false });
      this.#trigger();
      this.#update({ active: true });
    }
  }

  #flaws(): void {
    const dice = this.#dice;
    const { strangers, updates } = this.#scope;
    const other = dice.pick([
      'lacks a member',
      'is no JSON',
      'comes of somebody else',
      'comes of somebody else',
    ] as const);
    for (const flaw of dice.some([other, 'has a wrong member'] as const, 2)) {
      const of = updates ? dice.pick(['registration', 'update', 'update'] as const) : 'registration';
      const as = flaw === 'comes of somebody else' && { as: dice.pick([null, ...strangers]) };
      const stated = { ...this.#drawn(), method: this.#otherMethod(), active: dice.below(2) === 0 };
      this.#add({ kind: 'flawed', of, flaw, ...as, stated });
    }
    if (dice.below(2) === 0) this.#ask('all');
  }

  #tellsOtherwise(): void {
    this.#add({ kind: 'tell otherwise', stated: this.#drawn() });
    if (this.#dice.below(2) === 0) this.#ask('all');
  }

  /** The id is that of an endpoint of the other kind from now on. */
  #turnKind(): void {
    const { kinds } = this.#scope;
    if (this.#isExtension || !kinds.has('simple endpoint') || !kinds.has('trusted endpoint')) return;
    this.#isTrusted = this.plan.kind === 'simple endpoint';
  }

  #comesBack(): void {
    const dice = this.#dice;
    if (this.#scope.updates && dice.below(3) > 0) this.#update({ active: false });
    this.#add({ kind: 'remove' });
    if (dice.below(2) === 0) this.#trigger();
    this.#ask('as before');
    if (dice.below(2) === 0) this.#turnKind();
    const { name: _name, ...less } = this.#drawn();
    // whether metadata are asked for while an extension is switched off is not said
    const isOff = this.#scope.updates && !this.#isExtension && dice.below(3) === 0;
    this.#stated = { ...less, active: !isOff, ...(dice.below(2) === 0 && { keys: undefined }) };
    this.#add({ kind: 'register anew', stated: this.#stated, isSpelledOtherwise: dice.below(2) === 0 });
    if (isOff) {
      this.#trigger();
      this.#update({ active: true });
    }
    this.#ask(this.#stated.keys === undefined ? 'as before' : 'all');
  }
}
