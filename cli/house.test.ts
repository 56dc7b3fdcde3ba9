import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { rulesBrokenIn } from '../fixtures/forged-house.fixture.ts';

/** Proves that the linter holds the house together: every forbidden thing is written once, and has to be found. */
const root = fileURLToPath(new URL('..', import.meta.url));
const folders = [
  'contract',
  'fixtures',
  'clock',
  'reference-server',
  'variants',
  'simulator/traffic',
  'simulator/extension',
  'judge',
  'suites',
  'reports',
  'api',
  'cli',
  'bench',
];

const allowed: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  fixtures: ['contract'],
  clock: ['contract'],
  'reference-server': ['contract', 'fixtures', 'clock'],
  variants: ['contract', 'fixtures', 'clock', 'reference-server', 'simulator/extension'],
  simulator: ['contract', 'fixtures', 'clock', 'simulator'],
  judge: ['contract', 'fixtures', 'simulator/extension'],
  suites: ['contract', 'fixtures', 'judge'],
  reports: ['contract'],
  api: [
    'contract',
    'fixtures',
    'clock',
    'reference-server',
    'variants',
    'simulator/extension',
    'judge',
    'suites',
    'reports',
  ],
  cli: folders.filter((folder) => folder !== 'bench'),
};

const forbiddenImports = Object.entries(allowed).flatMap(([from, to]) =>
  folders
    .filter((folder) => folder.split('/')[0] !== from && !to.includes(folder))
    .map((folder) => ({
      file: `${from}/imports-${folder.replace('/', '-')}.ts`,
      text: `export { word } from '../${folder}/word.ts';\n`,
      rule: 'no-restricted-imports',
    })),
);
/** The judged share data with their judge, and no opinion on it. */
const knowsItsJudge = [
  'fixtures/knows.ts',
  'reference-server/knows.ts',
  'clock/knows.ts',
  'variants/faults/knows.ts',
].map((file) => ({
  file,
  text: `import { word } from '${'../'.repeat(file.split('/').length - 1)}contract/judge-read.ts';\nexport const said = word;\n`,
  rule: 'no-restricted-imports',
}));
const allowedImports = Object.entries(allowed).flatMap(([from, to]) =>
  to.map((folder) => ({
    file: `${from}/may-import-${folder.replace('/', '-')}.ts`,
    text: `import { word } from '../${folder}/word.ts';\nexport const said = word + 1;\n`,
  })),
);

const others = [
  {
    file: 'contract/round.ts',
    text: "import { turn } from './turn.ts';\nexport const round = () => turn();\n",
    rule: 'no-cycle',
  },
  {
    file: 'contract/turn.ts',
    text: "import { round } from './round.ts';\nexport const turn = (): unknown => round;\n",
    rule: 'no-cycle',
  },
  {
    file: 'judge/round.ts',
    text: "import type { Turn } from './turn.ts';\nexport interface Round {\n  readonly turn: Turn;\n}\n",
    rule: 'no-cycle',
  },
  {
    file: 'judge/turn.ts',
    text: "import type { Round } from './round.ts';\nexport interface Turn {\n  readonly round: Round;\n}\n",
    rule: 'no-cycle',
  },
  { file: 'suites/loose.ts', text: `export const loose = (value: ${'any'}) => value;\n`, rule: 'no-explicit-any' },
  {
    file: 'suites/sure.ts',
    text: 'export const sure = (value?: string) => value!.length;\n',
    rule: 'no-non-null-assertion',
  },
  { file: 'suites/nameless.ts', text: 'export default 1;\n', rule: 'no-default-export' },
  { file: 'suites/loud.ts', text: "export const loud = () => console.log('heard');\n", rule: 'no-console' },
  {
    file: 'suites/twice.ts',
    text: 'export const twice = (a: boolean, b: boolean) => (a ? 1 : b ? 2 : 3);\n',
    rule: 'no-nested-ternary',
  },
  {
    file: 'suites/long.ts',
    text: `export function long() {\n${'  globalThis.name;\n'.repeat(81)}}\n`,
    rule: 'max-lines-per-function',
  },
  { file: 'suites/endless.ts', text: `${'// line\n'.repeat(601)}`, rule: 'max-lines' },
  { file: 'suites/barrel.ts', text: "export * from './word.ts';\n", rule: 'no-barrel-file' },
  {
    file: 'suites/heavy.ts',
    text: "import { Thing } from './word.ts';\nexport const heavy = (thing: Thing) => thing;\n",
    rule: 'consistent-type-imports',
  },
  {
    file: 'reference-server/late.ts',
    text: 'export const late = () => setTimeout(() => undefined, 1);\n',
    rule: 'no-restricted-globals',
  },
  {
    file: 'reference-server/often.ts',
    text: 'export const often = () => setInterval(() => undefined, 1);\n',
    rule: 'no-restricted-globals',
  },
  { file: 'reference-server/now.ts', text: 'export const now = () => Date.now();\n', rule: 'no-restricted-properties' },
  {
    file: 'reference-server/timers.ts',
    text: "import { setTimeout as wait } from 'node:timers/promises';\nexport const timers = () => wait(1);\n",
    rule: 'no-restricted-imports',
  },
];

