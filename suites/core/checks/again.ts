import { dataOf } from '../../../judge/service/answers.ts';
import { bodyOfResult, resultsOf, sendBatch } from '../../../judge/service/batch.ts';
import type { CaseContext } from '../../../judge/case.ts';
import type { Reply } from '../../../judge/exchange.ts';
import { oidOf } from '../../../judge/service/multi-create.ts';
import type { Thing } from '../../../judge/things.ts';
import type { Members } from './member-kinds.ts';

/** An edit that was sent before, with another one in between, has its effect again. */
export async function expectTakenAgain(
  context: CaseContext,
  way: string,
  write: (thing: Thing, body: Members) => Promise<Reply>,
  bodyOf: (members: Members) => Members = (members) => members,
): Promise<void> {
  const { given, service, expect, profile } = context;
  const [first, second] = profile.scalars;
  const texts = () => ({ [first]: given.unique('again'), [second]: given.unique('again') });
  const members = texts();
  const [one, other] = [bodyOf(members), bodyOf(texts())];
  let thing = await given.object(texts());
  for (const body of [one, other, one]) {
    expect(await write(thing, body)).toSucceed();
    thing = await given.current(thing);
  }
  const read = await service.read(thing);
  for (const [name, text] of Object.entries(members))
    expect(dataOf(read)[name], `${name} after a ${way} that was sent before the last one as well`, read).toEqual(text);
}

/** A batch of creates that was sent before makes objects of its own, unless no two objects may be equal. */
export async function expectBatchMadeAnew(context: CaseContext): Promise<void> {
  const { given, service, expect, notes } = context;
  const creates = [service.requests.create(given.body()), service.requests.create(given.body())];
  const oids = new Set<string>();
  for (const round of [1, 2]) {
    const reply = await sendBatch(context, creates);
    notes.observe(`status of a batch of creates that is sent for time ${round}`, reply.status, reply);
    if (reply.status !== 200) return;
    for (const result of resultsOf(reply)) {
      const read = await service.get(String(bodyOfResult(result)['href']), { base: reply });
      expect(read).toAnswer(200);
      oids.add(oidOf(read));
    }
    expect(oids.size, `objects of a batch of two creates that was sent so often: ${round}`, reply).toEqual(2 * round);
  }
  await expectMadeAtOnce(context, 'batches of two creates', async () => {
    const reply = await sendBatch(context, creates, { as: 'editor' });
    if (reply.status !== 200) return undefined;
    const hrefs = resultsOf(reply).map((result) => String(bodyOfResult(result)['href']));
    return Promise.all(hrefs.map(async (href) => oidOf(await service.get(href, { base: reply }))));
  });
}

/** How often requests that are alike meet, and how many of them. */
const [meetings, alike] = [3, 3] as const;

/** What is alike and comes at the same time makes objects of its own too, as far as it is accepted. */
export async function expectMadeAtOnce(
  { expect }: CaseContext,
  what: string,
  make: () => Promise<readonly string[] | undefined>,
): Promise<void> {
  for (let meeting = 0; meeting < meetings; meeting += 1) {
    const made = await Promise.all(Array.from({ length: alike }, make));
    const oids = made.flatMap((some) => some ?? []);
    expect(new Set(oids).size, `objects of ${what} that are alike and came at the same time`).toEqual(oids.length);
  }
}
