import { entriesPerPage } from '../../contract/limits.ts';
import type { Reply } from '../exchange.ts';
import type { Port } from '../given.ts';
import { pageLinks, pageLinksOf } from '../answer.ts';
import type { Comparison } from './compare.ts';

/** The page link of an array of `count` entries counts them. Up to ten there need be none, which `paging.link.absent-up-to-ten` advises; one that is there counts as well. */
export function comparePageLinks({ context, where }: Comparison, reply: Reply, port: Port, count: number): void {
  const { expect } = context;
  const links = pageLinksOf(reply, port, false);
  const place = `${port.member} of ${where}`;
  if (count === 0) return;
  if (count > entriesPerPage)
    expect(pageLinks(reply).length, `page links while ${place} has ${count} entries`, reply).toSatisfy(
      '1 or more',
      (length) => length >= 1,
    );
  for (const link of links) {
    expect(link['totalNumber'], `totalNumber of ${place}`, reply).toEqual(count);
    expect(link['pages'], `pages of ${place}`, reply).toEqual(Math.ceil(count / entriesPerPage));
  }
}
