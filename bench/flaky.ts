import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { machineLine } from './harness/figures.ts';
import { makeScratch } from './harness/scratch.ts';
import { connect, createServer } from 'node:net';
import { listen, type Listening } from '../fixtures/listening.fixture.ts';

// How often a verdict about the right server changes, in whatever state the machine is: `check` again and again, in real time unless told
// otherwise. Each run is a line of the log, so that it goes on where it ended. Exit 1 when a run found a fail or a warn.

interface Condition {
  /** Processes that compute without end. */
  readonly hogs?: number;
  readonly weather?: Weather;
  /** Of the suite's process. */
  readonly env?: Readonly<Record<string, string>>;
  readonly before?: readonly string[];
  /** Whether the suite's process is stopped now and then. */
  readonly isStopped?: boolean;
}

const never = (): boolean => false;
const conditions: Readonly<Record<string, Condition>> = {
  quiet: {},
  load: { hogs: 20 },
  delays: { weather: { delayMs: () => 100 * Math.random(), resets: never } },
  resets: { weather: { delayMs: () => 0, resets: () => Math.random() < 0.01 } },
  clock: { env: { SHIFT_CLOCK_MS: String(90 * 60_000), SHIFT_CLOCK_STEP_MS: '3000' } },
  core: { before: ['taskset', '-c', '0'] },
  nice: { hogs: 4, before: ['nice', '-n', '19'] },
  stopped: { isStopped: true },
};

const { values } = parseArgs({
  options: {
    conditions: { type: 'string', default: 'quiet,delays,resets,clock,core,stopped' },
    runs: { type: 'string', default: '5' },
    log: { type: 'string', default: 'flaky.ndjson' },
    rules: { type: 'string', default: '*' },
    time: { type: 'string', default: 'real' },
    'time-budget': { type: 'string', default: '45s' },
  },
});

interface Line {
  readonly condition: string;
  readonly exitCode: number | null;
  readonly verdicts: Readonly<Record<string, string>>;
  readonly told: readonly string[];
}

const root = join(import.meta.dirname, '..');
const shift = join(root, 'bench/harness/shift-clock.ts');
const children = new Set<ChildProcess>();
process.on('exit', () => children.forEach((child) => child.kill('SIGKILL')));
// told to end, it would leave what computes without end behind
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));
await using scratch = await makeScratch();

for (const name of values.conditions.split(',')) {
  const condition = conditions[name];
  if (condition === undefined) throw new Error(`Expected one of ${Object.keys(conditions).join(', ')}, found ${name}.`);
  for (let done = (await logged(name)).length; done < Number(values.runs); done += 1)
    await appendFile(values.log, `${JSON.stringify(await judgedIn(name, condition, done))}\n`);
}

console.log(`verdicts that changed; ${machineLine()}`);
let wrong = 0;
for (const name of values.conditions.split(',')) {
  const lines = await logged(name);
  const silent = lines.filter(({ verdicts }) => Object.keys(verdicts).length === 0).length;
  const all = lines.flatMap(({ verdicts }) => Object.entries(verdicts));
  const count = (verdict: string): number => all.filter(([, found]) => found === verdict).length;
  wrong += count('fail') + count('warn');
  console.log(
    `  ${name}: ${lines.length} runs (${silent} judged nothing and said so), ${all.length} verdicts, ${count('fail')} fail, ${count('warn')} warn, ${count('broken')} broken`,
  );
  const told = Map.groupBy(
    lines.flatMap(({ told }) => told),
    (text) => text.replaceAll(/\d+/g, 'n'),
  );
  for (const [, texts] of [...told].toSorted(([, one], [, other]) => other.length - one.length))
    console.log(`    ${texts.length}× ${texts[0] ?? ''}`);
}
process.exitCode = wrong > 0 ? 1 : 0;

async function logged(name: string): Promise<readonly Line[]> {
  const text = await readFile(values.log, 'utf8').catch(() => '');
  const lines: readonly Line[] = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return lines.filter(({ condition }) => condition === name);
}

