import { expect, test } from 'vitest';
import { madeUp, madeUpGround, readResponse } from '../judging/made-up.fixture.ts';
import { sharedOf } from './recorder.ts';

const all = (): boolean => true;
const headers = { location: '/x/made', 'svc-uoiversion': '4', 'set-cookie': 'a=b' };

test('of what was done to an object, as much as a history needs is shared', () => {
  const read = madeUp({ about: { kind: 'read', oid: 'known' }, body: readResponse('known', 3, 27) });
  expect(sharedOf(read, madeUpGround, all)).toEqual({
    ...read,
    result: { status: 200, headers: {}, body: '{"version":3,"data":{"note":"as it was"}}' },
  });
  const edit = madeUp({
    about: { kind: 'edit', oid: 'known', version: 3, marker: 'm' },
    headers,
    body: 'long',
    status: 204,
  });
  expect(sharedOf(edit, madeUpGround, all)?.result).toEqual({
    status: 204,
    headers: { location: '/x/made', 'svc-uoiversion': '4' },
    body: '',
  });
  const batch = madeUp({
    about: { kind: 'batch', operations: [{ method: 'PUT', oid: 'known', version: 3 }] },
    body: [{ statusCode: 204, body: { version: 4, more: 'x' } }, 7],
  });
  expect(sharedOf(batch, madeUpGround, all)?.result.body).toBe('[{"statusCode":204,"body":{"version":4}},null]');
});

test('an answer that concerns one journey alone, and an object that is not judged, are not', () => {
  expect(sharedOf(madeUp({ body: 'x' }), madeUpGround, all)).toBeUndefined();
  expect(
    sharedOf(madeUp({ about: { kind: 'batch', operations: [{ method: 'POST' }] }, body: [] }), madeUpGround, all),
  ).toBeUndefined();
  const read = madeUp({ about: { kind: 'read', oid: 'known' }, body: readResponse('known', 3, 1) });
  expect(sharedOf(read, madeUpGround, (oid) => oid !== 'known')).toBeUndefined();
});

test('an event is shared whatever is judged', () => {
  const trigger = madeUp({ about: { kind: 'trigger', marker: 'm' }, status: 201, body: 'x' });
  expect(sharedOf(trigger, madeUpGround, () => false)).toMatchObject({
    step: { about: { marker: 'm' } },
    result: { status: 201 },
  });
});
