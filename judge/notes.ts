import type { Expectation, Profile } from '../contract/profile.ts';
import { withoutValues } from './case/conduct.ts';
import { describe } from './describe.ts';
import type { Reply } from './exchange.ts';
import type { BoundProfile } from './profile.ts';
import type { CaseRecord } from './case/record.ts';
import { Violation } from './violation.ts';

/** A silence that is bound by another key of the profile than one under `expect`. */
interface Choice {
  /** From the root of the profile on. */
  readonly key: string;
  /** What the profile says; undefined where it says nothing. */
  readonly value: string | number | boolean | undefined;
}

/** What a case records beside its verdict. */
export interface Notes {
  /** Records a short fact (status, form, count): `notes.observe('status of an unknown port', reply.status)`. */
  observe(what: string, seen: string | number | boolean | null, seenIn?: Reply): void;
  /** As observe, and compares with what the profile binds under `expect` or in a choice, where it does: then a difference is a violation. */
  bound(key: Expectation | Choice, what: string, seen: string | number | boolean, seenIn?: Reply): void;
  /** Something a person should look at, though no rule forbids it (a 5xx, data that leaks). */
  remark(sentence: string, seenIn?: Reply): void;
  /** Remarks a 5xx where no rule speaks of the request. */
  remarkServerError(reply: Reply): void;
}

/** Whether a route at the edge of the space level does without the information filter: held to it where the profile says so, else recorded. */
export function withoutFilter(
  { all: { informationFilter } }: BoundProfile,
  route: NonNullable<NonNullable<Profile['informationFilter']>['notNeededOn']>[number],
): Choice {
  const isNamed = informationFilter?.notNeededOn?.includes(route) === true;
  return { key: 'informationFilter.notNeededOn', value: isNamed ? true : undefined };
}

/** What one case records beside its verdict. */
export function openNotes(record: CaseRecord, profile: Profile): Notes {
  const notes: Notes = {
    observe: (what, seen) => {
      record.observations.push({ what, seen: String(seen) });
      record.conduct?.observation(withoutValues(what));
    },
    bound: (by, what, seen, seenIn) => {
      const { key, value: demanded } =
        typeof by === 'string' ? { key: `expect.${by}`, value: profile.expect?.[by] } : by;
      record.observations.push({ what, seen: String(seen), key: typeof by === 'string' ? by : key });
      record.conduct?.observation(withoutValues(what));
      if (demanded === undefined) return;
      record.assertions += 1;
      record.conduct?.assertion(`${withoutValues(what)}, as the profile binds it`);
      const admitted: readonly unknown[] = Array.isArray(demanded) ? demanded : [demanded];
      if (admitted.includes(seen)) return;
      const expected = `${what} to be ${admitted.map((value) => describe(value)).join(' or ')}, as ${key} of the profile says`;
      record.breach ??= new Violation(expected, describe(seen), seenIn, {
        history: record.history(seenIn?.exchange),
        bound: true,
      });
    },
    remark: (sentence) => {
      if (!record.remarks.includes(sentence)) record.remarks.push(sentence);
    },
    remarkServerError: ({ status, exchange }) => {
      if (status >= 500) notes.remark(`${exchange.request.method} ${exchange.request.url} was answered with ${status}`);
    },
  };
  return notes;
}
