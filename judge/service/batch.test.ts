import { expect, test } from 'vitest';
import { expectNothingBehind } from './batch.ts';
import type { CaseContext } from '../case.ts';
import type { Reply, RequestSpec } from '../exchange.ts';

const space = 'http://service.test/api/space/main/softtype';

test.for([
  ['another route', `${space}/Document/documentOutput`],
  ['an address without its id', 'http://service.test/api/objects'],
])('what an edit names by %s is no new object', async ([, address]) => {
  const asked: string[] = [];
  const context = {
    service: { get: async (href: string) => ({ status: asked.push(href) && 404 }) },
    expect: () => ({ toSatisfy: () => undefined }),
  } as unknown as CaseContext;
  const sent = [
    { method: 'POST', url: `${space}/Document/documentInput` },
    { method: 'PATCH', url: `${space}/Document/documentInput/known` },
    { method: 'POST', url: `${space}/Document/documentInput` },
  ] as RequestSpec[];
  const json = ['new', 'b2xk', 'refused'].map((key) => ({ statusCode: 201, body: { href: `${address}/${key}` } }));
  await expectNothingBehind(context, { url: `${space}/batch`, json } as unknown as Reply, sent, 2);
  expect(asked).toEqual([`${address}/new`]);
});
