import { expect, test } from 'vitest';
import { expectNothingBehind } from './batch.ts';
import type { CaseContext } from './case.ts';
import type { Reply, RequestSpec } from './exchange.ts';

const space = 'http://service.test/api/space/main/softtype';

test('what an operation was sent to is no new object, whichever route its result names', async () => {
  const asked: string[] = [];
  const context = {
    service: { get: async (href: string) => ({ status: asked.push(href) && 404 }) },
    expect: () => ({ toSatisfy: () => undefined }),
  } as unknown as CaseContext;
  const sent = [
    { method: 'POST', url: `${space}/Document/documentInput` },
    { method: 'PATCH', url: `${space}/Document/documentInput/known` },
  ] as RequestSpec[];
  const results = ['new', 'known'].map((oid) => ({ body: { href: `${space}/Document/documentOutput/${oid}` } }));
  await expectNothingBehind(context, { url: `${space}/batch` } as Reply, results, sent);
  expect(asked).toEqual([`${space}/Document/documentOutput/new`]);
});
