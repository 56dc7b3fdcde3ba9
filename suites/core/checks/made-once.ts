import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import { sendBatch } from '../../../judge/service/batch.ts';
import { isListedSoon, shareListed } from '../../../judge/service/queries.ts';
import { item } from '../../../judge/service/referrers.ts';

const atOnce = 3;

/** What is created while others are created is made once, by whichever route; where a listing tells. */
export async function expectMadeOnce(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  if (profile.all.routes?.instanceListing === undefined) return;
  const holding = (text: string) => ({ [profile.textMember]: text });
  const ways: Readonly<Record<string, (text: string) => Promise<Reply>>> = {
    'a create': (text) => service.create(given.body(holding(text))),
    ...(profile.offers('multi-create') && {
      'a multi-create': (text: string) => service.multiCreate([item(context, holding(text)), item(context)]),
    }),
    ...(profile.offers('batch') && {
      'a batch': (text: string) => sendBatch(context, [service.requests.create(given.body(holding(text)))]),
    }),
  };
  for (const [way, make] of Object.entries(ways)) {
    const alone = given.unique('alone');
    const first = await make(alone);
    notes.observe(`status of ${way} that is listed`, first.status, first);
    if (!isSuccess(first.status) || !(await isListedSoon(context, alone))) continue;
    const once = await shareListed(context, alone);
    if (once === 0) continue;
    const texts = Array.from({ length: atOnce }, () => given.unique('at-once'));
    const replies = await Promise.all(texts.map(make));
    for (const [index, text] of texts.entries()) {
      const reply = replies[index];
      if (reply === undefined || !isSuccess(reply.status) || !(await isListedSoon(context, text))) continue;
      const share = await shareListed(context, text);
      expect(share, `how much a listing shows of what ${way} made, as ${atOnce} were sent at once,`, reply).toSatisfy(
        `less than twice ${once}, which it shows of one that was sent alone`,
        () => share < 2 * once,
      );
    }
  }
}
