import { expect, test } from 'vitest';
import { startReference } from '../../../api/deployment.ts';
import { createVariant } from '../../../variants/create-variant.ts';
import { filledByItself, remarkByDefault } from '../../../variants/habits.fixture.ts';
import { Base } from '../base.ts';

const never = new AbortController().signal;

test('a text that new objects have by default is left out, and where one alone is left that is said', async () => {
  await using server = await startReference({}, (options) => createVariant({ ...options, faults: [remarkByDefault] }));
  const base = new Base({ loaded: server.loaded, seed: 1 }, never, new Set(['soft-type']));
  expect(await base.preflight()).toBeUndefined();
  expect(base.completed().softTypes?.primary.scalars).toEqual(['note']);
  expect(base.unusable()).toEqual({
    'scalar-members':
      'a new object has remark by default, and what is removed does not show there: name other texts in softTypes.primary.scalars',
  });
  await base.close();
});

test('numbers and arrays that new objects fill by themselves are left out', async () => {
  await using server = await startReference({}, (options) => createVariant({ ...options, faults: [filledByItself] }));
  const base = new Base({ loaded: server.loaded, seed: 1 }, never, new Set(['soft-type']));
  expect(await base.preflight()).toBeUndefined();
  const { primary } = base.completed().softTypes ?? {};
  expect(primary?.numbers).not.toContain('pageCount');
  expect(primary).not.toHaveProperty('secondArrayPort');
  expect(primary).toHaveProperty('arrayPort');
  expect(base.unusable()).toMatchObject({ 'second-array-port': expect.stringContaining('by itself') });
  await base.close();
});

test('nothing is left out where no object has anything of its own accord', async () => {
  await using server = await startReference();
  const base = new Base({ loaded: server.loaded, seed: 1 }, never, new Set(['soft-type']));
  expect(await base.preflight()).toBeUndefined();
  expect(base.completed().softTypes).toEqual(server.loaded.profile.softTypes);
  expect(base.unusable()).toEqual({});
  await base.close();
});
