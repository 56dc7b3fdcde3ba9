import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RuleId } from '../../../contract/rule.ts';
import { byteAt, contentOf } from '../content.ts';
import type { About } from '../step.ts';
import { Answers } from './answers.ts';
import { entriesFrom, madeUp, madeUpGround, readResponse, rulesIn, type Told } from './made-up.fixture.ts';
import { Violations } from './violations.ts';

function judged(...told: readonly Told[]): readonly string[] {
  const violations = new Violations(0);
  const answers = new Answers(madeUpGround, violations.complain);
  for (const one of told) answers.see(madeUp(one));
  return rulesIn(violations);
}

const read = (oid: string, more: Partial<Extract<About, { readonly kind: 'read' }>> = {}): About => ({
  kind: 'read',
  oid,
  ...more,
});
const page = (number: number): About => ({ kind: 'page', oid: 'known', page: number });
const pageResponse = (from: number, to: number): object => ({ version: 2, data: entriesFrom(from, to), links: [] });
const stale: About = { kind: 'conditional', etag: '"one"', changed: true };
const fresh: About = { kind: 'conditional', etag: '"one"', changed: false };
const never: About = { kind: 'conditional', etag: '"never"', other: true };
const content = { kind: 'generated', seed: 7, length: 300 } as const;
const download: About = { kind: 'download', content };
const bytes = (change: (all: Uint8Array) => Uint8Array = (all) => all): string =>
  Buffer.from(change(contentOf(content))).toString('latin1');
const written = entriesFrom(0, 12).map(({ comment }) => ({ comment, name: 'same' }));
const batch: About = {
  kind: 'batch',
  operations: [{ method: 'PUT', oid: 'known', version: 2 }, { method: 'POST' }, { method: 'GET', oid: 'plain' }],
};
const promoted = { statusCode: 204, body: { version: 3 } };
const made = { statusCode: 201, body: { href: 'https://elsewhere.example/api/space/main/softtype/new', version: 1 } };
const shown = { statusCode: 200, body: readResponse('plain', 2, 3) };
const refused = (statuses: readonly number[], rule: RuleId = 'auth.missing-token.answers-401'): About => ({
  kind: 'refused',
  rule,
  statuses,
});

