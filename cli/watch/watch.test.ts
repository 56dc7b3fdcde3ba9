import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import { startReference } from '../../api/deployment.ts';
import { checkCommand } from '../check.ts';
import type { CheckOptions } from '../options.ts';
import { serve } from '../served.fixture.ts';

const failing = 'caching.match.status-304';
const rules = ['caching.etag.present', failing];
const main = fileURLToPath(new URL('../main.ts', import.meta.url));

const folder = makeFolder();
const [{ profile: right }, { profile: wrong }] = [await serve(), await serve({ faults: [failing] })];
const profiles = [right, wrong] as const;

/** A watch under way in this process. */
interface Watched {
  readonly out: string;
  press(keys: string): void;
  /** What was printed since the last call, once it holds the text. */
  until(text: string): Promise<string>;
  readonly ended: Promise<number>;
}

function watching(options: Partial<CheckOptions>, open?: Parameters<typeof checkCommand>[1], isTTY = true): Watched {
  const out = mkdtempSync(join(folder, 'out-'));
  const keys = Object.assign(new PassThrough(), { isTTY, setRawMode: vi.fn() });
  let printed = '';
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation((text) => (printed += String(text)).length > 0),
  );
  const ended = checkCommand({ out, rules, seed: 7, runs: 2, watch: true, ...options }, open, keys).finally(() =>
    spies.forEach((spy) => spy.mockRestore()),
  );
  const until = async (text: string): Promise<string> => {
    while (!printed.includes(text) || !printed.endsWith('\n')) await sleep(20);
    const shown = printed;
    printed = '';
    return shown;
  };
  return { out, press: (text) => void keys.write(text), until, ended };
}

const selectedIn = ({ out }: Watched): unknown =>
  JSON.parse(readFileSync(join(out, 'outcomes.ndjson'), 'utf8').split('\n')[0] ?? '').selected;

describe('keys', () => {
  test('judge again, what failed, or all with what failed first, on a target that stays open', async () => {
    const open = vi.fn(() => startReference({ faults: [failing] }));
    const watch = watching({}, open);
    expect(await watch.until('Keys:')).toContain('f failed only (1 rule), a all, q quit.');
    expect(selectedIn(watch)).toEqual(rules);
    watch.press('f');
    expect(await watch.until('Keys:')).toContain('Since the run before: 1 rule as before.');
    expect(selectedIn(watch)).toEqual([failing]);
    watch.press('\r');
    await watch.until('Keys:');
    expect(selectedIn(watch)).toEqual([failing]);
    watch.press('x?a');
    await watch.until('Keys:');
    expect(selectedIn(watch)).toEqual([failing, 'caching.etag.present']);
    watch.press('q');
    expect(await watch.ended).toBe(1);
    expect(open).toHaveBeenCalledTimes(1);
  });

  test.each(['q', '\u0003'])('%j ends a run that is under way, at once', async (key) => {
    const watch = watching({ rules: ['paging.*', 'reading.*'], runs: 5000 }, () => startReference());
    const record = join(watch.out, 'outcomes.ndjson');
    while (!existsSync(record) || readFileSync(record, 'utf8').split('\n').length < 4) await sleep(20);
    watch.press(key);
    expect(await watch.ended).toBe(3);
  });

  test('with the bundled server and host, and the exit code of the last whole run', async () => {
    const watch = watching({});
    await watch.until('Keys:');
    watch.press('rq');
    expect(await watch.ended).toBe(0);
  });
});

describe('files', () => {
  const profileIn = (name: string, text: string): string => {
    const file = join(mkdtempSync(join(folder, 'profile-')), name);
    writeFileSync(file, text);
    return file;
  };

  test('a profile that changes is read again, and one that is wrong is told and waited for', async () => {
    const profile = profileIn('staging.yaml', profiles[1]);
    const watch = watching({ profile });
    expect(await watch.until('Keys:')).toContain(`waiting for changes of ${profile}`);
    writeFileSync(profile, profiles[1].replace('participant:', 'particpant:'));
    expect(await watch.until('Keys:')).toMatch(/staging\.yaml:\d+:\d+: unknown key "particpant"/);
    writeFileSync(profile, profiles[0]);
    const fixed = await watch.until('Keys:');
    expect(fixed).toContain('Since the run before: 1 fixed, 0 broken, 0 otherwise changed, 1 as before.');
    expect(fixed).toContain(`${failing}: fail, now pass`);
    writeFileSync(profile, profiles[0]);
    writeFileSync(profile, profiles[1]);
    expect(await watch.until('Keys:')).toContain(`broken   ${failing}: pass, now fail`);
    watch.press('q');
    expect(await watch.ended).toBe(1);
  });

  test('a watched folder starts a run, what runs write does not, and Ctrl-C ends it without a terminal', async () => {
    const profile = profileIn('staging.yaml', profiles[0]);
    const sources = mkdtempSync(join(folder, 'sources-'));
    const out = join(sources, 'out');
    mkdirSync(join(sources, 'deep'));
    const words = [
      'check',
      '--watch',
      '--watch-path',
      sources,
      '--profile',
      profile,
      '--rules',
      ...rules,
      '--out',
      out,
    ];
    const child = spawn(process.execPath, [main, ...words, '--quiet'], { stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    child.stdout.on('data', (data: Buffer) => (printed += data.toString()));
    const rounds = async (count: number): Promise<void> => {
      while (printed.split('Waiting for changes').length <= count) await sleep(20);
    };
    await rounds(1);
    writeFileSync(join(sources, 'deep', 'code.ts'), 'one');
    await rounds(2);
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(printed).toContain('2 rules as before.');
    expect(printed.split('Exit 0')).toHaveLength(3);
  });
});

describe('what cannot be watched is refused', () => {
  test.each<readonly [what: string, options: Partial<CheckOptions>, words: RegExp]>([
    ['no terminal and no file', {}, /--watch has nothing to wait for: .*--watch-path/],
    [
      'a path that is not there',
      { watchPath: ['/nowhere/at/all'] },
      /--watch-path \/nowhere\/at\/all: there is no such/,
    ],
  ])('%s', async (_what, options, words) => {
    const watch = watching(options, () => startReference(), false);
    const printed = watch.until('svc-conformance');
    expect(await watch.ended).toBe(2);
    expect(await printed).toMatch(words);
  });

  test('a path without --watch', async () => {
    const watch = watching({ watch: undefined, watchPath: [folder] } as unknown as Partial<CheckOptions>);
    const printed = watch.until('svc-conformance');
    expect(await watch.ended).toBe(2);
    expect(await printed).toContain('add --watch');
  });
});
