import { describe } from '../describe.ts';
import { firstDifference } from '../equality.ts';
import type { Reply } from '../exchange.ts';
import type { Expect, ReplyExpectation, ValueExpectation } from '../expect.ts';
import type { CaseRecord } from '../record.ts';
import type { Snapshot } from '../target.ts';
import { Violation } from '../violation.ts';
import { replyExpectation } from './reply.ts';
import { valueExpectation } from './value.ts';

/** Counts an assertion and throws a Violation unless it holds. */
export type Check = (holds: boolean, expected: string, actual: () => string, reply?: Reply) => void;

/** The assertions of one case; every breach carries what was sent up to then. */
export function openExpect(record: CaseRecord): Expect {
  const check: Check = (holds, expected, actual, reply) => {
    record.assertions += 1;
    if (!holds) throw new Violation(expected, actual(), reply, { history: record.history(reply?.exchange) });
  };

  function expect(reply: Reply): ReplyExpectation;
  function expect<T>(value: T, name: string, seenIn?: Reply): ValueExpectation<T>;
  function expect<T>(value: T, name?: string, seenIn?: Reply): ReplyExpectation | ValueExpectation<T> {
    return name === undefined
      ? replyExpectation(value as Reply, check)
      : valueExpectation({ value, name, seenIn }, check);
  }
  return Object.assign(expect, {
    unchanged: (before: Snapshot, after: Snapshot) => assertUnchanged(before, after, check),
  });
}

function assertUnchanged(before: Snapshot, after: Snapshot, check: Check): void {
  const difference = firstDifference(contentOf(before), contentOf(after));
  const place = difference?.pointer ?? '';
  check(
    difference === undefined,
    `the object unchanged${place === '' ? '' : `, ${place} still ${describe(difference?.left)}`}`,
    () => `${place === '' ? 'another object' : place} now ${describe(difference?.right)}`,
    after.reply,
  );
}

function contentOf({ version, oid, members, arrays }: Snapshot): object {
  return { version, oid, members, arrays };
}
