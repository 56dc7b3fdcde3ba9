import type { Reply } from '../../../judge/exchange.ts';
import { momentIn } from '../../../judge/service/moments.ts';
import type { CaseContext } from '../../../judge/case.ts';

/** The effectivity date that a read shows is this one; in which form it is written is not said. */
export function expectDateShown(
  { expect, notes }: Pick<CaseContext, 'expect' | 'notes'>,
  seen: unknown,
  date: string,
  what: string,
  read: Reply,
): void {
  const due = Date.parse(date);
  const moment = momentIn(seen, due);
  if (moment === undefined && typeof seen === 'string' && seen !== '')
    return notes.observe('an effectivity date is told in a form that the suite knows', false, read);
  expect(moment ?? seen, what, read).toEqual(due);
}
