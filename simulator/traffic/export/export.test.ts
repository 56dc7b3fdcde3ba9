import { parseAllDocuments } from 'yaml';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Profile } from '../../../contract/profile.ts';
import { journeyNames } from '../journey.ts';
import { countedMetrics } from '../k6/names.ts';
import { optionsOf, scenarioOf, thresholdsOf } from '../k6/options.ts';
import type { Plan } from '../k6/plan.ts';
import { exportTraffic } from './export.ts';
import { planOf, type TrafficExport } from './plan.ts';

const profile: Profile = {
  profileVersion: 1,
  implementation: 'example',
  baseUrl: 'http://localhost:8080',
  space: 'main',
  auth: {
    tokenUrl: '/auth/token',
    clientId: 'client-of-secrets',
    clientSecret: 'client-secret-1',
    signingKey: 'signing-key-1',
  },
  identities: {
    editor: { username: 'edda', password: 'edda-password-1', pat: 'edda-pat-1' },
    administrator: { token: 'administrator-token-1' },
    reader: { password: 'reader-password-1' },
  },
  softTypes: {
    primary: {
      definitionId: 'Document',
      inputSchemaId: 'in',
      outputSchemaId: 'out',
      body: { title: 'x' },
      scalars: ['note', 'remark'],
    },
  },
  caching: { resources: [{ path: '/profile', as: 'administrator' }] },
};
const what: TrafficExport = {
  profile,
  plan: {
    mix: {
      mixVersion: 1,
      journeys: { reader: { weight: 1 }, 'gate-keeper': { weight: 1 }, 'extension-life': { weight: 1 } },
    },
    load: { model: 'open', rate: 12.5 },
    durationMs: 30_000,
    rampMs: 0,
    seed: 3,
  },
  thresholds: ['errors<1%', 'read:p95<50ms', 'rate>10/s'],
};

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-conformance-export-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a folder for k6', () => {
  test('holds a script, data, a manifest and what to do, and no secret', async () => {
    const { files, variables, remarks } = await exportTraffic(what, folder, writeFileSync);
    expect(readdirSync(folder).toSorted()).toEqual([...files].toSorted());
    expect(variables).toEqual([
      'TRAFFIC_EDITOR_USERNAME',
      'TRAFFIC_EDITOR_PASSWORD',
      'TRAFFIC_ADMINISTRATOR_TOKEN',
      'TRAFFIC_CLIENT_ID',
      'TRAFFIC_CLIENT_SECRET',
    ]);
    expect(remarks.join(' ')).toMatch(/extension-life was left out.*rate>10\/s is judged when segments are merged/);
    const texts = files.map((file) => readFileSync(join(folder, file), 'utf8'));
    for (const text of texts) expect(text).not.toMatch(/-(password|secret|key|pat|token)-1|edda|client-of-secrets/);
  });

  test('leaves extension-life out, as nobody in k6 takes its events, and says so', async () => {
    await exportTraffic(what, folder, writeFileSync);
    const plan = JSON.parse(readFileSync(join(folder, 'ground.json'), 'utf8')) as Plan;
    expect(Object.keys(plan.mix.journeys)).toEqual(['reader', 'gate-keeper']);
    expect(countedMetrics(plan.mix).join()).not.toContain('trigger');
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toContain(
      '- extension-life was left out: k6 has no extension host that its events could be delivered to.',
    );
    expect(() =>
      planOf({
        ...what,
        plan: { ...what.plan, mix: { mixVersion: 1, journeys: { 'extension-life': { weight: 1 } } } },
      }),
    ).toThrow('Expected a journey that k6 can make with this profile, found none. extension-life was left out');
  });

  test('is the same for the same run', async () => {
    const { files } = await exportTraffic(what, join(folder, 'one'), writeFileSync);
    await exportTraffic(what, join(folder, 'other'), writeFileSync);
    for (const file of files)
      expect(readFileSync(join(folder, 'one', file), 'utf8')).toBe(readFileSync(join(folder, 'other', file), 'utf8'));
  });

  test('has a manifest with the files in a ConfigMap and the credentials from a Secret', async () => {
    const { variables } = await exportTraffic(what, folder, writeFileSync);
    const [map, run] = parseAllDocuments(readFileSync(join(folder, 'testrun.yaml'), 'utf8')).map((document) =>
      document.toJS(),
    );
    expect(map).toMatchObject({
      kind: 'ConfigMap',
      data: {
        'ground.json': readFileSync(join(folder, 'ground.json'), 'utf8'),
        'script.js': readFileSync(join(folder, 'script.js'), 'utf8'),
      },
    });
    expect(run).toMatchObject({
      apiVersion: 'k6.io/v1alpha1',
      kind: 'TestRun',
      spec: { parallelism: 4, script: { configMap: { name: map.metadata.name, file: 'script.js' } } },
    });
    const { env } = run.spec.runner;
    expect(
      env
        .filter((one: { readonly valueFrom?: unknown }) => one.valueFrom !== undefined)
        .map(({ name }: { readonly name: string }) => name),
    ).toEqual(variables);
  });

  test('tells the licence of k6, the variables, each way to run it, and merging', async () => {
    const { variables } = await exportTraffic(what, folder, writeFileSync);
    const readme = readFileSync(join(folder, 'README.md'), 'utf8');
    for (const part of [
      ...variables,
      'AGPL-3.0',
      'never linked',
      '--execution-segment-sequence',
      'kubectl apply',
      'simulate merge',
      'read',
      'Nothing is deleted afterwards.',
      'begins with `t',
    ])
      expect(readme).toContain(part);
  });

  test('cannot stand where a file is', async () => {
    writeFileSync(join(folder, 'file'), '');
    await expect(exportTraffic(what, join(folder, 'file'), writeFileSync)).rejects.toThrow(
      /Cannot write to .*name a folder/,
    );
  });

  test('is not written when it is more than a cluster takes', async () => {
    const long = { ...what, ground: { bodies: [{ title: 'x'.repeat(1024 * 1024) }] } };
    await expect(exportTraffic(long, join(folder, 'none'), writeFileSync)).rejects.toThrow(
      /Expected at most 1048576 bytes/,
    );
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a profile that cannot be exported', () => {
  test.each<[string, Partial<Profile>, RegExp]>([
    [
      'without credentials',
      { identities: { ...profile.identities, editor: { username: 'edda' } } },
      /identities\.editor.*Add them/,
    ],
    [
      'with a secret in a body',
      {
        caching: {
          resources: [{ path: '/profile', as: 'administrator' }],
          change: { resource: 0, method: 'PUT', path: '/profile', body: { key: 'signing-key-1' } },
        },
      },
      /no password, token or key/,
    ],
    [
      'with a secret in a path',
      { caching: { resources: [{ path: '/profile?t=administrator-token-1', as: 'administrator' }] } },
      /no password, token or key/,
    ],
  ])('%s', (_, part, message) => {
    expect(() => planOf({ ...what, profile: { ...profile, ...part } })).toThrow(message);
  });
});

