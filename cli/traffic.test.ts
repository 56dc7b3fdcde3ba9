import { readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { beforeAll, beforeEach, afterEach, describe, expect, test, vi, type MockInstance } from 'vitest';
import { listen } from '../fixtures/listening.fixture.ts';
import { makeFolder } from '../fixtures/folder.fixture.ts';
import { trafficReportSchema, type TrafficReport } from '../contract/schemas/traffic.ts';
import type { FaultId } from '../variants/faults.ts';
import { createVariant } from '../variants/create-variant.ts';
import { mostWorkers } from './commands/simulate.ts';
import type { TrafficOptions } from './options.ts';
import { halfDead } from './traffic/half-dead.fixture.ts';
import { trafficCommand } from './traffic.ts';
import { duration, wholeNumber } from './values.ts';

const isReport = addFormats.default(new Ajv({ strict: false })).compile<TrafficReport>(trafficReportSchema);
/** Nothing that waits for events. */
const mix =
  'mixVersion: 1\nobjects: 24\njourneys:\n  reader: { weight: 3 }\n  author: { weight: 2 }\n  editor-pair: { weight: 2 }\n  gate-keeper: { weight: 2 }\n  approver: { weight: 1 }\n';
const folder = makeFolder();
let said: MockInstance;
let shown: MockInstance;
beforeAll(() => writeFileSync(at('mix.yaml'), mix));
beforeEach(() => {
  shown = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => void vi.restoreAllMocks());

function at(name: string): string {
  return join(folder, name);
}

async function served(faults: readonly FaultId[] = [], dialect?: 'strange') {
  const server = createVariant({ control: true, faults, ...(dialect && { dialect }) });
  const url = await server.listen();
  return {
    profile: `${url}/_control/profile.yaml`,
    close: () => server.close(),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** Runs with a JSON report of that name. */
async function ran(
  name: string,
  options: TrafficOptions,
): Promise<{ readonly exitCode: number; readonly report: TrafficReport }> {
  const file = at(`${name}.json`);
  const exitCode = await trafficCommand({
    mix: at('mix.yaml'),
    ...(options.users === undefined && { rate: 30 }),
    duration: 1.5,
    ...(options.findLimit === undefined && { ramp: 0 }),
    seed: 5,
    quiet: true,
    ...options,
    report: [...(options.report ?? []), { format: 'json', file }],
  });
  const report: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!isReport(report)) throw new Error(JSON.stringify(isReport.errors));
  return { exitCode, report };
}

/** That of a right service: a machine that is too busy to keep the rate says so. */
const rightExitCode = ({ lateness }: TrafficReport): number => (lateness !== undefined && lateness.p99Ms > 250 ? 3 : 0);

const begunIn = ({ journeys }: TrafficReport): readonly object[] =>
  journeys.map(({ journey, begun, whole }) => ({ journey, begun, whole }));

const printed = (): string => shown.mock.calls.map(([text]) => String(text)).join('');

const complaint = (): string => said.mock.calls.map(([text]) => String(text)).join('');

describe('a right service', () => {
  test('is left with exit code 0; the same seed makes the same journeys, of which a share is judged', async () => {
    await using server = await served();
    const options: TrafficOptions = {
      profile: server.profile,
      report: [
        { format: 'markdown', file: at('right.md') },
        { format: 'svg', file: at('right.svg') },
      ],
    };
    const [all, some] = [await ran('all', options), await ran('some', { ...options, judge: 0.2 })];
    expect([all.exitCode, some.exitCode]).toEqual([all.report, some.report].map(rightExitCode));
    expect(all.report).toMatchObject({ kind: 'traffic', seed: 5, violations: [], load: { model: 'open', rate: 30 } });
    expect(begunIn(some.report)).toEqual(begunIn(all.report));
    expect(all.report.judged.exchanges).toBe(all.report.all.requests);
    const share = some.report.judged.exchanges / some.report.all.requests;
    expect(share).toBeGreaterThan(0.05);
    expect(share).toBeLessThan(0.45);
    expect(readFileSync(at('right.md'), 'utf8')).toContain('| editor-pair');
    expect(readFileSync(at('right.svg'), 'utf8')).toMatch(/^<svg /);
    const secrets = /edda-password|conformance-secret|svcpat-|eyJ/;
    for (const file of ['all.json', 'right.md', 'right.svg'])
      expect(readFileSync(at(file), 'utf8')).not.toMatch(secrets);
  });

  test('that misses a threshold is exit code 1', async () => {
    await using server = await served();
    const { exitCode, report } = await ran('threshold', {
      profile: server.profile,
      users: 4,
      duration: 1,
      threshold: ['rate>100000/s', 'errors<50%'],
    });
    expect(exitCode).toBe(1);
    expect(report.thresholds.map(({ met }) => met)).toEqual([false, true]);
    expect(printed()).toMatch(/Threshold rate>100000\/s was missed: .*Threshold errors<50% was kept: 0%/s);
  });
});

test('what goes on is said before the target has answered anything', async () => {
  await using server = await served();
  const nobody = at('nobody.yaml');
  writeFileSync(
    nobody,
    (await (await fetch(server.profile)).text()).replaceAll(new URL(server.profile).origin, 'http://127.0.0.1:1'),
  );
  expect(await trafficCommand({ profile: nobody, mix: at('mix.yaml'), rate: 5, duration: 1 })).toBe(3);
  expect(complaint()).toMatch(/^preparing 24 objects…\n.*127\.0\.0\.1:1\b/s);
});

test('behind the load it is said that what was made is removed, and nothing of what goes on any more', async () => {
  await using server = await served();
  await trafficCommand({ profile: server.profile, mix: at('mix.yaml'), rate: 30, duration: 2 });
  const [over = '', behind] = complaint().split('The load is over');
  expect(over).toMatch(/^\d\/2 s .* violations 0$/m);
  expect(behind).toBe('; removing what was made for it and by it…\n');
});

test('the highest rate that keeps a limit is found, and the report is of that one', async () => {
  await using server = await served();
  const { origin } = new URL(server.profile);
  // one request after another, 10 ms each: about a hundred requests a second
  let last = Promise.resolve();
  await using narrow = await listen(
    createHttpServer((request, response) => {
      last = afterThat(last, request, response, origin);
    }),
  );
  writeFileSync(at('narrow.yaml'), (await (await fetch(server.profile)).text()).replaceAll(origin, narrow.url));
  const { report } = await ran('limit', {
    profile: at('narrow.yaml'),
    rate: 20,
    duration: 1,
    judge: 0,
    findLimit: 'p50<200ms',
  });
  const rates = (verdict: string): readonly number[] =>
    (report.tried ?? []).filter((one) => one.verdict === verdict).map(({ rate }) => rate);
  expect(rates('kept').length).toBeGreaterThan(0);
  expect(rates('missed').length).toBeGreaterThan(0);
  expect(report.load).toEqual({ model: 'open', rate: Math.max(...rates('kept')) });
  expect(report.thresholds.at(-1)).toMatchObject({ text: 'p50<200ms', met: true });
  expect(printed()).toMatch(/p50<200ms is kept up to [\d.]+ journeys a second; [\d.]+ miss it/);
});

test('a fault is found by traffic alone, exit code 1', async () => {
  const faults: readonly FaultId[] = [
    'auth.jwt.tampered-refused',
    'caching.changed.status-200',
    'paging.link.total-number',
  ];
  const found = await Promise.all(
    faults.map(async (fault) => {
      await using server = await served([fault]);
      const { exitCode, report } = await ran(fault, { profile: server.profile, duration: 2 });
      return { exitCode, rules: report.violations.map(({ rule }) => rule), curl: report.violations[0]?.curl };
    }),
  );
  for (const [index, fault] of faults.entries()) {
    expect(found[index]).toMatchObject({ exitCode: 1, curl: expect.stringContaining('curl ') });
    expect(found[index]?.rules).toContain(fault);
  }
});

describe('what the profile declares', () => {
  const fault: FaultId = 'paging.link.total-number';
  const stated = async (server: { readonly profile: string }, declarations: string): Promise<string> => {
    writeFileSync(at('declared.yaml'), `${await (await fetch(server.profile)).text()}\n${declarations}\n`);
    return at('declared.yaml');
  };

  test.each([
    ['a known failure', `knownFailures:\n  ${fault}: ticket 7`],
    ['a rule that is not supported', "notSupported:\n  'paging.*': ticket 7"],
  ])('is counted apart, and is left with exit code 0: %s', async (_what, declarations) => {
    await using server = await served([fault]);
    const { exitCode, report } = await ran('declared', {
      profile: await stated(server, declarations),
      report: [{ format: 'markdown', file: at('declared.md') }],
    });
    expect(report.violations).toEqual([]);
    expect(report.declared).toEqual([
      expect.objectContaining({ rule: fault, reason: expect.stringContaining('ticket 7') }),
    ]);
    expect(report.seconds.filter(({ violations }) => violations !== undefined)).toEqual([]);
    expect(readFileSync(at('declared.md'), 'utf8')).toMatch(
      /1 rule was broken as the profile declares, \d+ times, and left out of the verdict/,
    );
    expect(exitCode).toBe(rightExitCode(report));
  });

  test('counts no more when its last day is over', async () => {
    await using server = await served([fault]);
    const { exitCode, report } = await ran('over', {
      profile: await stated(server, `knownFailures:\n  ${fault}: { reason: ticket 7, until: 2020-01-31 }`),
    });
    expect([exitCode, report.declared]).toEqual([1, undefined]);
    expect(report.seconds.reduce((sum, { violations = 0 }) => sum + violations, 0)).toBe(
      report.violations.reduce((sum, { count }) => sum + count, 0),
    );
  });

  test('keeps journeys from what they would need, and the report says so', async () => {
    await using server = await served();
    const { report } = await ran('without', { profile: await stated(server, 'notSupported:\n  maturity: not bought') });
    expect(report.journeys.map(({ journey }) => journey)).not.toContain('approver');
    expect(report.remarks.join(' ')).toMatch(
      /declares maturity as not supported \(not bought\): maturity counted as not named\. approver was left out/,
    );
  });
});

describe('what cannot be used is exit code 2 and a sentence', () => {
  const profile = 'profileVersion: 1\nimplementation: x\nbaseUrl: https://service.example\nspace: main\n';
  test.each<[string, TrafficOptions, string]>([
    ['a mix with a journey that there is not', { mix: 'bad.yaml' }, 'bad.yaml:3:3: unknown key "raeder" in journeys'],
    ['a mix that is not there', { mix: 'none.yaml' }, 'name an existing file'],
    ['a threshold that is none', { threshold: ['p98<1ms'] }, 'p99<200ms'],
    ['a limit of what nobody does', { threshold: ['raed:p99<1ms'] }, 'did you mean "read"?'],
    ['a limit of a journey', { findLimit: 'author:p95<1s' }, 'those of author are create, read, operations, page'],
    ['a rate and users', { rate: 1, users: 1 }, 'not both'],
    ['stages and a rate', { rate: 1, stage: [{ seconds: 1, model: 'open', to: 1 }] }, 'does nothing with --stage'],
    ['another host', { profile: 'far.yaml' }, '--yes-load service.example'],
    ['leave for another host', { profile: 'far.yaml', yesLoad: 'elsewhere.example' }, '--yes-load service.example'],
  ])('%s', async (_what, options, expected) => {
    writeFileSync(at('bad.yaml'), 'mixVersion: 1\njourneys:\n  raeder: { weight: 1 }\n');
    writeFileSync(at('far.yaml'), `${profile}identities:\n  editor: { username: a, password: b }\n`);
    const named = {
      ...options,
      ...(options.mix !== undefined && { mix: at(options.mix) }),
      ...(options.profile !== undefined && { profile: at(options.profile) }),
    };
    await using server = await served();
    expect(await trafficCommand({ quiet: true, profile: server.profile, ...named })).toBe(2);
    expect(complaint()).toContain(expected);
  });
});

/** Answers so that journeys go on, with what breaks out of documents in every text, and the token that it was sent. */
function hostile(request: IncomingMessage, response: ServerResponse): void {
  const nasty = `<script>alert(1)</script>\u001b[31m\u202e" onload="x" ${request.headers.authorization ?? ''} \`\`\``;
  request.resume();
  const version = Number(request.headers['svc-uoiversion'] ?? 0) + 1;
  if (request.url === '/auth/token')
    return void response.end('{"access_token":"aaaa.bbbb.cccc","token_type":"Bearer","expires_in":3600}');
  if (request.method === 'GET')
    return void response.end(
      JSON.stringify({ version: 2, links: [], data: { $oid: nasty, $version: nasty, note: nasty, files: nasty } }),
    );
  response
    .writeHead(request.method === 'POST' ? 201 : 204, { Location: '/x/made', 'Svc-UOIVersion': String(version) })
    .end();
}

async function afterThat(last: Promise<void>, ...asked: Parameters<typeof forward>): Promise<void> {
  await last;
  await sleep(10);
  await forward(...asked).catch(() => asked[1].destroy());
}

async function forward(request: IncomingMessage, response: ServerResponse, origin: string): Promise<void> {
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => name !== 'host' && name !== 'connection'),
  ) as Record<string, string>;
  const body = await buffer(request);
  const answer = await fetch(`${origin}${request.url ?? ''}`, {
    method: request.method ?? 'GET',
    headers,
    ...(body.length > 0 && { body }),
  });
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(Buffer.from(await answer.arrayBuffer()));
}

describe('a target', () => {
  test('that sends markup and control characters gets into no report, nor do secrets', async () => {
    await using server = await served();
    await using target = await listen(createHttpServer(hostile));
    const text = await (await fetch(server.profile)).text();
    writeFileSync(at('hostile.yaml'), text.replaceAll(new URL(server.profile).origin, target.url));
    const { exitCode, report } = await ran('hostile', {
      profile: at('hostile.yaml'),
      duration: 1,
      report: [
        { format: 'markdown', file: at('hostile.md') },
        { format: 'svg', file: at('hostile.svg') },
        { format: 'html', file: at('hostile.html') },
        { format: 'junit', file: at('hostile.xml') },
        { format: 'openmetrics', file: at('hostile.prom') },
      ],
    });
    expect(exitCode).toBe(1);
    expect(report.violations.map(({ rule }) => rule)).toContain('reading.system.oid-matches-route');
    const terminal = vi
      .mocked(process.stdout.write)
      .mock.calls.map(([part]) => String(part))
      .join('');
    for (const document of [
      terminal,
      ...['json', 'md', 'svg', 'html', 'xml', 'prom'].map((format) => readFileSync(at(`hostile.${format}`), 'utf8')),
    ]) {
      expect(document).not.toMatch(/aaaa\.bbbb\.cccc|edda-password|\u202e|\u001b\[31m/);
    }
    for (const format of ['md', 'svg', 'html', 'xml'])
      expect(readFileSync(at(`hostile.${format}`), 'utf8')).not.toContain('<script>');
  });

  test('that begins to fail under load ends it where a limit of errors is crossed, exit code 1', async () => {
    await using server = await served();
    const { origin } = new URL(server.profile);
    let asked = 0;
    await using failing = await listen(
      createHttpServer((request, response) => {
        // journeys alone come without end: what is prepared passes
        asked += 1;
        if (asked > 400 && asked % 2 === 0) return void response.writeHead(500).end();
        forward(request, response, origin).catch(() => response.destroy());
      }),
    );
    writeFileSync(at('failing.yaml'), (await (await fetch(server.profile)).text()).replaceAll(origin, failing.url));
    const startedAt = performance.now();
    const { exitCode, report } = await ran('failing', {
      profile: at('failing.yaml'),
      // a closed loop is never late
      users: 4,
      duration: 600,
      stopAtErrors: 20,
      judge: 0,
    });
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    expect(exitCode).toBe(1);
    expect(report.thresholds).toMatchObject([{ text: 'errors<=20% in any 10 s', met: false }]);
    expect(report.remarks.join(' ')).toContain('more than 20 % of the requests of 10 s were errors');
  });

  test('that refuses many requests quickly keeps no limit, whatever its latency', async () => {
    await using server = await served();
    const { origin } = new URL(server.profile);
    let asked = 0;
    await using busy = await listen(
      createHttpServer((request, response) => {
        const { method, url = '', headers } = request;
        // only journeys send something without a token
        if (asked > 0 || (url.includes('/softtype/') && headers.authorization === undefined)) asked += 1;
        if (asked % 3 === 2 && method !== 'DELETE') return void response.writeHead(429, { 'Retry-After': '0' }).end();
        forward(request, response, origin).catch(() => response.destroy());
      }),
    );
    writeFileSync(at('busy.yaml'), (await (await fetch(server.profile)).text()).replaceAll(origin, busy.url));
    const usual = await ran('busy', { profile: at('busy.yaml'), users: 4, duration: 3, judge: 0 });
    expect([usual.exitCode, usual.report.thresholds]).toMatchObject([1, [{ text: 'errors<1%', met: false }]]);
    asked = 0;
    const searched = await ran('busy-limit', {
      profile: at('busy.yaml'),
      rate: 20,
      duration: 1,
      judge: 0,
      threshold: ['errors<1%'],
      findLimit: 'p99<60000ms',
    });
    expect(searched.report.tried?.map(({ verdict }) => verdict)).not.toContain('kept');
  });

  test('that refuses what a further rate needs leaves what the rates before have shown', async () => {
    await using server = await served();
    const { origin } = new URL(server.profile);
    let [isLoaded, isClosed] = [false, false];
    await using closing = await listen(
      createHttpServer((request, response) => {
        const { method, url = '', headers } = request;
        // journeys send something without a token, and what was made for them is deleted behind them
        isLoaded ||= url.includes('/softtype/') && headers.authorization === undefined;
        isClosed ||= isLoaded && method === 'DELETE';
        if (isClosed && method === 'POST' && url.includes('/softtype/')) return void response.writeHead(403).end();
        forward(request, response, origin).catch(() => response.destroy());
      }),
    );
    writeFileSync(at('closing.yaml'), (await (await fetch(server.profile)).text()).replaceAll(origin, closing.url));
    const { exitCode, report } = await ran('closing', {
      profile: at('closing.yaml'),
      rate: 5,
      duration: 1,
      judge: 0,
      findLimit: 'p99<60000ms',
    });
    expect([exitCode, report.tried?.length]).toEqual([3, 1]);
    expect(report.remarks[0]).toMatch(/^The search ended before \d+ journeys a second: .* 403/);
  });

  test.each<[string, string, TrafficOptions]>([
    ['open', 'every request failed: the target was gone', { rate: 30, duration: 4 }],
    ['closed', 'The load ended early', { users: 4, duration: 600 }],
  ])(
    'that dies under load of the %s model is told of before any threshold, and the run ends in time',
    async (model, words, load) => {
      const server = await served();
      const { origin } = new URL(server.profile);
      const dying = Promise.withResolvers<void>();
      let asked = 0;
      // only journeys send something without a token
      await using target = await halfDead(origin, ({ url = '', headers }) => {
        if (asked > 0 || (url.includes('/softtype/') && headers.authorization === undefined)) asked += 1;
        if (asked === 60) dying.resolve();
        return false;
      });
      writeFileSync(at('death.yaml'), (await (await fetch(server.profile)).text()).replaceAll(origin, target.url));
      const death = dying.promise.then(() => server.close());
      const { exitCode, report } = await ran(`death-${model}`, {
        profile: at('death.yaml'),
        threshold: ['errors<1%'],
        ...load,
        report: [{ format: 'markdown', file: at('death.md') }],
      });
      await death;
      expect(exitCode).toBe(3);
      expect(report.all.errors).toBeGreaterThan(10);
      expect(report.violations).toEqual([]);
      expect(readFileSync(at('death.md'), 'utf8')).toContain(words);
    },
  );
});

describe('a time', () => {
  test.each([
    ['90s', 90],
    ['20m', 1200],
    ['0.5h', 1800],
    ['1.5s', 1.5],
  ])('is read: %s', (text, seconds) => expect(duration(text)).toBe(seconds));

  test('without a unit is told what to write', () => {
    expect(() => duration('15')).toThrow('found "15", which has no unit: write 15s for seconds or 15m for minutes.');
    expect(() => duration('1.5')).toThrow('write 1.5s');
  });

  test.each(['', '0', '0s', '-5s', '15 s', '15sec', '1000000s', 's'])('is refused: %j', (text) => {
    expect(() => duration(text)).toThrow(`Expected a time as 90s, 20m or 2h, found "${text}".`);
  });
});

describe('several workers', () => {
  /** Nothing in which it matters who comes first. */
  const apart =
    'mixVersion: 1\nobjects: 24\njourneys:\n  reader: { weight: 4 }\n  author: { weight: 2 }\n  gate-keeper: { weight: 2 }\n  approver: { weight: 1 }\n';

  test('make the same journeys and requests as one, and say how many they were', async () => {
    writeFileSync(at('apart.yaml'), apart);
    await using server = await served();
    const options: TrafficOptions = { profile: server.profile, mix: at('apart.yaml'), rate: 40, duration: 2 };
    const [one, three] = [
      await ran('one', options),
      await ran('three', { ...options, workers: 3, report: [{ format: 'markdown', file: at('three.md') }] }),
    ];
    expect([one.report.workers, three.report.workers]).toEqual([1, 3]);
    expect(begunIn(three.report)).toEqual(begunIn(one.report));
    const counts = ({ operations }: TrafficReport): readonly object[] =>
      operations.map(({ op, requests, errors }) => ({ op, requests, errors }));
    expect(counts(three.report)).toEqual(counts(one.report));
    expect(three.report.judged).toEqual(one.report.judged);
    expect(three.report.seconds.reduce((sum, { requests }) => sum + requests, 0)).toBe(three.report.all.requests);
    expect(three.report.lateness?.skipped).toBe(0);
    expect(readFileSync(at('three.md'), 'utf8')).toContain('3 workers');
  });

  test('share the users of a closed loop', async () => {
    await using server = await served();
    const { exitCode, report } = await ran('closed-workers', { profile: server.profile, users: 5, workers: 2 });
    expect(exitCode).toBe(0);
    expect(report.violations).toEqual([]);
    expect(report.judged.exchanges).toBe(report.all.requests);
    expect(report.all.requests).toBeGreaterThan(5);
  });

  test(
    'find what one would: in an answer, and between writers of different workers; no secret gets into the report',
    { retry: 2 },
    async () => {
      writeFileSync(
        at('pairs.yaml'),
        'mixVersion: 1\nobjects: 24\njourneys:\n  editor-pair: { weight: 4 }\n  reader: { weight: 1 }\n',
      );
      const faults: readonly FaultId[] = ['versioning.race.one-writer-wins', 'paging.link.total-number'];
      for (const fault of faults) {
        await using server = await served([fault]);
        const { exitCode, report } = await ran(`workers-${fault}`, {
          profile: server.profile,
          mix: at('pairs.yaml'),
          rate: 120,
          workers: 2,
          duration: 2,
        });
        expect(exitCode).toBe(1);
        expect(report.violations.map(({ rule }) => rule)).toContain(fault);
        expect(report.violations[0]?.curl).toContain('curl ');
        expect(JSON.stringify(report)).not.toMatch(/edda-password|conformance-secret|svcpat-|eyJ/);
      }
    },
  );

  test('are at most as many as users, else exit code 2', async () => {
    expect(await trafficCommand({ users: 2, workers: 3, quiet: true })).toBe(2);
    expect(complaint()).toContain('at most as many --workers as --users, found 3 and 2');
  });

  test('are 1 to 64', () => {
    const read = wholeNumber(1, mostWorkers);
    expect([read('1'), read('64')]).toEqual([1, 64]);
    for (const text of ['0', '65', '1.5', 'all']) expect(() => read(text)).toThrow('from 1 to 64');
  });
});

describe('a token service with an address of its own', () => {
  const grants = ({ operations }: TrafficReport): number => operations.find(({ op }) => op === 'grant')?.requests ?? 0;

  test.each<TrafficOptions>([{ rate: 40 }, { users: 4 }, { rate: 40, workers: 2 }])(
    'on the host that is loaded is asked for tokens: %o',
    async (load) => {
      await using server = await served();
      const text = await (await fetch(server.profile)).text();
      writeFileSync(
        at('whole.yaml'),
        text.replace(/tokenUrl: *\S+/, `tokenUrl: ${new URL('/auth/token', server.profile).href}`),
      );
      const { report } = await ran('whole', { profile: at('whole.yaml'), ...load });
      expect(report.violations).toEqual([]);
      expect(grants(report)).toBeGreaterThan(0);
    },
  );

  test('elsewhere is left alone, which a remark says', async () => {
    await using server = await served();
    await using other = await halfDead(new URL(server.profile).origin);
    const text = await (await fetch(server.profile)).text();
    writeFileSync(at('elsewhere.yaml'), text.replace(/tokenUrl: *\S+/, `tokenUrl: ${other.url}/auth/token`));
    const { report } = await ran('elsewhere', { profile: at('elsewhere.yaml') });
    expect(grants(report)).toBe(0);
    expect(report.remarks.join(' ')).toMatch(/gate-keeper went without tokens by grant/);
  });
});
