import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** How a sentence goes on about a folder where a file of a run was wanted: with the one in it. Empty where there is none. */
export function fileWithin(place: string, name: string): string {
  const inside = join(place, name);
  return existsSync(inside) ? `; name ${inside}` : '';
}

type Wanted = 'report.json' | 'outcomes.ndjson';

/** How what a run leaves in files begins, and what it is. */
const kinds: readonly (readonly [name: string, start: RegExp, words: string])[] = [
  ['outcomes.ndjson', /^\{"schemaVersion":\d+,"kind":"run",/, 'the record of a run'],
  ['report.json', /^\{\s*"schemaVersion": \d+,\s*"kind": "report",/, 'a report.json'],
  ['cassette', /^svc-conformance cassette /, 'a cassette, which rejudge and report har, hurl, http and nock take'],
];

const instead: Readonly<Record<Wanted, string>> = {
  'report.json': 'name the report.json of the run; svc-conformance report json outcomes.ndjson makes it anew',
  'outcomes.ndjson': 'name the outcomes.ndjson of the run, which lies beside its report.json',
};

const startBytes = 200;

/** What a file is that holds something else of a run than was wanted, and what to name in its place; undefined where that cannot be told. */
export function otherOfRun(file: string, wanted: Wanted): string | undefined {
  const start = startOf(file);
  const [found, , words] = kinds.find(([, begins]) => begins.test(start)) ?? [];
  return found === undefined || found === wanted ? undefined : `it is ${words}; ${instead[wanted]}`;
}

/** Empty for what is no file, as a pipe, of which nobody else could read what was read here, and for what cannot be read. */
function startOf(file: string): string {
  try {
    if (!statSync(file).isFile()) return '';
    const open = openSync(file, 'r');
    const bytes = Buffer.alloc(startBytes);
    try {
      return bytes.toString('latin1', 0, readSync(open, bytes));
    } finally {
      closeSync(open);
    }
  } catch {
    return '';
  }
}
