import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test, vi } from 'vitest';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import type { TrafficReport } from '../../contract/schemas/traffic.ts';
import { createVariant } from '../../variants/create-variant.ts';
import type { FaultId } from '../../variants/faults.ts';
import type { TrafficOptions } from '../options.ts';
import { trafficCommand } from '../traffic.ts';
import { journeys } from './own-journeys.fixture.ts';

const folder = makeFolder();
afterAll(() => vi.restoreAllMocks());
const at = (name: string): string => join(folder, name);
const module = relative(folder, fileURLToPath(new URL('./own-journeys.fixture.ts', import.meta.url)));
const names = Object.keys(journeys);

function mixWith(
  file: string,
  own = names.map((name) => `${name}: { weight: 1 }`).join(', '),
  bundled = 'reader: { weight: 1 }',
): string {
  writeFileSync(
    at('mix.yaml'),
    `mixVersion: 1\nobjects: 4\njourneys: { ${bundled} }\nown:\n  module: ${file}\n  journeys: { ${own} }\nthresholds: ['look:errors<1%']\n`,
  );
  return at('mix.yaml');
}

async function made(options: TrafficOptions, faults: readonly FaultId[] = []): Promise<TrafficReport> {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const server = createVariant({ control: true, faults });
  const profile = `${await server.listen()}/_control/profile.yaml`;
  const file = at('report.json');
  await trafficCommand({
    profile,
    rate: 30,
    duration: 2,
    seed: 2,
    quiet: true,
    ...options,
    report: [{ format: 'json', file }],
  }).finally(() => server.close());
  return JSON.parse(readFileSync(file, 'utf8'));
}

const begunIn = ({ journeys: all }: TrafficReport): unknown => all.map(({ journey, begun }) => [journey, begun]);

test('own journeys come beside the bundled ones, the same for a seed whichever workers make them', async () => {
  const [alone, together] = [await made({ mix: mixWith(module) }), await made({ mix: mixWith(module), workers: 2 })];
  expect(alone.journeys.map(({ journey }) => journey)).toEqual(['looker', 'reader', 'renamer']);
  expect(begunIn(together)).toEqual(begunIn(alone));
  expect(alone).toMatchObject({ violations: [], thresholds: [{ met: true }] });
  expect(alone.operations.map(({ op }) => op)).toEqual(expect.arrayContaining(['look', 'create', 'edit']));
});

test('what they do is judged as what bundled journeys do, which need not be there', async () => {
  const mix = mixWith(module, 'renamer: { weight: 1 }', '');
  const { violations, journeys: begun } = await made({ mix }, ['reading.system.oid-matches-route']);
  expect(begun.map(({ journey }) => journey)).toEqual(['renamer']);
  expect(violations.map(({ rule }) => rule)).toContain('reading.system.oid-matches-route');
});

test.each([
  [
    'a file that is not there',
    './none.ts',
    'renamer: { weight: 1 }',
    /none\.ts: the module cannot be loaded: there is no such file/,
  ],
  ['a journey that nobody wrote', module, 'other: { weight: 1 }', /to hold a generator function "other"/],
  ['a name that is spelled wrong', module, 'renaamer: { weight: 1 }', /"renaamer"; did you mean "renamer"\?/],
  ['the name of a bundled one', module, 'author: { weight: 1 }', /author is the name of a bundled journey/],
])('%s ends with 2 and a sentence', async (_, file, own, message) => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  said.mockClear();
  expect(await trafficCommand({ profile: 'none.yaml', mix: mixWith(file, own), quiet: true })).toBe(2);
  expect(said.mock.calls.join('')).toMatch(message);
});

test('what a journey stumbles over is told with its name and its line', async () => {
  writeFileSync(
    at('wrong.mjs'),
    'export const journeys = {\n  *slip(env, steps) {\n    yield steps.creatStep(env);\n  },\n};\n',
  );
  const { remarks } = await made({ mix: mixWith('./wrong.mjs', 'slip: { weight: 1 }', '') });
  expect(remarks.join()).toContain('the journey slip of wrong.mjs:3 stumbled: steps.creatStep is not a function');
});
