import { execFileSync, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeFolder } from '../fixtures/folder.fixture.ts';
import { areas } from '../contract/areas.ts';
import { catalogue } from '../suites/catalogue.ts';
import { commandRows } from './commands.ts';
import { completionCommand } from './completion.ts';
import { cassetteFormats, reportFormats, type ShellName, shellNames } from './options.ts';
import { captureOutput } from './output.fixture.ts';
import { programOf } from './run.ts';

const isThere = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;

const place = makeFolder();
const scriptOf = (shell: ShellName): string => join(place, `completion.${shell}`);
beforeAll(async () => {
  await writeFile(join(place, 'staging.yaml'), '');
  for (const shell of shellNames) {
    const program = programOf(() => undefined);
    await writeFile(scriptOf(shell), (await captureOutput(() => completionCommand(shell, program))).stdout);
  }
});

const areaNames: readonly string[] = areas;
const commands = commandRows.map(({ name }) => name);
const pagingRules = catalogue.ids.filter((id) => id.startsWith('paging.'));

/** What is typed, the last word of it unfinished, and all that is offered; `=` is a word of its own for bash. */
const offers: readonly (readonly [typed: string, offered: readonly string[]])[] = [
  ['', commands],
  ['che', ['check', 'check-extension']],
  ['rules ', ['coverage', 'explain']],
  ['rules explain paging.', pagingRules],
  ['check --ar', ['--areas']],
  ['check --areas ', areaNames],
  ['check --areas pa', ['paging', 'patch']],
  ['check --out folder --areas pag', ['paging']],
  ['check --time v', ['virtual']],
  ['check --rules paging.link.pages-c', ['paging.link.pages-count']],
  ['check --rules a b paging.link.pages-c', ['paging.link.pages-count']],
  ['check --quiet --profile sta', ['staging.yaml']],
  ['check --runs ', []],
  ['report ', [...reportFormats, ...cassetteFormats, 'merge', 'rerun', 'table']],
  ['report junit sta', ['staging.yaml']],
  ['report junit staging.yaml sta', ['staging.yaml']],
  ['report merge --report jun', ['junit=']],
  ['serve --fault x --log si', ['silent']],
  ['simulate traffic --judge x --th', ['--threshold']],
  ['completion f', ['fish']],
  ['nothing --x ', []],
];

describe.skipIf(!isThere('bash'))('bash', () => {
  /** Words as bash cuts them. */
  function offered(words: readonly string[]): readonly string[] {
    const script = `
      source ${scriptOf('bash')}
      COMP_WORDS=(svc-conformance ${words.map((word) => `'${word}'`).join(' ')})
      COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
      _svc_conformance
      for each in "\${COMPREPLY[@]}"; do echo "$each"; done`;
    return lines(execFileSync('bash', ['--norc', '-c', script], { cwd: place, encoding: 'utf8' }));
  }

  test.each(offers)('%j', (typed, expected) => {
    const shown = offered(typed.split(' '));
    expect(shown.toSorted()).toEqual(expected.toSorted());
  });

  test.each<readonly [words: readonly string[], expected: readonly string[]]>([
    [['check', '--areas', 'paging,pat'], ['paging,patch']],
    [['check', '--areas', '=', 'pag'], ['paging']],
    [['check', '--areas', '='], areaNames],
    [['check', '--report', 'junit', '=', 'sta'], ['staging.yaml']],
    [
      ['check', '--report', 'junit', '='],
      ['completion.bash', 'completion.fish', 'completion.zsh', 'staging.yaml'],
    ],
    [['check', '--report', '=', 'junit', '=', 'sta'], ['staging.yaml']],
  ])('%j', (words, expected) => {
    expect(offered(words).toSorted()).toEqual(expected.toSorted());
  });
});

describe.skipIf(!isThere('fish'))('fish', () => {
  const further: typeof offers = [
    ['check --areas paging,pat', ['paging,patch']],
    ['check --areas=paging,pat', ['--areas=paging,patch']],
  ];
  // after a flag it takes one word for its value
  test.each([...offers.filter(([typed]) => typed !== 'check --rules a b paging.link.pages-c'), ...further])(
    '%j',
    (typed, expected) => {
      const script = `source ${scriptOf('fish')}; complete -C 'svc-conformance ${typed}'`;
      const shown = execFileSync('fish', ['--no-config', '-c', script], { cwd: place, encoding: 'utf8' });
      // it offers files as well wherever it has nothing better
      expect(lines(shown).map((line) => line.split('\t')[0])).toEqual(expect.arrayContaining([...expected]));
    },
  );
});

test.skipIf(!isThere('zsh'))('zsh can read its script', () => {
  expect(spawnSync('zsh', ['-n', scriptOf('zsh')], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
});

function lines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}
