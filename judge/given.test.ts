import { expect, test } from 'vitest';
import { startReference } from '../api/deployment.ts';
import { openContext } from './open-context.ts';
import { CaseRecord } from './record.ts';
import { sessionFor } from './session.fixture.ts';

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
