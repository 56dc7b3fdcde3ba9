import { expect, test } from 'vitest';
import { madeUp } from './judging/made-up.fixture.ts';
import { madeIn } from './made.ts';

const multiCreate = { path: '/space/main/softtype', resultHref: '/{index}/href', inOrder: true };
const ground = { multiCreate };
const post = { method: 'POST' } as const;
const create = { about: { kind: 'create' }, step: post } as const;
const location = { location: '/api/space/main/softtype/a%20b' };
const href = '/api/space/main/softtype/new';

test.each([
  ['a create', madeUp({ ...create, status: 201, headers: location }), ['a b']],
  ['a create that shows what was there', madeUp({ ...create, status: 200, headers: location }), []],
  ['a create that was refused', madeUp({ ...create, status: 409, headers: location }), []],
  [
    'a batch',
    madeUp({
      step: post,
      about: { kind: 'batch', operations: [{ method: 'PUT' }, { method: 'POST' }, { method: 'POST' }] },
      body: [{ statusCode: 204, body: { href: '/other' } }, { statusCode: 201, body: { href } }, { statusCode: 409 }],
    }),
    ['new'],
  ],
  [
    'a multi-create',
    madeUp({ step: { ...post, path: multiCreate.path }, status: 201, body: [{ href }, { href: 'id-alone' }] }),
    ['new', 'id-alone'],
  ],
  ['an edit', madeUp({ step: { method: 'PATCH' }, status: 204, headers: location }), []],
  ['an event', madeUp({ step: post, status: 201, headers: location }), []],
])('what is made by %s', (_what, exchange, ids) => expect(madeIn(exchange, ground)).toEqual(ids));

test('a place of the result that is the same for all items is looked at once', () => {
  const one = { multiCreate: { ...multiCreate, resultHref: '/href' } };
  expect(madeIn(madeUp({ step: { ...post, path: multiCreate.path }, body: { href } }), one)).toEqual(['new']);
});