describe('what other implementations may do is no violation', () => {
  test.each<[string, ...Told[]]>([
    [
      'a result with the href that was called',
      { about: batch, body: [{ body: { href: '/promote/known/process/level' } }, made, shown] },
    ],
    [
      'a second scalar that goes by another name in the output',
      { about: read('plain', { beside: 'mine' }), body: readResponse('plain', 2, 3, { bemerkung: 'mine' }) },
    ],
    ['a read as documented', { about: read('known'), body: readResponse('known', 9, 27) }],
    [
      'members of its own, in any order',
      { about: read('known'), body: { more: 1, ...readResponse('known', 9, 27, { $extra: [], other: null }) } },
    ],
    [
      'a scalar that goes by another name in the output',
      {
        about: read('plain', { holds: 'mine' }),
        body: readResponse('plain', 2, 3, { note: undefined, anmerkung: 'mine' }),
      },
    ],
    [
      'the text that was written',
      { about: read('plain', { holds: 'mine' }), body: readResponse('plain', 2, 3, { note: 'mine' }) },
    ],
    [
      'an empty array left out',
      { about: read('new', { entries: [] }), body: readResponse('new', 1, 0, { files: undefined }) },
    ],
    ['the entries that were written', { about: read('new', { entries: written }), body: readResponse('new', 2, 12) }],
    [
      'entries whose text goes by another name',
      {
        about: read('plain', { entries: [{ comment: 'a' }] }),
        body: readResponse('plain', 2, 1, { files: [{ $entryId: 'x', kommentar: 'a' }] }),
      },
    ],
    [
      'pages that hold each entry once',
      { about: page(0), body: pageResponse(0, 10) },
      { about: page(1), body: pageResponse(10, 20) },
      { about: page(2), body: pageResponse(20, 27) },
    ],
    [
      'the same page twice',
      { about: page(1), body: pageResponse(10, 20) },
      { about: page(1), body: pageResponse(10, 20) },
    ],
    ['a page behind the last one, empty', { about: page(3), body: pageResponse(27, 27) }],
    [
      'entries without ids',
      { about: page(0), body: { data: entriesFrom(0, 10).map(({ comment }) => ({ comment })) } },
      { about: page(1), body: { data: entriesFrom(0, 10).map(({ comment }) => ({ comment })) } },
    ],
    ['304 for a weak form of the ETag', { about: fresh, status: 304, headers: { etag: 'W/"one"' } }],
    ['304 without an ETag', { about: fresh, status: 304 }],
    [
      '200 for data that did not change',
      { about: fresh, status: 200, headers: { etag: '"two"' }, body: { changed: true } },
    ],
    [
      '200 for data that changed, with the old ETag on it',
      { about: stale, status: 200, headers: { etag: '"one"' }, body: {} },
    ],
    ['a batch with absolute hrefs and few members', { about: batch, body: [promoted, made, shown] }],
    [
      'a batch whose results name more',
      {
        about: batch,
        headers: { 'svc-uoiversion': '3' },
        body: [{ statusCode: 200, headers: {}, body: { href: '/x/known', version: 3 } }, made, shown],
      },
    ],
    ['a result without a body', { about: batch, body: [{ statusCode: 204 }, made, shown] }],
    ['a batch that failed', { about: batch, status: 500, body: 'no JSON' }],
    ['a download as it went up', { about: download, body: bytes() }],
    ['a download that is refused for now', { about: download, status: 503 }],
    ['no token, 401', { about: refused([401]), step: { as: null }, status: 401 }],
    ['a service in trouble', { about: refused([401]), step: { as: null }, status: 503 }],
    ['a service that lets nobody in for now', { about: refused([401]), step: { as: null }, status: 429 }],
    ['200 for an ETag that the data never had', { about: never, status: 200, headers: { etag: '"two"' }, body: {} }],
    ['an interim refusal of a read', { about: read('known'), status: 429 }],
    ['no answer', { about: read('known'), status: 0, error: 'timeout' }],
    ['cut off at the end', { about: read('known'), status: 0, error: 'cut off', cutOff: true }],
    [
      'no answer to what has to be refused',
      { about: refused([401]), step: { as: null }, status: 0, error: 'ECONNRESET' },
    ],
  ])('%s', (_what, ...told) => expect(judged(...told)).toEqual([]));

  test('any content that comes back as it went up', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 30), fc.nat(5000), (seed, length) => {
        const generated = { kind: 'generated', seed, length } as const;
        expect(
          judged({
            about: { kind: 'download', content: generated },
            body: Buffer.from(contentOf(generated)).toString('latin1'),
          }),
        ).toEqual([]);
      }),
    );
  });
});

