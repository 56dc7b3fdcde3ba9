import type { IdentityName } from '../../contract/profile.ts';
import { type CalleePlan, type Deed, type Stated, tellStated } from '../call-history/history.ts';

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

/** What happens, and to which of them. */
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
