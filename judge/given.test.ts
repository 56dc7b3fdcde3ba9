import { expect, test } from 'vitest';
import { startReference } from '../api/deployment.ts';
import { openContext } from './case/open-context.ts';
import { CaseRecord } from './case/record.ts';
import { sessionFor } from './run/session.fixture.ts';

test('each entry inside an entry is given texts of its own, as the profile asks', async () => {
  await using server = await startReference();
  const { profile } = server.loaded;
  const named = JSON.stringify(profile).replace('"author":"someone"', '"author":"by {{unique}}"');
  const session = sessionFor({ ...server.loaded, profile: JSON.parse(named) as typeof profile });
  const { given, service } = openContext(session, { name: 'test', seed: 1, record: new CaseRecord(true) });
  const owner = await given.objectWithEntries(2, { nested: () => 2 });
  const authors = (await service.read(owner)).text.match(/"author":"by [^"]+"/g) ?? [];
  expect(new Set(authors).size).toBe(4);
});

test('an object is as the answer to its create tells once a read of the case has borne that out', async () => {
  await using server = await startReference();
  const record = new CaseRecord(true);
  const { given } = openContext(sessionFor(server.loaded), { name: 'test', seed: 1, record });
  const reads = (): number => record.history().filter(({ request }) => request.method === 'GET').length;
  await given.object();
  expect(reads()).toBe(1);
  expect([...record.leansOn]).toEqual([]);
  const thing = await given.object();
  expect(reads()).toBe(1);
  expect([...record.leansOn]).toEqual(['headers.location.leads-to-object', 'headers.uoi-version.on-create']);
  expect(await given.current(thing)).toEqual(thing);
});

test('where the answer to a create tells no version, each object is read', async () => {
  await using server = await startReference({ faults: ['headers.uoi-version.on-create'] });
  const record = new CaseRecord(true);
  const { given } = openContext(sessionFor(server.loaded), { name: 'test', seed: 1, record });
  for (const count of [1, 2]) {
    await given.object();
    expect(record.history().filter(({ request }) => request.method === 'GET').length).toBe(count);
  }
});

test('what somebody made where the editor has no role is found by who made it', async () => {
  await using server = await startReference();
  const record = new CaseRecord(true);
  const { given, service, profile } = openContext(sessionFor(server.loaded), { name: 'test', seed: 1, record });
  const { space, softType: type } = profile.all.secondSpace ?? expect.fail('the bundled profile has a second space');
  const body = given.body({}, type);
  const created = await service.create(body, { of: { type, space }, as: 'outsider' });
  await given.found(created, body, { type, space, as: 'outsider' });
  const tokens = record.history().map(({ request }) => request.headers.find(([name]) => name === 'Authorization')?.[1]);
  expect(new Set(tokens).size).toBe(1);
});
