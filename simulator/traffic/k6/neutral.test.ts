import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { rulesBrokenIn } from '../../../fixtures/forged-house.fixture.ts';
import { findLacking } from '../export/export.ts';
import { identitiesIn } from '../export/plan.ts';
import type { Ground } from '../ground.ts';
import { madeUpGround } from '../judging/made-up.fixture.ts';
import { journeyNames } from '../journey.ts';
import { type JourneyName, mixSchema } from '../mix.ts';
import type { HttpStep } from '../step.ts';
import { operationsIn } from './operations.ts';
import * as here from './rehearsal.fixture.ts';
import { bundle, worldOfK6 } from './world.fixture.ts';

/** Where a journey or what it stands on may be forged; each has to be found everywhere. */
const places = [
  'simulator/traffic/journeys/editing',
  'simulator/traffic/chance',
  'simulator/traffic/content',
  'simulator/traffic/fill',
  'simulator/traffic/journey',
  'simulator/traffic/results',
  'contract/names',
];

const forbidden: Readonly<Record<string, readonly [text: string, rule: string]>> = {
  'a module of Node': [
    "import { createHash } from 'node:crypto';\nexport const made = createHash('md5');\n",
    'no-restricted-imports',
  ],
  'a package': ["import { parse } from 'yaml';\nexport const made = parse('');\n", 'no-restricted-imports'],
  'async and await': [
    'export async function made(): Promise<void> {\n  await Promise.resolve();\n}\n',
    'no-async-await',
  ],
  'an async generator': ['export async function* made(): AsyncGenerator<number> {\n  yield 1;\n}\n', 'no-async-await'],
  'an async arrow': ['export const made = async () => 1;\n', 'no-async-await'],
  Date: ['export const made = new Date(0);\n', 'no-restricted-globals'],
  'Date.now': ['export const made = () => Date.now();\n', 'no-restricted-globals'],
  'Math.random': ['export const made = () => Math.random();\n', 'no-restricted-properties'],
  performance: ['export const made = () => performance.now();\n', 'no-restricted-globals'],
  setTimeout: ['export const made = () => setTimeout(() => undefined, 1);\n', 'no-restricted-globals'],
  URL: ["export const made = new URL('http://localhost');\n", 'no-restricted-globals'],
  URLSearchParams: ['export const made = new URLSearchParams();\n', 'no-restricted-globals'],
  Intl: ["export const made = new Intl.NumberFormat('en');\n", 'no-restricted-globals'],
  structuredClone: ['export const made = structuredClone({});\n', 'no-restricted-globals'],
  Buffer: ["export const made = Buffer.from('');\n", 'no-restricted-globals'],
  process: ['export const made = process.pid;\n', 'no-restricted-globals'],
  fetch: ["export const made = () => fetch('http://localhost');\n", 'no-restricted-globals'],
  'Object.groupBy': ['export const made = Object.groupBy([1], String);\n', 'no-restricted-properties'],
  'Map.groupBy': ['export const made = Map.groupBy([1], String);\n', 'no-restricted-properties'],
  'Promise.withResolvers': ['export const made = Promise.withResolvers();\n', 'no-restricted-properties'],
  'Symbol.asyncIterator': ['export const made = Symbol.asyncIterator;\n', 'no-restricted-properties'],
};

const cases = places.flatMap((place) => Object.entries(forbidden).map(([name, [, rule]]) => ({ place, name, rule })));

describe('what the linter has to find in journeys and what they stand on', () => {
  /** Each forgery needs a house of its own, as the names of some files are given. */
  const found = new Map<string, ReadonlyMap<string, readonly string[]>>();
  beforeAll(async () => {
    for (const [name, [text]] of Object.entries(forbidden))
      found.set(name, await rulesBrokenIn(places.map((place) => ({ file: `${place}.ts`, text }))));
  });

  test.each(cases)('$name in $place', ({ place, name, rule }) => {
    expect(found.get(name)?.get(`${place}.ts`)?.join(' ')).toContain(rule);
  });
});

test.each([
  ['/\\p{L}/u', 'a class of Unicode properties'],
  ['/\\P{L}/u', 'a class of Unicode properties'],
  ['/(?<=a)b/', 'lookbehind'],
  ['/(?<!a)b/', 'lookbehind'],
  ['async function* made() {}', 'an async generator'],
  ['class Made { async *made() {} }', 'an async generator'],
  ['for await (const one of all) use(one);', 'for await'],
])('%s is found', (source, name) => {
  expect(findLacking(source)).toEqual([name]);
});

test('named groups, generators and what is called async are let through', () => {
  expect(findLacking('/(?<op>a)/; function* made() {} const isAsync = 1; // waits for await')).toEqual([]);
});

