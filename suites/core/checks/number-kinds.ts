import { numberKinds } from '../../../fixtures/values.ts';
import { dataOf } from '../../../judge/service/answers.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';

type Numbers = Readonly<Record<string, number>>;

/** The answer to a write of these members, and reads of the objects that it went to. */
interface Written {
  readonly reply: Reply;
  readonly reads: () => Promise<readonly Reply[]>;
}

/** What is written, how, and of which kind the number is. */
interface Writing {
  readonly way: string;
  readonly kind: string;
  readonly write: (numbers: Numbers) => Promise<Written>;
}

/** Numbers of each kind that this way of writing takes come back as they were given. A member may be declared so that it takes some kinds alone. */
export async function expectNumbersKept(context: CaseContext, way: string, write: Writing['write']): Promise<void> {
  const { numbers = [] } = context.profile.primary;
  for (const [kind, number] of Object.entries(numberKinds)) {
    const writing = { way, kind, write };
    const isTaken = (members: readonly string[]): Promise<boolean> => takes(context, writing, members, number);
    if (numbers.length > 1 && (await isTaken(numbers))) continue;
    for (const member of numbers) await isTaken([member]);
  }
}

/** Returns whether the write was accepted. */
async function takes(
  { expect, notes }: CaseContext,
  { way, kind, write }: Writing,
  members: readonly string[],
  number: number,
): Promise<boolean> {
  const { reply, reads } = await write(Object.fromEntries(members.map((member) => [member, number])));
  notes.observe(`${members.join(' and ')} take by ${way} a number of the kind ${kind}`, isSuccess(reply.status), reply);
  if (!isSuccess(reply.status)) return false;
  for (const read of await reads())
    for (const member of members)
      expect(dataOf(read)[member], `${member} (${kind}) after ${way}`, read).toEqual(number);
  return true;
}
