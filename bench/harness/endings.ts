import { rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { mapAtOnce } from '../../cli/kill-matrix/map-at-once.ts';
import { matches } from '../../judge/run/glob.ts';
import { makeScratch } from './scratch.ts';

/** How a command of the suite ended in what must not end well. */
export interface Ending {
  readonly name: string;
  /** As a shell tells it: 128 and the signal where it was killed. */
  readonly exitCode: number;
  readonly seconds: number;
  /** What is wrong with how it ended; undefined where nothing is. */
  readonly wrong?: string;
}

/** The last of what a command said, on one line. */
export function tailOf(said: string): string {
  return said.trim().slice(-600).replaceAll('\n', ' | ');
}

export function showsStack(said: string): boolean {
  return /^\s+at .*[\w)]:\d+:\d+\)?$/m.test(said);
}

/**
 * Tries one after the other, each in a folder of its own: `--names` takes those with such a name, `--every` each n-th, `--at-once` so many
 * together. Prints what ended wrong, or with `--all` everything. Exit 1 when one did.
 */
export async function tryEach<T extends { readonly name: string }, E extends Ending>(
  all: readonly T[],
  atOnce: number,
  tryOne: (one: T, folder: string) => Promise<E>,
): Promise<readonly E[]> {
  const { values } = parseArgs({
    options: {
      names: { type: 'string', default: '*' },
      every: { type: 'string', default: '1' },
      'at-once': { type: 'string', default: String(atOnce) },
      all: { type: 'boolean', default: false },
    },
  });
  await using scratch = await makeScratch();
  const chosen = all
    .filter(({ name }) => matches(values.names, name))
    .filter((_one, index) => index % Number(values.every) === 0);
  const endings = await mapAtOnce(chosen, Number(values['at-once']), async (one) => {
    const folder = scratch.file(String(all.indexOf(one)));
    const ending = await tryOne(one, folder);
    await rm(folder, { recursive: true, force: true });
    const { name, exitCode, seconds, wrong } = ending;
    if (values.all || wrong !== undefined)
      console.log(
        `${String(exitCode).padStart(3)} ${seconds.toFixed(1).padStart(5)} s  ${name}: ${wrong ?? 'as it should'}`,
      );
    return ending;
  });
  const wrong = endings.filter((ending) => ending.wrong !== undefined).length;
  const byCode = [...Map.groupBy(endings, ({ exitCode }) => exitCode)].toSorted(([one], [other]) => one - other);
  console.log(
    `${endings.length} of ${all.length}: ${endings.filter(({ exitCode }) => exitCode === 0).length} green, ${wrong} ended wrong`,
  );
  console.log(`  exit codes: ${byCode.map(([code, some]) => `${code}: ${some.length}`).join(', ')}`);
  process.exitCode = wrong > 0 ? 1 : 0;
  return endings;
}