/** Ways out of the process beside the one. */
const besideTheOutlet = ['cli', 'reports', 'api', 'judge', 'suites', 'simulator/extension'].flatMap((room) => [
  ...[
    ['node:fs', 'writeFileSync'],
    ['node:fs', 'appendFileSync'],
    ['node:fs', 'writeSync'],
    ['node:fs', 'createWriteStream'],
    ['node:fs/promises', 'writeFile'],
    ['node:fs/promises', 'open'],
  ].map(([module, name]) => ({
    file: `${room}/leaves-by-${name}-of-${module?.replaceAll(/\W/g, '-')}.ts`,
    text: `import { ${name} } from '${module}';\nexport const leaves = ${name};\n`,
    rule: 'no-restricted-imports',
  })),
  {
    file: `${room}/leaves-by-all-of-fs.ts`,
    text: "import * as fs from 'node:fs';\nexport const leaves = fs;\n",
    rule: 'no-restricted-imports',
  },
  ...['stdout', 'stderr'].map((name) => ({
    file: `${room}/leaves-by-${name}.ts`,
    text: `export const leaves = () => process.${name}.write('x');\n`,
    rule: 'no-restricted-properties',
  })),
  {
    file: `${room}/leaves-by-console.ts`,
    text: "export const leaves = () => console.error('x');\n",
    rule: 'no-console',
  },
]);

const fine = [
  ...allowedImports,
  {
    file: 'cli/outlet.ts',
    text: "import { writeSync } from 'node:fs';\nexport const leaves = () => [writeSync, process.stdout];\n",
  },
  {
    file: 'reports/names-types.ts',
    text: "import type { Thing } from '../judge/word.ts';\nexport const names = (thing: Thing) => thing;\n",
  },
  {
    file: 'contract/crosses.test.ts',
    text: "import { word } from '../suites/word.ts';\nexport const crosses = word;\n",
  },
  {
    file: 'clock/clock.ts',
    text: 'export const now = () => Date.now();\nexport const soon = () => setTimeout(() => undefined, 1);\n',
  },
];

let found: ReadonlyMap<string, readonly string[]> = new Map();

beforeAll(async () => {
  const words = folders.map((folder) => ({
    file: `${folder}/word.ts`,
    text: 'export const word = 1;\nexport interface Thing {\n  readonly word: number;\n}\n',
  }));
  found = await rulesBrokenIn([
    ...words,
    ...forbiddenImports,
    ...knowsItsJudge,
    ...others,
    ...besideTheOutlet,
    ...fine,
  ]);
});

describe('what the linter has to find', () => {
  test.each([...forbiddenImports, ...knowsItsJudge, ...others, ...besideTheOutlet])(
    '$file: $rule',
    ({ file, rule }) => {
      expect(found.get(file)?.join(' ') ?? 'nothing').toContain(rule);
    },
  );
});

test.each(fine)('$file is let through', ({ file }) => {
  expect(found.get(file) ?? []).toEqual([]);
});

test('nothing in the reference server asks the machine for the time outside the clock', async () => {
  const names = await readdir(join(root, 'reference-server'), { recursive: true });
  const judged = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const texts = await Promise.all(judged.map((name) => readFile(join(root, 'reference-server', name), 'utf8')));
  expect(judged.filter((_, index) => /new Date\(\)/.test(texts[index] ?? ''))).toEqual([]);
});