describe('each kind of wrongness is filed under its rule', () => {
  test.each<[string, string, ...Told[]]>([
    [
      'reading.body.data-is-object',
      'data is an array',
      { about: read('known'), body: { ...readResponse('known', 2, 27), data: [] } },
    ],
    [
      'reading.system.oid-matches-route',
      'another object',
      { about: read('known'), body: { ...readResponse('other', 2, 27) } },
    ],
    [
      'reading.body.links-is-array',
      'no links',
      { about: read('plain'), body: { ...readResponse('plain', 2, 3), links: undefined } },
    ],
    [
      'versioning.sequence.matches-model',
      'a second scalar that nobody changed',
      { about: read('plain', { beside: 'mine' }), body: readResponse('plain', 2, 3, { remark: 'yours' }) },
    ],
    [
      'headers.uoi-version.on-merge',
      'a merge PATCH without its version',
      { about: { kind: 'edit', oid: 'plain', version: 2 }, step: { op: 'edit' }, status: 204 },
    ],
    ['reading.instance.short-route-served', 'an object that is gone', { about: read('plain'), status: 404 }],
    [
      'reading.instance.short-route-served',
      'an object to edit that is gone',
      { about: { kind: 'edit', oid: 'plain', version: 2, marker: 'one' }, status: 404 },
    ],
    [
      'versioning.sequence.matches-model',
      'a text of somebody else',
      { about: read('plain', { holds: 'mine' }), body: readResponse('plain', 2, 3, { note: 'yours' }) },
    ],
    [
      'versioning.sequence.matches-model',
      'an entry of somebody else',
      {
        about: read('new', { entries: written.with(3, { comment: 'entry 3', name: 'mine' }) }),
        body: readResponse('new', 2, 12, { files: entriesFrom(0, 10).map((entry) => ({ ...entry, name: 'yours' })) }),
      },
    ],
    [
      'paging.instance-read.short-array-complete',
      'an entry that was written is missing',
      { about: read('new', { entries: written }), body: readResponse('new', 2, 12, { files: entriesFrom(0, 9) }) },
    ],
    [
      'paging.pages.cover-array-once',
      'an entry on two pages',
      { about: page(0), body: pageResponse(0, 10) },
      { about: page(1), body: pageResponse(9, 19) },
    ],
    ['paging.pages.cover-array-once', 'an entry missing', { about: page(1), body: pageResponse(10, 19) }],
    [
      'versioning.sequence.matches-model',
      'a page that lags',
      { about: { kind: 'page', oid: 'new', page: 1, entries: written }, body: pageResponse(9, 11) },
    ],
    ['caching.changed.status-200', 'stale', { about: stale, status: 304 }],
    ['caching.match.no-payload', '304 with a body', { about: fresh, status: 304, body: '{}' }],
    [
      'caching.other-value.status-200',
      '304 for another ETag',
      { about: fresh, status: 304, headers: { etag: '"two"' } },
    ],
    ['batch.result.one-per-operation', 'one less', { about: batch, body: [promoted, made] }],
    ['batch.result.one-per-operation', 'no list', { about: batch, body: {} }],
    ['batch.result.keeps-order', 'by status', { about: batch, body: [shown, made, promoted] }],
    [
      'batch.result.keeps-order',
      'about another object',
      { about: batch, body: [{ body: { href: '/x/plain' } }, made, shown] },
    ],
    [
      'batch.get.returns-read-response',
      'a read without data',
      { about: batch, body: [promoted, made, { statusCode: 200, body: { href: '/x/plain' } }] },
    ],
    ['files.download.bytes-identical', 'a byte too few', { about: download, body: bytes((all) => all.slice(1)) }],
    [
      'files.download.bytes-identical',
      'a byte altered',
      { about: download, body: bytes((all) => all.with(299, byteAt(7, 299) ^ 1)) },
    ],
    ['files.download.bytes-identical', 'gone', { about: download, status: 404 }],
    [
      'auth.missing-token.answers-401',
      'served without token',
      { about: refused([401]), step: { as: null }, body: readResponse('known', 2, 27) },
    ],
    [
      'auth.jwt.tampered-refused',
      'served with an altered token',
      { about: refused([401, 403], 'auth.jwt.tampered-refused'), body: readResponse('known', 2, 27) },
    ],
    [
      'auth.role.no-role-403',
      'served to somebody else',
      { about: refused([403], 'auth.role.no-role-403'), body: readResponse('known', 2, 27) },
    ],
    ['caching.other-value.status-200', '304 for an ETag that the data never had', { about: never, status: 304 }],
  ])('%s: %s', (rule, _what, ...told) => expect(judged(...told)).toEqual([rule]));

  test('entries seen on one visit are forgotten for the next', () => {
    const violations = new Violations(0);
    const answers = new Answers(madeUpGround, violations.complain);
    answers.see(madeUp({ about: page(0), body: pageResponse(0, 10) }));
    answers.forget({ user: 0, iteration: 0 });
    answers.see(madeUp({ about: page(1), body: pageResponse(0, 10) }));
    expect(rulesIn(violations)).toEqual([]);
  });
});
