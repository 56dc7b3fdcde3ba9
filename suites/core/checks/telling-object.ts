import { longTextOfManyKinds, numberKinds, textKinds } from '../../../fixtures/values.ts';
import { dataOf } from '../../../judge/service/answers.ts';
import { textsEnding, textsKept } from '../../../judge/service/texts.ts';
import type { CaseContext } from '../../../judge/case.ts';
import type { Reply } from '../../../judge/exchange.ts';
import { isObject } from '../../../judge/json.ts';
import type { Owner } from '../../../judge/things.ts';
import { unlessRefused } from '../../../judge/violation.ts';
import { inAnyOrder, linesOf } from './every-kind.ts';
import { dated, memberKinds, type Members, portsOf } from './member-kinds.ts';
import { isWithoutValue } from './operation-steps.ts';
import { asSent } from './sent-part.ts';

/** An object with members of every kind and so many entries, whose texts and numbers are such as get lost on the way, as far as a create takes them. */
export async function makeTelling(context: CaseContext, count: number): Promise<Owner> {
  const { given, profile } = context;
  const { endings } = await textsKept(context);
  const text = textsEnding(
    given,
    endings.filter((ending) => ending !== ''),
  );
  const { nested, object } = profile.port;
  const members = (): Members => ({
    ...(object && { [object.member]: given.inner(object, object.scalars.map(text)) }),
    ...(nested && { [nested.member]: [given.nestedEntry(text(), nested)] }),
  });
  const mandatory = Object.keys(given.body());
  const kinds = memberKinds(context).filter(({ what, shown }) => what !== dated && !mandatory.includes(shown));
  const { least, 'many digits': digits } = numberKinds;
  const { scalars = [] } = profile.primary;
  // a member may be declared for integers, or for short texts
  for (const [numbers, long] of [
    [[least, digits], scalars],
    [[digits, least], scalars],
    [[digits, least], scalars.slice(0, 1)],
    [[least], scalars.slice(0, 1)],
  ] as const) {
    const telling = tellingWith(text, numbers);
    const body = Object.assign(
      {},
      ...kinds.map(({ sent }) => telling(sent)),
      ...long
        .filter((name) => !mandatory.includes(name))
        .map((name) => ({ [name]: given.unique() + longTextOfManyKinds })),
    ) as Members;
    const owner = await unlessRefused(() => given.objectWithEntries(count, { text, members, body }));
    if (owner !== undefined) return owner;
  }
  return given.objectWithEntries(count, { text });
}

/** Makes a value of the same shape that tells more, with the numbers in turn; a text now and then is one of digits. */
function tellingWith(text: () => string, numbers: readonly number[]): (value: unknown) => unknown {
  let count = 0;
  let texts = 0;
  const telling = (value: unknown): unknown => {
    if (typeof value === 'string') return texts++ % 4 === 2 ? textKinds['number with a zero behind it'] : text();
    if (typeof value === 'number') return numbers[count++ % numbers.length];
    if (typeof value === 'boolean') return false;
    if (Array.isArray(value)) return value.map(telling);
    return isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, telling(inner)]))
      : value;
  };
  return telling;
}

/** Both reads show the same members and entries of an object that was made so, as far as both show them: which schema the short route applies is not said. */
export function expectSameContent(context: CaseContext, seen: Reply, shown: Reply, by: string): void {
  const { expect } = context;
  for (const { what, shown: member, sent } of memberKinds(context)) {
    if (what === dated || [seen, shown].some((read) => isWithoutValue(dataOf(read)[member]))) continue;
    const [value] = Object.values(sent);
    const [one, other] = [seen, shown].map((read) => inAnyOrder(asSent(dataOf(read)[member], value)));
    expect(one, `${member}, ${what}, as read by ${by}`, seen).toEqual(other);
  }
  if (portsOf(context).some((port) => [seen, shown].some((read) => isWithoutValue(dataOf(read)[port.member])))) return;
  expect(linesOf(context, seen), `entries as read by ${by}`, seen).toEqual(linesOf(context, shown));
}
