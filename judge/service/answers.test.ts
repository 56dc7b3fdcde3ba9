import { expect, test } from 'vitest';
import { entriesOfPage } from './answers.ts';
import type { Reply } from '../exchange.ts';

test('A page that is not there is a matter of its route, or of the link that leads to it', () => {
  const read = (): unknown => entriesOfPage({ status: 405 } as Reply);
  expect(read).toThrow('the case needs a page answered with 200; the answer was 405');
  expect(read).toThrow(
    expect.objectContaining({
      standsOn: ['paging.page.documented-route-served', 'paging.link.expanded-href-works'],
    }),
  );
});
