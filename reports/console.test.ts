import { readFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { WriteStream } from 'node:tty';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { hiddenCharacters } from './hidden.fixture.ts';
import { allIds, outcomeWith, runArbitrary, runWith } from './run.fixture.ts';
import type { Run } from './run.ts';
import { answeredOtherwise } from './run-summary.ts';
import { startConsole } from './console.ts';

const [rule, other] = allIds;
if (rule === undefined || other === undefined) throw new Error('fewer than two rules are built');

type Heard = { quiet?: boolean; tty?: boolean; columns?: number; folder?: string };

function heard(run: Run, options: Heard = {}): string {
  const parts: string[] = [];
  const stream = Object.assign(
    new Writable({ write: (chunk, _encoding, done) => void (parts.push(String(chunk)), done()) }),
    { isTTY: options.tty ?? false, columns: options.columns ?? 80, getColorDepth: WriteStream.prototype.getColorDepth },
  );
  const { quiet = false, tty = false, folder } = options;
  Object.assign(stream, { hasColours: styleText('bold', 'a', { stream }) !== 'a' });
  const shown = startConsole({ stream, quiet, tty, total: run.outcomes.length, ...(folder && { folder }) });
  for (const outcome of run.outcomes) shown.onOutcome(outcome);
  shown.finish(run);
  return parts.join('');
}

beforeEach(() => {
  vi.stubEnv('FORCE_COLOR', undefined);
  vi.stubEnv('NO_COLOR', undefined);
  vi.stubEnv('TERM', 'xterm-256color');
});
afterEach(() => vi.unstubAllEnvs());

test('what the run created is told of before it is removed, on one line with the rest where there is a terminal', () => {
  for (const [tty, expected] of [
    [false, 'clearing up: 2 objects that the run created\n'],
    [true, '\r\u001B[2Kclearing up: 2 objects that the run created'],
  ] as const) {
    const parts: string[] = [];
    const stream = Object.assign(
      new Writable({ write: (chunk, _encoding, done) => void (parts.push(String(chunk)), done()) }),
      { columns: 80 },
    );
    startConsole({ stream, quiet: false, tty, total: 1 }).onCleanUp?.(2);
    expect(parts.join('')).toBe(expected);
  }
});

describe('the end of a run', () => {
  const violation = {
    expected: '8 entries',
    actual: '10 entries',
    curl: ['curl first', 'curl second ${EDITOR_TOKEN}'],
    counterexample: '[18]',
    exchange: {
      request: {
        method: 'PUT',
        url: 'http://127.0.0.1:8080/api/x',
        headers: [['Svc-UOIVersion', '1']] as const,
        body: '{"a":1}',
      },
      response: {
        status: 409,
        headers: [
          ['Svc-UOIVersion', '2'],
          ['Date', 'today'],
        ] as const,
        body: '',
      },
      sentAt: 0,
      durationMs: 1,
    },
  };
  const run = runWith(
    [outcomeWith(rule, 'fail', { violation }), outcomeWith(other, 'broken', { reason: 'no token' })],
    {
      knownFailures: { 'paging.page-one.holds-the-rest': 'ticket 7' },
    },
  );

  test('shows the breach with all it takes to see it again', () => {
    const text = heard(run);
    expect(text).not.toContain('curl');
    for (const part of [
      `FAIL  ${rule}  `,
      'expected  8 entries',
      'actual    10 entries',
      'smallest  [18]',
      'request   PUT http://127.0.0.1:8080/api/x',
      '            Svc-UOIVersion: 1',
      '            {"a":1}',
      'answer    409, Svc-UOIVersion: 2',
      `replay    svc-conformance check --profile their.yaml --rules ${rule} --seed 42`,
      '1 rule: no token',
      '900 requests in 3.21 s',
    ]) {
      expect(text).toContain(part);
    }
    expect(text.trimEnd().split('\n').at(-1)).toMatch(/^Exit 1: the target violates rules: 1 rule violated; /);
  });

  test('the line that shows a violation again runs where it is read', () => {
    const check = { kind: 'status', expected: [200], found: 409 } as const;
    const repetition = { steps: [], check, baseUrl: 'http://127.0.0.1:8080', recorded: 3, shown: true };
    const again = runWith([outcomeWith(rule, 'fail', { violation: { ...violation, repetition } })]);
    expect(heard(again, { folder: 'the run' })).toMatch(
      new RegExp(String.raw`\bagain +sh 'the run/repeat/${rule}\.sh' +# 0 requests of 3 show it`),
    );
    expect(heard(again)).toContain(`sh repeat/${rule}.sh, in the folder of the run`);
  });

  test('what was not sent again does not claim to show the violation', () => {
    const check = { kind: 'status', expected: [200], found: 409 } as const;
    const repetition = { steps: [], check, baseUrl: 'http://127.0.0.1:8080', recorded: 3, shown: false };
    const text = heard(runWith([outcomeWith(rule, 'fail', { violation: { ...violation, repetition } })]));
    expect(text).toContain('0 requests of 3, not sent again yet');
    expect(text).not.toContain('show it');
  });

  test('what the same requests alone did not show again is to be judged one case at a time', () => {
    const reason = `no script shows this: ${answeredOtherwise}`;
    expect(readFileSync(new URL('../judge/repeat/playing.ts', import.meta.url), 'utf8')).toContain(reason);
    const outcomes = [outcomeWith(rule, 'fail', { violation: { ...violation, repetition: { reason } } })];
    const command = 'svc-conformance check --profile their.yaml --seed 42';
    const text = heard(runWith(outcomes, { command }));
    expect(text).toContain('1 rule of these did not show once more by the same requests alone');
    expect(text).toContain(`one by one: ${command} --concurrency 1\n`);
    expect(heard(runWith(outcomes, { command: `${command} --concurrency 1` }))).not.toContain('one by one');
  });

  test('quiet prints the summary, what is violated by name, and the last line', () => {
    const text = heard(run, { quiet: true });
    expect(text).toContain('total');
    expect(text).toContain('Exit 1');
    expect(text).toContain(`\nViolated: ${rule}\n`);
    expect(text).toContain(`\nBroken: ${other}\n`);
    expect(text).not.toContain('FAIL');
    expect(text).not.toContain(' of ');
  });

  test('quiet names what is blocked where that is why the run says nothing', () => {
    const blocked = outcomeWith(rule, 'blocked', { reason: 'the answer was 403' });
    expect(heard(runWith([blocked]), { quiet: true })).toContain(`\nBlocked for no reason on record: ${rule}\n`);
    const declared = runWith([blocked], { notSupported: { [rule]: 'planned' } });
    expect(heard(declared, { quiet: true })).not.toContain('no reason on record');
  });

  test('what remains, known and stale failures', () => {
    const base = runWith([outcomeWith(rule, 'fail')], { knownFailures: { [rule]: 'ticket 7', [other]: 'ticket 8' } });
    const remains = [{ uri: '/x/1', reason: 'no delete route' }];
    const text = heard({ ...base, footer: { kind: 'end', durationMs: 1, requests: 1, remains } });
    expect(text).toContain(`Known failures\n  ${rule}: ticket 7`);
    expect(text).toContain(`take them off the profile\n  ${other}: ticket 8`);
    expect(text).toContain('Left on the target\n  /x/1: no delete route');
    expect(text).not.toContain('FAIL');
  });

  test('what remains of cases that ended alike is one line', () => {
    const remains = [rule, other].map((id) => ({ uri: `/${id}`, reason: `the case of ${id} did not pass` }));
    const text = heard({ ...runWith([]), footer: { kind: 'end', durationMs: 1, requests: 1, remains } });
    expect(text).toContain(`Left on the target\n  2 objects, such as /${rule}: the case of its rule did not pass`);
  });

  test('what failed in the report of before as well is told apart, before what is new', () => {
    const gate = { since: { report: 'monday.json', states: { [other]: 'fail' } } };
    const text = heard(
      runWith([outcomeWith(rule, 'fail', { violation }), outcomeWith(other, 'fail', { violation })], { gate }),
    );
    const at = (part: string): number => text.indexOf(part);
    expect(at('As in the report of before, and counted for nothing: 1 rule')).toBeGreaterThan(at('total'));
    expect(at(`FAIL  ${other}`)).toBeGreaterThan(at('As in the report of before'));
    expect(at('Violations: 1 rule')).toBeGreaterThan(at(`FAIL  ${other}`));
    expect(at(`FAIL  ${rule}`)).toBeGreaterThan(at('Violations: 1 rule'));
  });

  test('violations come last, with what they block', () => {
    const stands = outcomeWith(other, 'blocked', { reason: `stands on ${rule}, which failed`, standsOn: [rule] });
    const lines = heard(runWith([outcomeWith(rule, 'fail', { violation }), stands])).split('\n');
    const from = (start: string): number => lines.findIndex((line) => line.startsWith(start));
    expect(from('Violations: 1 rule')).toBeGreaterThan(from('total'));
    expect(lines.slice(from('Violations')).join('\n')).toContain(`  blocks    1 rule: ${other}`);
    expect(lines.join('\n')).not.toContain('Blocked');
  });

  test('what is blocked for reasons that differ in a count alone is one line, another status another', () => {
    const reasons = [
      '11 entries; the answer was 200',
      '21 entries; the answer was 200',
      '21 entries; the answer was 404',
    ];
    const blocked = reasons.map((reason, index) =>
      outcomeWith(allIds[index] ?? rule, 'blocked', { reason: `the case needs ${reason}` }),
    );
    const text = heard(runWith(blocked));
    expect(text).toContain('2 rules: the case needs 11 entries; the answer was 200, for one\n');
    expect(text).toContain('1 rule: the case needs 21 entries; the answer was 404\n');
  });

  test('what was sent again in many rules is one line', () => {
    const retries = ['GET /a: 429, sent again after 1291 ms', 'GET /b: 429, sent again after 1616 ms'];
    const text = heard(runWith([rule, other].map((id) => outcomeWith(id, 'pass', { retries }))));
    expect(text).toContain(`Remarks\n  2 rules: sent again 4 times, first: ${retries[0]}\n`);
  });

  test('what remains stands above the command that deletes it', () => {
    const footer = { kind: 'end', durationMs: 1, requests: 1, remains: [{ uri: '/a', reason: 'kept' }] } as const;
    const command = 'svc-conformance clean runs/report.json --profile their.yaml';
    for (const quiet of [false, true])
      expect(heard({ ...runWith([]), footer }, { quiet, folder: 'runs' })).toContain(command);
  });

  test('that the command deletes nothing before the profile says how is told', () => {
    const remains = ['kept', 'the profile has no routes.softTypeDelete'].map((reason) => ({ uri: '/a', reason }));
    const footer = { kind: 'end', durationMs: 1, requests: 1, remains } as const;
    for (const quiet of [false, true])
      expect(heard({ ...runWith([]), footer }, { quiet, folder: 'runs' })).toContain(
        'deletes them once the profile has routes.softTypeDelete',
      );
  });

  test('a read is told behind the last write to what it reads, however its address is encoded', () => {
    const url = (id: string) => `http://127.0.0.1:8080/softtype/${id}`;
    const lineOf = (id: string) => `curl --request PUT --data-raw '{}' '${url(id)}'`;
    const read = { request: { method: 'GET', url: url('a%2fb'), headers: [] }, sentAt: 0, durationMs: 1 };
    const textFor = (...ids: string[]) =>
      heard(
        runWith([
          outcomeWith(rule, 'fail', {
            violation: { expected: 'a', actual: 'b', exchange: read, curl: ids.map(lineOf) },
          }),
        ]),
      );
    expect(textFor('a%2Fb', 'c')).toContain(`PUT ${url('a%2Fb')}, the last of 1 write to it`);
    expect(textFor('c', 'd')).toContain(`PUT ${url('d')}, the last of 2 writes\n`);
  });

  test('what remains is one line for each reason', () => {
    const remains = ['/a', '/b', '/c', '/d'].map((uri) => ({ uri, reason: uri === '/a' ? 'kept' : 'refused' }));
    const text = heard({ ...runWith([]), footer: { kind: 'end', durationMs: 1, requests: 1, remains } });
    expect(text).toContain('Left on the target\n  3 objects, such as /b: refused\n  /a: kept');
    expect(text).not.toContain('clean');
  });
});

describe('while it runs', () => {
  const run = runWith([]);
  test('a terminal sees one line, never wider than it is', () => {
    const updates = heard(run, { tty: true, columns: 30 }).split('\r\u001B[2K').slice(1, -1);
    expect(updates).toHaveLength(run.outcomes.length);
    expect(Math.max(...updates.map((line) => line.length))).toBeLessThan(30);
  });

  test('rules that were judged beyond those selected are told as what they stand on', () => {
    const parts: string[] = [];
    const stream = new Writable({ write: (chunk, _encoding, done) => void (parts.push(String(chunk)), done()) });
    const shown = startConsole({ stream, quiet: false, tty: true, total: 1 });
    for (const id of [rule, other]) shown.onOutcome(outcomeWith(id, 'pass'));
    expect(parts.at(-1)).toContain('1 of 1 rule, 1 that they stand on');
  });

  test('without a terminal there are few lines and no control characters', () => {
    const text = heard(run);
    expect(text.match(/^\d+ of \d+ rules/gm)?.length).toBeLessThanOrEqual(11);
    expect(text).not.toContain('\u001B');
  });
});

describe('colours', () => {
  test('stand on a terminal, unless NO_COLOR asks for none', () => {
    vi.stubEnv('CI', undefined);
    vi.stubEnv('TERM', 'xterm-256color');
    expect(heard(runWith([]), { tty: true, quiet: true })).toContain('\u001B[32m');
    vi.stubEnv('NO_COLOR', '1');
    expect(heard(runWith([]), { tty: true, quiet: true })).not.toContain('\u001B');
  });
});

test('nothing that a target says reaches the terminal raw', () => {
  fc.assert(
    fc.property(runArbitrary, (run) => {
      expect(heard(run)).not.toMatch(hiddenCharacters);
    }),
  );
});
