import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { routesOf } from '../areas.ts';
import { sample } from '../areas/auth-sample.fixture.ts';

/** What a route has done for it when it declares that it needs it. */
const steps =
  /\.(authenticate|authorize|openArea|requireAdministrationKey|locateObject|locateJob|requireMediaType|jsonBodyOf|assertUnlocked|assertVersion)\(/g;

const areas = new URL('../areas/', import.meta.url);

/** Steps outside declarations, with what they are for. */
const known = [
  'admission.ts: assertUnlocked, assertVersion, jsonBodyOf, locateObject, requireMediaType',
  // the second way in, where no key of a holder has signed
  'api-keys.ts: authenticate, authorize',
  // operations of a batch are requests of their own
  'batch.ts: authorize',
  'bulk-upload.ts: requireAdministrationKey',
  'files.ts: openArea',
  'jobs.ts: locateJob',
  'validated-writes.ts: authorize, jsonBodyOf',
  'versioning.ts: assertVersion',
];

test.each(routesOf(sample().service))('$method $path says who may call it and what it needs', (route) => {
  expect(route.needs).toBeTypeOf('object');
  expect([route.path, route.access === 'public']).toEqual([route.path, route.path === '/auth/token']);
  if (route.path.includes('{objectId}')) expect(route.needs.object).toBe(true);
  if (/\{(?:id|jobId|eventId)\}/.test(route.path)) expect(route.needs.place).toBeTypeOf('function');
});

test('no handler takes the steps again that routes declare', () => {
  const found = readdirSync(areas)
    .filter((file) => /^[\w-]+\.ts$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(new URL(file, areas), 'utf8');
      const taken = new Set([...text.matchAll(steps)].map(([, step = '']) => step));
      return taken.size === 0 ? [] : [`${file}: ${[...taken].toSorted().join(', ')}`];
    });
  expect(found).toEqual(known);
});