describe('in a world that has what k6 has', () => {
  let within: ReturnType<typeof worldOfK6>;
  let script: Awaited<ReturnType<typeof bundle>>;
  beforeAll(async () => {
    within = worldOfK6();
    script = await bundle('rehearsal.fixture.ts');
    within(script.source);
  });

  test.each([
    'Intl',
    'URL',
    'structuredClone',
    'Buffer',
    'process',
    'setTimeout',
    'performance',
    'console',
    'Date',
    'Iterator',
    'Math.random',
    'Object.groupBy',
    'Map.groupBy',
    'Promise.withResolvers',
    'Array.fromAsync',
    "''.isWellFormed",
    '[].values().map',
  ])('there is no %s', (name) => {
    expect(within(`typeof ${name.includes('.') ? name : `globalThis.${name}`}`)).toBe('undefined');
  });

  test.each([...journeyNames, 'prepared'])('%s takes the same steps as in Node, for every seed', (name) => {
    const run = within('bundle.rehearse') as typeof here.rehearse;
    const text = JSON.stringify(ground);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), fc.nat({ max: 100_000 }), (seed, user) => {
        const steps = here.rehearse(text, name, seed, user);
        expect(steps).not.toBe('[]');
        expect(run(text, name, seed, user)).toBe(steps);
      }),
      { numRuns: name === 'file-user' ? 5 : 20 },
    );
  });

  test('the same arrivals are the same journeys', () => {
    const mix = JSON.stringify({
      mixVersion: 1,
      journeys: Object.fromEntries(journeyNames.map((name, index) => [name, { weight: index + 1 }])),
    });
    const choose = within('bundle.chooseAll') as typeof here.chooseAll;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), (seed) => {
        expect(choose(mix, seed, 100)).toBe(here.chooseAll(mix, seed, 100));
      }),
      { numRuns: 20 },
    );
  });

  test('nothing but files that the linter watches went into it', () => {
    const watched =
      /^(simulator\/traffic\/(journeys\/[\w-]+|chance|content|fill|journey|results)|contract\/(limits|names|routes))\.ts$/;
    expect(script.files.filter((file) => !watched.test(file) && !file.endsWith('.fixture.ts'))).toEqual([]);
    expect(findLacking(script.source)).toEqual([]);
  });
});

test('nothing but files that the linter watches goes into the script of k6', async () => {
  const { source, files } = await bundle('adaptor.ts');
  const watched =
    /^(simulator\/traffic\/((journeys|k6)\/[\w-]+|merge\/buckets|chance|content|fill|journey|results|thresholds)|contract\/(limits|names|patience|routes))\.ts$/;
  expect(files.filter((file) => !watched.test(file))).toEqual([]);
  expect(findLacking(source)).toEqual([]);
});

test('every journey of a mix is named once, in an order that stays', () => {
  expect([...journeyNames]).toEqual(Object.keys(mixSchema.properties.journeys.properties));
});

test.each(journeyNames)('whoever %s comes as is known to k6', (name) => {
  const known = identitiesIn(ground, { journeys: { [name]: { weight: 1 } } });
  const seen = stepsTaken(name).flatMap(({ as }) => (typeof as === 'string' ? as : []));
  expect(known).toEqual(expect.arrayContaining([...new Set(seen)]));
});

test.each(journeyNames)('every operation of %s is listed, as k6 counts no other', (name) => {
  const listed = operationsIn({ journeys: { [name]: { weight: 1 } } });
  // pauses have none
  const seen = new Set(stepsTaken(name).flatMap(({ op }) => op ?? []));
  expect([...seen].toSorted()).toEqual(listed.toSorted());
});

type StepTaken = Partial<Pick<HttpStep, 'op' | 'as'>>;

function stepsTaken(name: JourneyName): readonly StepTaken[] {
  const text = JSON.stringify(ground);
  return Array.from(
    { length: 40 },
    (_, seed) => JSON.parse(here.rehearse(text, name, seed, 1)) as readonly StepTaken[],
  ).flat();
}

const ground: Ground = {
  ...madeUpGround,
  bodies: [{ title: 'one' }, { title: 'Größe' }],
  entries: [{ name: 'first' }, { name: 'second' }],
  objects: [
    { oid: 'a', version: 1, entries: 0 },
    { oid: 'b', version: 2, entries: 27 },
  ],
  filter: { id: 'drawings' },
  maturity: { processId: 'release', levelId: 'engineering' },
  multiCreate: { path: '/space/main/softtype', resultHref: '/href', inOrder: true },
  demotePath: '/demote/{objectId}/{processId}/{levelId}',
  fileArea: { path: '/api/space/main/fs/file', as: 'editor', minChunkSize: 1 },
  grant: { path: '/auth/token', form: 'grant_type=password' },
  conditional: {
    path: '/profile',
    as: 'administrator',
    change: { method: 'PUT', path: '/profile', as: 'administrator', body: { displayName: '{{unique}}' } },
  },
  strangers: [{ as: 'noRole', rule: 'auth.role.no-role-403' }],
  reader: 'reader',
  expiredToken: 'an.expired.token',
  batchHrefPrefixes: ['https://example.org/base', '/base', ''],
  trigger: { method: 'POST', path: '/event', as: 'editor', body: { content: '{{payload}}' } },
  task: { method: 'POST', path: '/task', as: 'editor', body: {} },
  keys: {
    path: '/acquire',
    as: { bearer: 'signed' },
    tokenCallback: 'http://localhost/keys',
    permission: 'TaskUploadAPI',
    unconfigured: 'SnapshotAPI',
  },
  bulk: {
    path: '/admin/fileupload/main',
    signature: 'signed',
    otherSignature: 'signed otherwise',
    sourceDirectory: '/host/traffic',
    files: ['same.bin', 'one/same.bin'].map((name) => ({ name, content: { kind: 'generated', seed: 1, length: 9 } })),
    waitMs: 10_000,
  },
};
