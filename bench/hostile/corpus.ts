import { addresses, files, granted, plain, places, wrongTypes } from './profiles.ts';
import { spoilers } from './spoilers.ts';
import { bodies, captive, answer, redirects, type Wire, wires, yesMen } from './wires.ts';

/** Places and limits in which a run of a server that breaks a rule must not end well. */
const environments: Readonly<Record<string, Environment>> = {
  'stdout closed': { shell: '"$@" >&-' },
  'stderr closed': { shell: '"$@" 2>&-' },
  'both closed': { shell: '"$@" >&- 2>&-' },
  'all closed': { shell: '"$@" <&- >&- 2>&-' },
  'stdout full': { shell: '"$@" >/dev/full' },
  'stderr full': { shell: '"$@" 2>/dev/full' },
  'both full': { shell: '"$@" >/dev/full 2>&1' },
  'stdout read by nobody': { shell: '"$@" | true; exit ${PIPESTATUS[0]}' },
  'stdout read slowly': { shell: '"$@" | (sleep 2; cat >/dev/null); exit ${PIPESTATUS[0]}' },
  'stdout for reading only': { shell: '"$@" 1</dev/null' },
  'stdin from a terminal that is none': { shell: '"$@" </dev/zero' },
  'events to a full place': { shell: '"$@" >/dev/full', args: ['--json'] },
  'events to nobody': { shell: '"$@" | true; exit ${PIPESTATUS[0]}', args: ['--json'] },
  'out in /proc': { args: ['--out', '/proc/hostile'] },
  'out in /dev/null': { args: ['--out', '/dev/null'] },
  'out in /dev/full': { args: ['--out', '/dev/full/report'] },
  'out is a file': { shell: 'touch "$OUT/file"; "$@"', args: ['--out', '{{out}}/file'] },
  'out below a file': { shell: 'touch "$OUT/file"; "$@"', args: ['--out', '{{out}}/file/below'] },
  'out is a loop': { shell: 'ln -s loop "$OUT/loop"; "$@"', args: ['--out', '{{out}}/loop'] },
  'out leads nowhere': { shell: 'ln -s /dev/null/at/all "$OUT/link"; "$@"', args: ['--out', '{{out}}/link'] },
  'out with a name too long': { args: ['--out', `{{out}}/${'x'.repeat(300)}`] },
  'out with a zero line end': { args: ['--out', '{{out}}/a\nb'] },
  'out is empty': { args: ['--out', ''] },
  'record is a folder': { shell: 'mkdir -p "$OUT/r/outcomes.ndjson"; "$@"', args: ['--out', '{{out}}/r'] },
  'record is full': {
    shell: 'mkdir -p "$OUT/r"; ln -s /dev/full "$OUT/r/outcomes.ndjson"; "$@"',
    args: ['--out', '{{out}}/r'],
  },
  'record is a pipe': {
    shell: 'mkdir -p "$OUT/r"; mkfifo "$OUT/r/outcomes.ndjson"; "$@"',
    args: ['--out', '{{out}}/r'],
  },
  'report is a folder': { shell: 'mkdir -p "$OUT/r/report.json"; "$@"', args: ['--out', '{{out}}/r'] },
  'report is full': {
    shell: 'mkdir -p "$OUT/r"; ln -s /dev/full "$OUT/r/report.json"; "$@"',
    args: ['--out', '{{out}}/r'],
  },
  'files of 4 kB at most': { shell: 'ulimit -f 4; "$@"' },
  'twenty open files': { shell: 'ulimit -n 20; "$@"' },
  'forty open files': { shell: 'ulimit -n 40; "$@"' },
  'two seconds of work': { shell: 'ulimit -t 2; "$@"' },
  '600 MB of addresses': { shell: 'ulimit -v 600000; "$@"' },
  'a small stack': { shell: 'ulimit -s 256; "$@"' },
  'a heap of 40 MB': { env: { NODE_OPTIONS: '--max-old-space-size=40' } },
  'a cut heap of 90 MB': { env: { NODE_OPTIONS: '--max-old-space-size=90' } },
  'an option of Node that is none': { env: { NODE_OPTIONS: '--no-such-option' } },
  'every warning is an error': { env: { NODE_OPTIONS: '--throw-deprecation --unhandled-rejections=strict' } },
  'no headers above 100 bytes': { env: { NODE_OPTIONS: '--max-http-header-size=100' } },
  'no PATH': { env: { PATH: '' } },
  'no HOME': { env: { HOME: '/dev/null/at' } },
  'no TMPDIR': { env: { TMPDIR: '/dev/null/at/all' } },
  'a TMPDIR that is full': { env: { TMPDIR: '/dev/full' } },
  'a TMPDIR in /proc': { env: { TMPDIR: '/proc' } },
  'no environment': { shell: 'env -i "$@"' },
  'a folder that is gone': { shell: 'mkdir "$OUT/gone"; cd "$OUT/gone"; rmdir "$OUT/gone"; "$@"' },
  'a folder in /proc': { shell: 'cd /proc/self; "$@"' },
  'a proxy that is not there': {
    env: { HTTP_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9', NODE_USE_ENV_PROXY: '1' },
  },
  'certificates that are none': { env: { NODE_EXTRA_CA_CERTS: '/dev/null' } },
  'a width of nothing': { env: { COLUMNS: '0', LINES: '0' } },
  'a width of -1': { env: { COLUMNS: '-1', FORCE_COLOR: '9', TERM: 'no-such-terminal' } },
  'a width of everything': { env: { COLUMNS: '99999999999', TERM: '' } },
  'another language': { env: { LANG: 'xx_XX.nothing', LC_ALL: 'tr_TR.UTF-8' } },
  'another time zone': { env: { TZ: 'Nowhere/At_All' } },
  'steps of GitHub in a full place': { env: { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: '/dev/full' } },
  'steps of GitHub nowhere': { env: { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: '/dev/null/at/all' } },
  'the lowest priority': { shell: 'nice -n 19 "$@"' },
  'an interrupt at once': { shell: 'timeout -s INT 0.3 "$@"' },
  'an interrupt in between': { shell: 'timeout -s INT 2 "$@"' },
  'ended in between': { shell: 'timeout -s TERM 2 "$@"' },
  'killed in between': { shell: 'timeout -s KILL 2 "$@"' },
  'hung up in between': { shell: 'timeout -s HUP 2 "$@"' },
  'stopped for a second': { shell: '"$@" & p=$!; sleep 1.5; kill -STOP $p; sleep 1; kill -CONT $p; wait $p' },
};

/** Command lines that ask for nothing that can be judged. */
const commandLines: Readonly<Record<string, readonly string[]>> = {
  'no rule of that name': ['--rules', 'no.such.rule'],
  'a rule of no name': ['--rules', ''],
  'no area of that name': ['--areas', 'nothing'],
  'an area twice and nothing else': ['--areas', 'reading,reading', '--rules', 'paging.*'],
  'runs below one': ['--runs', '0'],
  'runs in words': ['--runs', 'many'],
  'a seed of no number': ['--seed', 'NaN'],
  'a shard of none': ['--shard', '0/0'],
  'a shard beyond all': ['--shard', '9/3'],
  'a shard of a million': ['--shard', '1/1000000'],
  'a budget of nothing': ['--time-budget', '0s'],
  'a budget below nothing': ['--time-budget', '-5s'],
  'a width of nothing': ['--concurrency', '0'],
  'a width of a million': ['--concurrency', '1000000'],
  'changed since a report that is none': ['--only-changed-since', '/dev/null'],
  'changed since a folder': ['--only-changed-since', '/'],
  'a report format nobody has': ['--report', 'pdf'],
  'a flag nobody knows': ['--greenn'],
  'a flag without its value': ['--out'],
  'an argument too many': ['please'],
};

/** What listens: a wire that says the same to everybody, the right server behind somebody who spoils each n-th answer, one with a fault. */
export type Target =
  | { readonly kind: 'wire'; readonly wire: Wire; readonly tls?: 'unknown' | 'over' | 'other-name' }
  | { readonly kind: 'spoiled'; readonly spoiler: string; readonly every: number }
  | { readonly kind: 'faulty'; readonly fault: string }
  | { readonly kind: 'none' };

/** Something that no run may call green. */
export interface Hostile extends Environment {
  readonly name: string;
  readonly target: Target;
  /** Text of the profile with `{{url}}` in it, or a path; that of the server itself unless given. */
  readonly profile?: { readonly text: string | Buffer } | { readonly at: string };
  readonly command: 'check' | 'doctor' | 'init' | 'traffic' | 'check-extension';
  /** More for the command line. */
  readonly args?: readonly string[];
}

const text = (profile: object): { readonly text: string } => ({ text: JSON.stringify(profile) });
const wired = (wire: Wire): Target => ({ kind: 'wire', wire });
const faulty: Target = { kind: 'faulty', fault: 'caching.match.status-304' };
const few = ['--rules', 'caching.*'];

function entries<T>(all: Readonly<Record<string, T>>): readonly (readonly [string, T])[] {
  return Object.entries(all);
}

/** Every n-th, so that a kind has a share in what costs more. */
function each<T>(all: readonly T[], step: number, from = 0): readonly T[] {
  return all.filter((_item, index) => index % step === from);
}

const spoiled = entries(spoilers).flatMap(([spoiler]) =>
  [1, 2, 7].map((every): Hostile => ({
    name: `spoiled: ${spoiler}, each ${every}.`,
    target: { kind: 'spoiled', spoiler, every },
    command: 'check',
    args: ['--rules', 'reading.*', 'paging.*', 'headers.*', 'versioning.*'],
  })),
);

const listening = [
  ...entries(wires).map(([name, wire]) => [`wire: ${name}`, wire] as const),
  ...entries(captive).map(([name, wire]) => [`portal: ${name}`, wire] as const),
  ...entries(redirects).map(([name, wire]) => [`redirect: ${name}`, wire] as const),
  ...entries(yesMen).map(([name, wire]) => [`body: ${name}`, wire] as const),
];

/** Other commands meet a share of the same. */
const otherCommands = (['doctor', 'init', 'traffic', 'check-extension'] as const).flatMap((command, index) =>
  each(listening, 16, index * 3).map(([name, wire]): Hostile => ({
    name: `${command}, ${name}`,
    target: wired(wire),
    profile: text(plain),
    command,
  })),
);

const grants = entries(bodies).map(([name, body]): Hostile => ({
  name: `grant: ${name}`,
  target: wired([answer(200, body.replace('{', '{"access_token":"a.b.c",'))]),
  profile: text(granted),
  command: 'check',
}));

const certificates = (['unknown', 'over', 'other-name'] as const).map((tls): Hostile => ({
  name: `certificate: ${tls}`,
  target: { kind: 'wire', wire: [answer(200, '{}')], tls },
  profile: text(plain),
  command: 'check',
}));

const profiles = [...entries(wrongTypes), ...entries(files), ...entries(addresses)].map(([name, content]): Hostile => ({
  name: `profile: ${name}`,
  target: wired([answer(404, '{}')]),
  profile: { text: content },
  command: 'check',
}));

/** All of it. */
export const corpus: readonly Hostile[] = [
  ...listening.map(([name, wire]): Hostile => ({ name, target: wired(wire), profile: text(plain), command: 'check' })),
  ...otherCommands,
  ...grants,
  ...certificates,
  ...spoiled,
  ...profiles,
  ...places.map((at): Hostile => ({
    name: `place: ${at.slice(0, 60)}`,
    target: { kind: 'none' },
    profile: { at },
    command: 'check',
  })),
  ...entries(environments).map(([name, environment]): Hostile => ({
    name: `environment: ${name}`,
    target: faulty,
    command: 'check',
    ...environment,
    args: [...few, ...(environment.args ?? [])],
  })),
  ...entries(commandLines).map(([name, args]): Hostile => ({
    name: `command line: ${name}`,
    target: faulty,
    command: 'check',
    args: [...few, ...args],
  })),
];

/** How a process is started: `"$@"` is the command line of the judge, `$OUT` a folder of its own. */
interface Environment {
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** More for the command line. */
  readonly args?: readonly string[];
}