async function judgedIn(name: string, condition: Condition, number: number): Promise<Line> {
  const proxy = condition.weather && (await openProxy(condition.weather));
  await using stack = new AsyncDisposableStack();
  if (proxy !== undefined) stack.use(proxy);
  const started: ChildProcess[] = [];
  stack.defer(() => started.forEach((child) => child.kill('SIGKILL')));
  const serve = ['cli/main.ts', 'serve', '--control', ...(proxy ? ['--base-address', proxy.url] : [])];
  const server = begin([process.execPath, ...serve]);
  started.push(server);
  const url = await addressOf(server);
  proxy?.leadTo(Number(new URL(url).port));
  const profile = scratch.file(`profile-${name}-${number}.yaml`);
  const shown = await (await fetch(`${url}/_control/profile.yaml`)).text();
  await writeFile(profile, proxy === undefined ? shown : shown.replaceAll(url, proxy.url));
  for (let hog = 0; hog < (condition.hogs ?? 0); hog += 1)
    started.push(begin([process.execPath, '--eval', 'for(;;);']));
  const out = scratch.file(`report-${name}-${number}`);
  const imports = condition.env === undefined ? [] : ['--import', shift];
  const budget = values.time === 'real' ? ` --time-budget ${values['time-budget']}` : '';
  const check = `cli/main.ts check --profile ${profile} --time ${values.time}${budget} --rules ${values.rules} --quiet --out ${out}`;
  const judge = begin([...(condition.before ?? []), process.execPath, ...imports, ...check.split(' ')], condition.env);
  started.push(judge);
  judge.stdout?.resume();
  const ended = once(judge, 'close');
  const said = judge.stderr === null ? '' : text(judge.stderr);
  if (condition.isStopped === true) void stopNowAndThen(judge);
  const [exitCode]: (number | null)[] = await ended;
  const outcomes = await readFile(join(out, 'outcomes.ndjson'), 'utf8').catch(() => '');
  const found = outcomes
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .filter(({ verdict }) => verdict);
  // a run that cannot begin is no run without a change; one that says that it judged nothing is told
  if (found.length === 0 && exitCode !== 3)
    throw new Error(`Expected verdicts under ${name}, found exit code ${exitCode}: ${await said}`);
  return {
    condition: name,
    exitCode: exitCode ?? null,
    verdicts: Object.fromEntries(found.map(({ rule, verdict }) => [rule, verdict])),
    told:
      found.length === 0
        ? [(await said).trim().slice(0, 240)]
        : found
            .filter(
              ({ verdict, precondition }) => ['fail', 'warn', 'broken'].includes(verdict) || precondition !== undefined,
            )
            .map(({ rule, verdict, reason, violation }) =>
              `${verdict} ${rule}: ${reason ?? `${violation.expected}, found ${violation.actual}`}`.slice(0, 240),
            ),
  };
}

function begin([command = '', ...args]: readonly string[], env: Condition['env'] = {}): ChildProcess {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  children.add(child);
  child.on('close', () => children.delete(child));
  return child;
}

async function addressOf(server: ChildProcess): Promise<string> {
  if (server.stdout === null) throw new Error('Expected a server that tells where it listens.');
  const [line]: string[] = await once(createInterface(server.stdout), 'line');
  server.stdout.resume();
  server.stderr?.resume();
  return JSON.parse(line ?? '').url;
}

/** Some 0.1 to 1 s in each 0.4 to 3.8 s, as on a machine that has others to serve. */
async function stopNowAndThen(judge: ChildProcess): Promise<void> {
  while (judge.exitCode === null && judge.signalCode === null) {
    await sleep(300 + 2500 * Math.random());
    judge.kill('SIGSTOP');
    await sleep(100 + 900 * Math.random());
    judge.kill('SIGCONT');
  }
}

interface Weather {
  /** Each piece of bytes is late by this, in ms. */
  readonly delayMs: () => number;
  /** Whether this piece ends the connection instead. */
  readonly resets: () => boolean;
}

/** A way to a port of this machine on which bytes are late and connections are lost. */
interface Proxy extends Listening {
  leadTo(port: number): void;
}

async function openProxy({ delayMs, resets }: Weather): Promise<Proxy> {
  let port = 0;
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      // one after another, so that no piece overtakes the one before
      let turn = Promise.resolve();
      const inTurn = (work: () => void): void => {
        turn = turn.then(() => sleep(delayMs())).then(work);
      };
      from.on('data', (piece: Buffer) => inTurn(() => (resets() ? near.resetAndDestroy() : void to.write(piece))));
      from.on('end', () => inTurn(() => to.end()));
      from.on('error', () => to.destroy());
      from.on('close', () => inTurn(() => to.destroy()));
    }
  });
  return {
    ...(await listen(server)),
    leadTo: (to) => {
      port = to;
    },
  };
}
