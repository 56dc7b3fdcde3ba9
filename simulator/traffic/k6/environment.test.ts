import { afterEach, expect, test, vi } from 'vitest';
import { baseUrlOf, movedTo } from './environment.ts';
import type { Plan } from './plan.ts';

afterEach(() => vi.unstubAllGlobals());

test.each<[string, string | undefined, string]>([
  ['as exported', undefined, 'http://one.example/tenant'],
  ['where the environment says', 'https://other.example/', 'https://other.example'],
])('the deployment is %s', (_what, elsewhere, address) => {
  vi.stubGlobal('__ENV', { TRAFFIC_BASE_URL: elsewhere });
  expect(baseUrlOf({ baseUrl: 'http://one.example/tenant/' })).toBe(address);
});

test.each<[string, readonly string[], readonly string[]]>([
  ['all forms', ['http://one.example', '/tenant', ''], ['https://other.example/a', '/a', '']],
  ['the absolute one', ['http://one.example'], ['https://other.example/a']],
  ['the one from the base URL on', [''], ['']],
])('hrefs in a batch go where the deployment is: %s', (_what, exported, moved) => {
  const plan: Plan = {
    implementation: '',
    baseUrl: 'http://one.example',
    mix: { mixVersion: 1, journeys: {} },
    mixDigest: '',
    load: { model: 'open', rate: 1 },
    durationMs: 1,
    rampMs: 0,
    seed: 1,
    timeoutMs: 1,
    objects: 1,
    thresholds: [],
    identities: {},
    tokenLifetimeSeconds: 1,
    ground: {
      seed: 1,
      space: 'main',
      softType: { definitionId: '', inputSchemaId: '', outputSchemaId: '', scalars: [] },
      bodies: [],
      payloads: [],
      entries: [],
      objects: [],
      batchHrefPrefixes: exported,
    },
  };
  expect(movedTo('https://other.example/a', plan).ground.batchHrefPrefixes).toEqual(moved);
});
