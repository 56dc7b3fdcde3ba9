import { entriesOf, entriesOfPage, textsOf } from '../../../judge/service/answers.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { makeFilterable, withFilter, withQuery } from '../../../judge/service/queries.ts';

/** A value is supplied where the configured one is blank. Elsewhere it may be refused, or narrow what is shown; it never lets in what the filter keeps out. */
export async function expectFixedStays(context: CaseContext): Promise<void> {
  const { service, expect, notes, profile } = context;
  const { fixed, withValue: blank } = profile.all.filters ?? {};
  const other = fixed?.other[blank?.member ?? ''];
  if (blank === undefined || typeof other !== 'string') return;
  const { owner, matching } = await makeFilterable(context, { matching: 4, other: 5 });
  const supplied = { [`${blank.groupId}.${blank.criteriaPort}`]: other };
  const read = await service.read(owner, { url: withQuery(withFilter(context, owner).url, supplied) });
  const { url } = service.requests.page(owner, 0);
  const page = await service.page(owner, 0, { url: withQuery(url, { softTypeFilter: fixed?.id ?? '', ...supplied }) });
  for (const [what, reply, entriesIn] of [
    ['a read', read, entriesOf],
    ['a page', page, entriesOfPage],
  ] as const) {
    notes.observe(`status of ${what} by a fixed filter with a value beside it`, reply.status, reply);
    if (reply.status !== 200) continue;
    const shown = textsOf(entriesIn(reply, owner.port), owner.port);
    expect(
      shown.filter((text) => !matching.some((one) => one === text)),
      `entries that the filter keeps out in ${what} with a value beside it`,
      reply,
    ).toEqual([]);
  }
}
