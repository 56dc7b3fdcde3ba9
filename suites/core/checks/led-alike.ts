import type { CaseContext } from '../../../judge/case.ts';
import { entriesOf, entriesOfPage, expandLink, pageLinksOf, textsOf } from '../../../judge/service/answers.ts';
import { isFixedByValue, makeFilterable, valueOfFixed, withFilter, withValue } from '../../../judge/service/queries.ts';
import { readersOf } from './readers.ts';

/** Whether the page link of a filtered read leads to filtered pages is not said: it does so by both routes, and for whoever reads, or by none. */
export async function expectLedAlike(context: CaseContext): Promise<void> {
  const { service, expect, notes, profile } = context;
  const { owner, matching } = await makeFilterable(context, { matching: 12, other: 12 });
  const isMatching = (text: unknown): boolean => matching.some((one) => one === text);
  const routes = { short: service.requests.read(owner), long: service.requests.readLong(owner) };
  const byValue: typeof withFilter = (_context, thing, request) =>
    withValue(context, thing, valueOfFixed(context), request);
  const filters = isFixedByValue(profile.all.filters) ? [withFilter, byValue] : [withFilter];
  for (const add of filters) {
    let known: boolean | undefined;
    for (const [route, request] of Object.entries(routes))
      for (const as of readersOf(profile)) {
        const read = await service.send({ ...request, ...add(context, owner, request) }, { as });
        const shown = read.status === 200 ? textsOf(entriesOf(read, owner.port), owner.port) : [];
        const [link] = read.status === 200 ? pageLinksOf(read, owner.port) : [];
        if (link === undefined || shown.length !== 10 || !shown.every(isMatching)) continue;
        const page = await service.get(expandLink(link, 1), { base: read, as });
        const rest = page.status === 200 ? textsOf(entriesOfPage(page), owner.port) : [];
        const leads = rest.length === 2 && rest.every(isMatching);
        notes.observe(`a filtered read by the ${route} route, for the ${as}, links to filtered pages`, leads, page);
        known ??= leads;
        expect(leads, `a filtered read by the ${route} route, for the ${as}, links to filtered pages`, page).toEqual(
          known,
        );
      }
  }
}
