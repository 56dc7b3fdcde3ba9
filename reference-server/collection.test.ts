import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callOf, sample, type Sample } from './auth/sample.ts';
import type { Answer, UserCall } from './service.ts';

function administratorCall(
  { configuration }: Sample,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): UserCall {
  const user = configuration.users.get('administrator');
  if (user === undefined) throw new Error('no administrator');
  const text = body === undefined ? {} : { method: 'PUT', body: JSON.stringify(body) };
  return { ...callOf({ headers: { 'content-type': 'application/json', ...headers }, ...text }), user };
}

function profile(from: Sample, headers?: Readonly<Record<string, string>>): Promise<Answer> {
  return from.service.store.read((reading) =>
    from.service.behaviours.readProfile(from.service, administratorCall(from, undefined, headers), reading),
  );
}

function put(from: Sample, body: unknown): Promise<Answer> {
  return from.service.store.change((writing) =>
    from.service.behaviours.putProfile(from.service, administratorCall(from, body), writing),
  );
}

test('templates, spaces and health are small objects with id and name', async () => {
  const from = sample();
  const { service } = from;
  const call = administratorCall(from);
  expect((await service.behaviours.readTemplates(service, call)).body).toEqual({
    href: '/api/collection/template',
    data: [{ id: 'bare', name: 'Bare', softTypes: [] }],
  });
  expect((await service.behaviours.readSpaces(service, call)).body).toMatchObject({
    data: [{ id: 'main', template: 'bare' }, { id: 'depot' }],
  });
  const health = await service.store.read((reading) => service.behaviours.readHealth(service, call, reading));
  expect(health.body).toEqual({ id: 'sample', name: 'Sample', status: 'healthy' });
});

describe('the own profile', () => {
  test('reads as configured until it is replaced', async () => {
    expect((await profile(sample())).body).toEqual({
      id: 'administrator',
      name: 'administrator',
      displayName: 'The administrator',
    });
  });

  test('reads back as it was put, under another ETag, and under the old one when put back', async () => {
    const displayName = fc
      .string({ minLength: 1, maxLength: 100, unit: 'grapheme' })
      .filter((text) => text.length <= 200);
    await fc.assert(
      fc.asyncProperty(displayName, async (text) => {
        const from = sample();
        const before = await profile(from);
        expect(await put(from, { displayName: text })).toEqual({ status: 204 });
        const after = await profile(from, { 'if-none-match': before.headers?.['ETag'] ?? '' });
        if (text !== 'The administrator') expect(after).toMatchObject({ status: 200, body: { displayName: text } });
        await put(from, { displayName: 'The administrator' });
        expect((await profile(from)).headers).toEqual(before.headers);
      }),
      { numRuns: 30 },
    );
  });

  test.each([
    [{}, '/displayName'],
    [{ displayName: '' }, '/displayName'],
    [{ displayName: 'x'.repeat(201) }, '/displayName'],
    [{ displayName: 1 }, '/displayName'],
    [{ displayName: null }, '/displayName'],
    [{ displayName: 'a', 'b/~': 1 }, '/b~1~0'],
    [{ displayName: 'a', id: 'editor' }, '/id'],
    [[], ''],
    ['text', ''],
    [null, ''],
  ])('refuses %j with 422 and stays', async (body, pointer) => {
    const from = sample();
    await expect(put(from, body)).rejects.toMatchObject({ status: 422, pointer });
    expect((await profile(from)).body).toMatchObject({ displayName: 'The administrator' });
  });
});