describe('the load in the words of k6', () => {
  const shape = what.plan;
  test('arrivals at one rate', () => {
    expect(scenarioOf(shape)).toMatchObject({
      executor: 'constant-arrival-rate',
      exec: 'arrival',
      rate: 125,
      timeUnit: '10s',
      duration: '30000ms',
      preAllocatedVUs: 50,
    });
  });
  test('arrivals that rise', () => {
    const stages = [
      { target: 125, duration: '5000ms' },
      { target: 125, duration: '25000ms' },
    ];
    expect(scenarioOf({ ...shape, rampMs: 5000 })).toMatchObject({
      executor: 'ramping-arrival-rate',
      startRate: 0,
      stages,
    });
  });
  test('arrivals by stages', () => {
    const mix: Plan['mix'] = {
      ...what.plan.mix,
      stages: [
        { seconds: 2, to: 0.5 },
        { seconds: 3, to: 2 },
      ],
    };
    expect(scenarioOf({ ...shape, mix })).toMatchObject({
      stages: [
        { target: 63, duration: '2000ms' },
        { target: 250, duration: '3000ms' },
      ],
    });
  });
  test('users, all at once or one after another', () => {
    const closed = { ...shape, load: { model: 'closed', users: 7 } } as const;
    expect(scenarioOf(closed)).toEqual({ executor: 'constant-vus', exec: 'user', vus: 7, duration: '30000ms' });
    expect(scenarioOf({ ...closed, rampMs: 40_000 })).toEqual({
      executor: 'ramping-vus',
      exec: 'user',
      startVUs: 0,
      stages: [{ target: 7, duration: '30000ms' }],
    });
  });
});

test('thresholds that k6 can judge are put in its words', () => {
  expect(
    thresholdsOf([
      'p99<0.2s',
      'read:p95<50ms',
      'read:max<1s',
      'mean<9ms',
      'edit:errors<1.5%',
      'rate>5/s',
      'all:p50>1ms',
    ]),
  ).toEqual({
    expressed: {
      'http_req_duration{scenario:traffic}': ['p(99)<200', 'avg<9', 'p(50)>1'],
      'http_req_duration{scenario:traffic,op:read}': ['p(95)<50', 'max<1000'],
      'http_req_failed{scenario:traffic,op:edit}': ['rate<0.015'],
    },
    left: ['rate>5/s'],
  });
});

test('names of metrics keep the rules of k6 and differ', () => {
  const names = countedMetrics({
    mixVersion: 1,
    journeys: Object.fromEntries(journeyNames.map((name) => [name, { weight: 1 }])),
  });
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_]{1,127}\{[a-z]+:[\w -]+(,[a-z]+:[\w -]+)*\}$/);
});

test('counts are listed once, not for every user', () => {
  const { plan } = planOf(what);
  const listed = (counted: boolean): readonly string[] => Object.keys(optionsOf(plan, counted)['thresholds'] as object);
  expect(listed(false)).toEqual(Object.keys(thresholdsOf(plan.thresholds).expressed));
  expect(listed(true).length).toBe(listed(false).length + countedMetrics(plan.mix).length);
});
