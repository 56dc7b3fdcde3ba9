import { describe, expect, test } from 'vitest';
import { randomFrom } from '../chance.ts';
import { madeUpGround } from '../judging/made-up.fixture.ts';
import { remarksOn } from '../preparation.ts';
import type { Result } from '../step.ts';
import { type TriedBatch, tryBatch } from './prepare.ts';

const forms = ['https://host.example/tenant', '/tenant', ''];
const object = { oid: 'known', version: 2, entries: 0 };
const read = '/api/space/main/softtype/known';

/** @param answerTo what the service says to an operation with that href */
function tried(
  answerTo: (href: string) => Partial<Result>,
  prefixes: readonly string[] = forms,
): { readonly ended: TriedBatch; readonly hrefs: readonly string[] } {
  const env = {
    user: -1,
    iteration: 0,
    now: () => 0,
    random: randomFrom(1),
    ground: { ...madeUpGround, batchHrefPrefixes: prefixes },
  };
  const generator = tryBatch(env, object);
  const hrefs: string[] = [];
  let next = generator.next();
  while (next.done !== true) {
    const body = next.value.kind === 'http' ? next.value.body : undefined;
    const [{ href }] = JSON.parse(String(body)) as [{ readonly href: string }];
    hrefs.push(href);
    next = generator.next({ status: 200, headers: {}, body: '[]', ...answerTo(href) });
  }
  return { ended: next.value, hrefs };
}

describe('the form of href in a batch is found out', () => {
  test.each(forms)('%s', (right) => {
    const { ended, hrefs } = tried((href) => (href === right + read ? {} : { status: 500 }));
    expect(ended).toEqual({ ground: { batchHrefPrefix: right } });
    expect(hrefs.at(-1)).toBe(right + read);
  });

  test('by the status of the result, where the batch as a whole says nothing', () => {
    const { ended } = tried((href) => ({ body: JSON.stringify([{ statusCode: href === read ? 200 : 404 }]) }));
    expect(ended).toEqual({ ground: { batchHrefPrefix: '' } });
  });

  test('where the profile names it, nothing is sent', () => {
    expect(tried(() => ({ status: 500 }), ['/tenant'])).toEqual({
      ended: { ground: { batchHrefPrefix: '/tenant' } },
      hrefs: [],
    });
  });

  test('where none passes, the fullest is kept, and it is said', () => {
    const { ended } = tried((href) => ({ status: href.startsWith('https') ? 404 : 0 }));
    expect(ended).toEqual({ ground: { batchHrefPrefix: forms[0] }, refused: [404, 0, 0] });
    expect(remarksOn(ended.refused)).toEqual([
      'No batch passed when each form of href was tried (found 404, no answer, no answer); batch.hrefForm in the profile says which one to send.',
    ]);
    expect(remarksOn(undefined)).toEqual([]);
  });
});
