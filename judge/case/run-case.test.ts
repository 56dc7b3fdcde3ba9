import { createServer } from 'node:http';
import { catalogue } from '../../suites/catalogue.ts';
import fc, { integer, string, tuple, type AsyncCommand } from 'fast-check';
import { describe, expect as assert, test, vi } from 'vitest';
import { anyText } from '../../fixtures/arbitraries.ts';
import { longTexts } from '../../fixtures/values.ts';
import { type CaseContext, model, property, race, scenario } from '../case.ts';
import type { Case } from '../rule.ts';
import type { Thing } from '../things.ts';
import { TargetUnreachable } from '../client/failure.ts';
import { runCase } from './run-case.ts';
import type { Session } from '../run/session.ts';
import { withBearer } from '../service/token.ts';
import { readCurrentState } from '../service/maturity.ts';
import { assertRaced } from '../service/races.ts';
import { MachineStalled, PreconditionFailed, TooLate, Violation } from '../violation.ts';
import { objectStore, sendJson, smallProfile, smallService, type Handle } from '../small-service.fixture.ts';
import { sessionFor } from '../run/session.fixture.ts';

const must = catalogue.get('reading.create.status-201');
const should = catalogue.get('headers.uris.stay-on-gateway');
const observe = catalogue.get('headers.limits.rate');

async function sessionOn(handle: Handle, more = '', editor?: string): Promise<Session> {
  const service = await smallService(handle);
  const session = sessionFor(smallProfile(service.url, more, editor));
  return session;
}

const judge = (session: Session, test: Case, rule = must) =>
  runCase(rule, test, { session, seed: 7, runs: 20, deadlineMs: 5000 });
const readAnything = scenario(async ({ service, expect }) => expect(await service.get('/x')).toAnswer(200));

describe('time', () => {
  test('in which the target held requests back is no part of the limit, and what a case waits for is told', async () => {
    let asked = 0;
    const session = await sessionOn((request, response) => {
      asked += 1;
      if (request.url.endsWith('never')) return;
      if (asked === 1) response.writeHead(429, { 'Retry-After': '1' }).end();
      else sendJson({}, response);
    });
    const within = (path: string) =>
      runCase(
        must,
        scenario(async ({ service, expect }) => expect(await service.get(path)).toAnswer(200)),
        { session, seed: 7, runs: 20, deadlineMs: 900 },
      );
    assert((await within('/x')).verdict).toBe('pass');
    vi.spyOn(session.machine, 'stalledMs').mockReturnValue(0);
    assert(await within('/never')).toMatchObject({
      verdict: 'broken',
      reason: assert.stringMatching(/within 0\.9 s; it waited for the answer to GET \/never/),
    });
  });

  test('an answer from a gateway is no word about the service, nor is what a write did that it answered', async () => {
    const placed = (isAway: (count: number) => boolean) => {
      let count = 0;
      return sessionOn(({ url }, response) => {
        count += 1;
        if (url === '/x' && isAway(count))
          response.writeHead(504, { 'Content-Type': 'text/html' }).end('<h1>Gateway Timeout</h1>');
        else sendJson({ count }, response);
      });
    };
    const sending = (method: string) =>
      scenario(async ({ service, expect }) => {
        const { status } = await service.send({ method, url: '/x', as: 'editor' });
        expect(status === 504, 'whether it took effect').toEqual(false);
      });
    const [read, write] = [sending('GET'), sending('POST')];
    const once = (count: number): boolean => count === 1;
    for (const test of [read, write, readAnything])
      assert(await judge(await placed(once), test)).toMatchObject({
        verdict: 'pass',
        retries: [assert.stringContaining('a gateway answered 504')],
      });
    const always = (): boolean => true;
    assert((await judge(await placed(always), read)).verdict).toBe('fail');
    for (const test of [write, readAnything])
      assert(await judge(await placed(always), test)).toMatchObject({
        verdict: 'blocked',
        reason: assert.stringContaining('a gateway answered 504'),
      });
    // a service may say so itself, of whom it calls: then the rest goes on, the same each time
    const behind = scenario(async ({ service, expect }) => {
      await service.send({ method: 'POST', url: '/x', as: 'editor' });
      expect(await service.get('/y')).toAnswer(404);
    });
    assert((await judge(await placed(always), behind)).verdict).toBe('fail');
  });

  test('a status that the profile states is the service’s own, one that it does not may be that of a gateway', async () => {
    const answering: Handle = ({ url }, response) => {
      if (url !== '/x') sendJson({}, response);
      else response.writeHead(502, { 'Content-Type': 'text/plain' }).end('nobody answered');
    };
    const test = scenario(async ({ service, expect }) => {
      await service.send({ method: 'POST', url: '/x', as: 'editor' });
      expect('seen', 'what comes of it').toEqual('right');
    });
    for (const [more, verdict] of [
      ['expect: { validationFailed: 502 }', 'fail'],
      ['expect: { validationFailed: 503 }', 'blocked'],
    ] as const)
      assert((await judge(await sessionOn(answering, more), test)).verdict, more).toBe(verdict);
  });

  test('what a service calls at another moment than it should in moved time is its own, whatever it answers meanwhile', async () => {
    const answering: Handle = ({ url }, response) => {
      if (url !== '/x') sendJson({}, response);
      else response.writeHead(502, { 'Content-Type': 'text/plain' }).end('nobody answered');
    };
    const among = [{ arrivedAt: 1 }];
    for (const [claim, controlled, verdict] of [
      [undefined, true, 'fail'],
      [{ about: 'calls', is: 'extra', by: 9, among }, true, 'fail'],
      [{ about: 'calls', is: 'missing', by: 9, among }, true, 'blocked'],
      [undefined, false, 'blocked'],
    ] as const) {
      const session = await sessionOn(answering);
      Object.defineProperty(session.time, 'controlled', { value: controlled });
      const test = scenario(async ({ service }) => {
        await service.send({ method: 'POST', url: '/x', as: 'editor' });
        throw new Violation('an end after 100 s', 'one after 60 s', undefined, {
          isOutOfTime: true,
          ...(claim && { claim }),
        });
      });
      assert((await judge(session, test)).verdict, String(controlled)).toBe(verdict);
    }
  });

  test('a promote that says of strangers that they could not be asked is no word about the service, any other refusal is', async () => {
    const promote = '/api/space/main/maturityAction/promote/o-1/release/engineering';
    const answering =
      (status: number): Handle =>
      (_, response) =>
        void response.writeHead(status, { 'Content-Type': 'application/json' }).end('{}');
    const promoted = scenario(async ({ service, expect }) => {
      expect(await service.send({ method: 'PUT', url: promote, as: 'editor' })).toAnswer(204);
    });
    const needed = scenario(async ({ service, given }) => {
      given.succeeded(await service.send({ method: 'PUT', url: promote, as: 'editor' }), 'a promote', []);
    });
    const elsewhere = scenario(async ({ service, expect }) => {
      expect(await service.send({ method: 'PUT', url: '/x', as: 'editor' })).toAnswer(204);
    });
    for (const [status, test, verdict] of [
      [502, promoted, 'blocked'],
      [504, promoted, 'blocked'],
      [502, needed, 'blocked'],
      [500, promoted, 'fail'],
      [409, promoted, 'fail'],
      [502, elsewhere, 'fail'],
    ] as const) {
      const { verdict: given, reason } = await judge(await sessionOn(answering(status)), test);
      assert(given, String(status)).toBe(verdict);
      if (status !== 500 && given === 'blocked') assert(reason).toContain('has left registered');
    }
  });

  test('lateness and what is out of moved time have to be seen twice, and what came too late to show anything is done once more', async () => {
    const session = await sessionOn(objectStore());
    const failing = (throws: readonly (Error | undefined)[]) => {
      let attempts = 0;
      return scenario(async ({ service, expect }) => {
        const error = throws[attempts];
        attempts += 1;
        if (error !== undefined) throw error;
        expect(await service.get('/x')).toBeRefused();
      });
    };
    for (const kind of ['isLate', 'isOutOfTime']) {
      const once = new Violation('it in time', 'it late', undefined, { [kind]: true });
      assert(await judge(session, failing([once]))).toMatchObject({ verdict: 'pass', retries: [assert.anything()] });
      assert((await judge(session, failing([once, once]))).verdict).toBe('fail');
    }
    const [early, unmet] = [
      new Violation('it in time', 'it early', undefined, { isOutOfTime: true }),
      new PreconditionFailed('a call'),
    ];
    assert(await judge(session, failing([early, unmet]))).toMatchObject({
      verdict: 'fail',
      violation: { actual: 'it early' },
    });
    assert((await judge(session, failing([unmet, early]))).verdict).toBe('blocked');
    assert((await judge(session, failing([new TooLate('too late')]))).verdict).toBe('pass');
    assert((await judge(session, failing([new TooLate('too late'), new TooLate('too late')]))).verdict).toBe('blocked');
    assert((await judge(session, failing([new Violation('this', 'that')]))).verdict).toBe('fail');
  });
});

describe('verdicts', () => {
  test('a case that holds passes and leaves its objects to the clean-up', async () => {
    const session = await sessionOn(objectStore());
    const outcome = await judge(
      session,
      scenario(async ({ given, service, expect }) => {
        const owner = await given.objectWithEntries(23);
        const edited = await given.edited(owner, 2);
        expect(edited.version, 'version').toEqual(3);
        const before = await service.snapshot(edited);
        expect(
          before.arrays['files']?.map((entry) => entry.members['comment']),
          'texts',
        ).toEqual(owner.texts);
        expect.unchanged(before, await service.snapshot(edited));
        expect(await service.read({ ...owner, oid: given.unknownOid(owner) })).toAnswer(404);
      }),
    );
    assert(outcome).toMatchObject({ verdict: 'pass', assertions: 4 });
    assert(session.bookings.booked()).toMatchObject([
      { uri: assert.stringContaining('/softtype/o-1'), remove: { method: 'DELETE' } },
    ]);
    assert(session.bookings.booked()[0]?.keepBecause).toBeUndefined();
  });

  test('a breach is played again in what is left of the time for that, be it no whole number of milliseconds', async () => {
    const session = await sessionOn(objectStore());
    const broken = scenario(async ({ given, expect, service }) =>
      expect(await service.read(await given.object())).toAnswer(203),
    );
    const repeats = { findings: 20, ms: 3822.542, lasting: false };
    const outcome = await runCase(must, broken, { session, seed: 7, runs: 20, deadlineMs: 5000, repeats });
    assert(outcome).toMatchObject({ verdict: 'fail', violation: { repetition: { shown: true } } });
    assert(repeats.findings).toBe(19);
  });

  test('what a rule that failed already explains is not played again: it will be no finding', async () => {
    const session = await sessionOn(objectStore());
    const broken = scenario(async ({ given, expect, service }) =>
      expect(await service.read(await given.object())).toAnswer(203),
    );
    const repeats = { findings: 20, ms: 5000, lasting: false };
    const run = { session, seed: 7, runs: 20, deadlineMs: 5000, repeats, isExplained: () => true };
    assert(await runCase(must, broken, run)).toMatchObject({ violation: { repetition: { shown: false } } });
    assert(repeats).toEqual({ findings: 20, ms: 5000, lasting: false });
  });

  test('a breach is played again no longer than the case may take, which else would be given up with it', async () => {
    let asked = 0;
    const session = await sessionOn((_request, response) => {
      asked += 1;
      if (asked === 1) sendJson({}, response);
    });
    const broken = scenario(async ({ expect, service }) => expect(await service.get('/x')).toAnswer(203));
    const repeats = { findings: 20, ms: 60_000, lasting: false };
    const outcome = await runCase(must, broken, { session, seed: 7, runs: 20, deadlineMs: 800, repeats });
    assert(outcome).toMatchObject({ verdict: 'fail', violation: { repetition: { shown: false } } });
    assert(asked).toBe(2);
  });

  test('what was made by a credential of the case itself is removed by the editor', async () => {
    const session = await sessionOn(objectStore());
    const create = {
      method: 'POST',
      url: '/api/space/main/softtype/Document/documentInput',
      as: 'editor',
      body: {},
    } as const;
    await judge(
      session,
      scenario(async ({ service }) => void (await service.send(create, withBearer('of its own')))),
    );
    assert(session.bookings.booked()).toMatchObject([{ remove: { as: 'editor' } }]);
  });

  test('a breach of a must fails, of a should warns, and keeps the objects', async () => {
    const session = await sessionOn(objectStore());
    const broken = scenario(async ({ given, expect, service }) =>
      expect(await service.read(await given.object())).toAnswer(203),
    );
    assert(await judge(session, broken)).toMatchObject({
      verdict: 'fail',
      violation: {
        expected: 'status 203',
        curl: [
          assert.stringContaining('--request POST'),
          assert.anything(),
          assert.stringContaining('"Authorization: Bearer ${EDITOR_TOKEN}"'),
        ],
      },
    });
    assert((await judge(session, broken, should)).verdict).toBe('warn');
    assert(session.bookings.booked().every((booking) => booking.keepBecause !== undefined)).toBe(true);
  });

  test('a breach seen through several pages leans on the rules about pages', async () => {
    const session = await sessionOn(objectStore());
    const paging = scenario(async ({ given, service, expect }) => {
      const { arrays } = await service.snapshot(await given.objectWithEntries(11));
      expect(arrays, 'arrays').toEqual({});
    });
    const leaning = { verdict: 'fail', standsOn: ['paging.page-one.holds-the-rest', 'paging.pages.cover-array-once'] };
    assert(await judge(session, paging)).toMatchObject(leaning);
    assert((await judge(session, paging, catalogue.get('paging.page-one.holds-the-rest'))).standsOn).toEqual([
      'paging.pages.cover-array-once',
    ]);
  });

  test('a rule that only records is observed, and fails through the profile alone', async () => {
    const session = await sessionOn(objectStore(), 'expect: { deleteSuccess: [200, 204] }');
    const noting = (status: number) =>
      scenario(async ({ notes, service }) => {
        await service.get('/x');
        notes.bound('deleteSuccess', 'status of a DELETE', status);
        notes.observe('what came after', 'more');
      });
    assert(await judge(session, noting(204), observe)).toMatchObject({
      verdict: 'observed',
      observations: [{ key: 'deleteSuccess', seen: '204' }, { seen: 'more' }],
    });
    assert(await judge(session, noting(500), observe)).toMatchObject({ verdict: 'fail', observations: [{}, {}] });
    assert((await judge(session, readAnything, observe)).verdict).toBe('broken');
  });

  test('a promise of the profile that was seen broken is told, whatever the case lacks then', async () => {
    const session = await sessionOn(objectStore(), 'expect: { deleteSuccess: [200, 204] }');
    const lacking = (status: number) =>
      scenario(async ({ given, notes, service }) => {
        await service.get('/x');
        notes.bound('deleteSuccess', 'status of a DELETE', status);
        given.assume(false, 'something else');
      });
    assert(await judge(session, lacking(204))).toMatchObject({ verdict: 'blocked' });
    assert(await judge(session, lacking(500))).toMatchObject({ verdict: 'fail', violation: { actual: '500' } });
  });

  test('an address that is none breaks a rule, and is in the way of one that only records', async () => {
    const session = await sessionOn(objectStore());
    const following = scenario(async ({ notes, service }) => {
      const base = await service.get('/x');
      notes.observe('status', (await service.get('http://[x', { base })).status);
    });
    const found = 'a URI reference, found "http://[x"';
    assert(await judge(session, following)).toMatchObject({ verdict: 'fail', violation: { actual: '"http://[x"' } });
    assert(await judge(session, following, observe)).toMatchObject({
      verdict: 'blocked',
      reason: assert.stringContaining(found),
    });
  });

  test('what the suite does not manage is never a fail', async () => {
    const session = await sessionOn((_request, response) => sendJson({}, response, 500));
    const precondition = scenario(async ({ given }) => void (await given.object()));
    assert(await judge(session, precondition)).toMatchObject({
      verdict: 'blocked',
      standsOn: ['reading.create.status-201'],
    });
    for (const [test, verdict, reason] of [
      [scenario(async () => undefined), 'broken', ''],
      [scenario(async ({ service }) => void (await service.get('/'))), 'broken', 'without an assertion'],
      [scenario(async ({ given }) => given.inconclusive('no clock')), 'blocked', 'no clock'],
      [scenario(() => Promise.reject(new TypeError('oops'))), 'broken', 'oops'],
    ] as const)
      assert(await judge(session, test)).toMatchObject({ verdict, reason: assert.stringContaining(reason) });
  });

  test('an unmet need blocks and names the key', async () => {
    const session = await sessionOn(objectStore());
    assert(await judge(session, readAnything, catalogue.get('patch.put.stores-given-members'))).toMatchObject({
      verdict: 'blocked',
      missing: ['put-route'],
      reason: assert.stringContaining('routes.softTypePut'),
    });
  });

  test('one need that is not offered is the whole reason, whatever else the profile lacks', async () => {
    const session = await sessionOn(objectStore());
    const run = { session, seed: 7, runs: 20, deadlineMs: 5000, notSupported: { 'scalar-*': 'one text is all' } };
    assert(await runCase(catalogue.get('patch.put.stores-given-members'), readAnything, run)).toMatchObject({
      verdict: 'blocked',
      missing: ['scalar-members'],
      reason: assert.stringContaining('one text is all'),
    });
  });

  test('what a case lacks beside the needs of its row is a need as well', async () => {
    const session = await sessionOn(objectStore());
    const reading = scenario(async ({ profile, expect }) => expect(profile.second.definitionId, 'id').toEqual('Part'));
    assert(await judge(session, reading)).toMatchObject({ verdict: 'blocked', missing: ['second-soft-type'] });
  });
});

describe('roles', () => {
  const url = '/api/space/main/x';
  const removing = scenario(async ({ service, expect }) =>
    expect(await service.send({ method: 'DELETE', url, as: 'editor' })).toSucceed(),
  );
  const refuse: Handle = ({ method }, response) => sendJson({}, response, method === 'DELETE' ? 403 : 200);

  test('a 403 decides nothing where the role of the caller may lack the method', async () => {
    const unknown = await sessionOn(refuse);
    assert(await judge(unknown, removing)).toMatchObject({
      verdict: 'blocked',
      reason: assert.stringContaining('state identities.editor.methods'),
    });
    const narrow = await sessionOn(refuse, '', '{ token: t, methods: [GET, POST] }');
    assert(await judge(narrow, removing)).toMatchObject({ verdict: 'blocked', missing: ['role-methods'] });
  });

  test('a 403 breaks the rule where the role has the method, where it was seen to have it, and where there are no roles', async () => {
    const wide = await sessionOn(refuse, '', '{ token: t, methods: [GET, DELETE] }');
    assert((await judge(wide, removing)).verdict).toBe('fail');
    let refusals = false;
    const seen = await sessionOn((_request, response) => sendJson({}, response, refusals ? 403 : 200));
    assert((await judge(seen, removing)).verdict).toBe('pass');
    refusals = true;
    assert((await judge(seen, removing)).verdict).toBe('fail');
    const collection = scenario(async ({ service, expect }) =>
      expect(await service.send({ method: 'DELETE', url: '/api/collection/x', as: 'editor' })).toSucceed(),
    );
    assert((await judge(seen, collection)).verdict).toBe('fail');
  });

  test('what a role lacks, as the profile says, is no matter of a machine that stood still', async () => {
    const narrow = await sessionOn(refuse, '', '{ token: t, methods: [GET, POST] }');
    vi.spyOn(narrow.machine, 'stalledMs').mockReturnValue(60_000);
    const outcome = await judge(narrow, removing);
    assert(outcome).toMatchObject({ verdict: 'blocked', missing: ['role-methods'] });
    assert(outcome.reason).not.toMatch('stalled');
  });

  test.each([
    [
      'what the profile does not say of a role',
      refuse,
      removing,
      /^the editor was refused DELETE .* state identities.editor.methods/,
    ],
    [
      'a state that no read shows',
      objectStore(),
      scenario(async (context) => void (await readCurrentState(context, await context.given.object()))),
      /^the case needs the current state of the level in data/,
    ],
    [
      'a key that the profile does not have',
      refuse,
      scenario(async ({ profile }) => void profile.second),
      /softTypes\.second/,
    ],
    [
      'a request that HTTP has no form for',
      refuse,
      scenario(async ({ service }) => {
        await service.send({ method: 'GET', url: '/x', as: 'editor', headers: { 'X-Name': 'Ада' } });
      }),
      /^GET \S+ cannot be sent/,
    ],
  ])('nor is %s', async (_what, handle, test, reason) => {
    const session = await sessionOn(handle);
    vi.spyOn(session.machine, 'stalledMs').mockReturnValue(60_000);
    assert(await judge(session, test)).toMatchObject({ verdict: 'blocked', reason: assert.stringMatching(reason) });
  });

  test('nor is what a target has nothing to decide by, but whether writers met is', async () => {
    const session = await sessionOn(refuse);
    vi.spyOn(session.machine, 'stalledMs').mockReturnValue(60_000);
    const undecidable = scenario(async ({ given }) => given.inconclusive('bind it in the profile'));
    assert(await judge(session, undecidable)).toMatchObject({ verdict: 'blocked', reason: 'bind it in the profile' });
    const racing = scenario(async (context) => assertRaced(context, 0, 6));
    assert(await judge(session, racing)).toMatchObject({
      verdict: 'broken',
      reason: assert.stringContaining('machine stalled'),
    });
  });

  test('nor are writers that the profile lets meet nowhere', async () => {
    const session = await sessionOn(refuse, 'limits: { concurrency: 1 }');
    vi.spyOn(session.machine, 'stalledMs').mockReturnValue(60_000);
    const racing = scenario(async (context) => assertRaced(context, 0, 6));
    assert(await judge(session, racing)).toMatchObject({
      verdict: 'blocked',
      reason: 'No two requests are under way at once, as limits.concurrency of the profile says.',
    });
  });

  test('what was looked for in vain on a machine that stood still, and what fails for it, breaks no rule', async () => {
    const session = await sessionOn(refuse);
    const stalled = vi.spyOn(session.machine, 'stalledMs');
    const looking = (wanted: number, withinMs = 60) =>
      scenario(async ({ clock, expect }) => {
        const seen = await clock.look(
          withinMs,
          async () => 1,
          (found) => found === wanted,
        );
        expect(seen, 'what was seen').toEqual(2);
      });
    stalled.mockReturnValue(60_000);
    assert(await judge(session, looking(2))).toMatchObject({
      verdict: 'broken',
      reason: assert.stringContaining('machine stalled'),
    });
    assert((await judge(session, looking(1))).verdict).toBe('fail');
    // nothing was waited for
    assert((await judge(session, looking(2, 0))).verdict).toBe('fail');
    stalled.mockReturnValue(0);
    assert((await judge(session, looking(2))).verdict).toBe('fail');
    // a third of the time was lost, and looked for besides
    stalled.mockImplementation((from, to) => (to - from) * 0.3);
    assert((await judge(session, looking(2, 1000))).verdict).toBe('fail');
  });

  test('a refusal that is wanted is one, whatever the role has', async () => {
    const unknown = await sessionOn(refuse);
    const wanting = scenario(async ({ service, expect }) =>
      expect(await service.send({ method: 'DELETE', url, as: 'editor' })).toAnswer(403),
    );
    assert((await judge(unknown, wanting)).verdict).toBe('pass');
  });
});

describe('hostile targets', () => {
  test('a hang ends with the deadline', async () => {
    const session = await sessionOn(() => undefined);
    const outcome = await runCase(must, readAnything, { session, seed: 1, runs: 1, deadlineMs: 100 });
    assert(outcome).toMatchObject({ verdict: 'broken', reason: assert.stringContaining('did not end') });
  });

  test('a hang ends with the timeout of a request', async () => {
    const session = await sessionOn(() => undefined, 'limits: { requestTimeoutSeconds: 0.1 }');
    assert(await judge(session, readAnything)).toMatchObject({
      verdict: 'blocked',
      reason: assert.stringContaining('within 0.1 s'),
    });
  });

  test('nobody there ends the run', async () => {
    const service = await smallService(() => undefined);
    await service[Symbol.asyncDispose]();
    const session = sessionFor(smallProfile(service.url));
    await assert(judge(session, readAnything)).rejects.toBeInstanceOf(TargetUnreachable);
  });

  test('what a service that is gone did not do ends the run and breaks no rule', async () => {
    const service = await smallService((_request, response) => void response.writeHead(404).end());
    const session = sessionFor(smallProfile(service.url));
    const looksAside = (before: () => Promise<void>): Case =>
      scenario(async ({ expect }) => {
        await before();
        expect(1, 'calls that arrived').toEqual(2);
      });
    assert(
      await judge(
        session,
        looksAside(() => Promise.resolve()),
      ),
    ).toMatchObject({ verdict: 'fail' });
    const end = judge(
      session,
      looksAside(() => service[Symbol.asyncDispose]()),
    );
    await assert(end).rejects.toBeInstanceOf(TargetUnreachable);
  });

  test('HTML for everything breaks preconditions and fails nothing by itself', async () => {
    const session = await sessionOn(
      (_request, response) => void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Hello</h1>'),
    );
    const making = scenario(async ({ given }) => void (await given.object()));
    assert((await judge(session, making)).verdict).toBe('blocked');
  });

  test('JSON nested a hundred thousand times is compared and described', async () => {
    const deep = '{"data":'.repeat(100_000) + '1' + '}'.repeat(100_000);
    const session = await sessionOn((_request, response) => void response.end(deep));
    const comparing = scenario(async ({ service, expect }) => {
      const [one, other] = [await service.get('/a'), await service.get('/b')];
      expect(one.json, 'itself').toEqual(other.json);
      expect(one.json, 'something else').toEqual({ data: 1 });
    });
    const outcome = await judge(session, comparing);
    assert(outcome).toMatchObject({
      verdict: 'fail',
      violation: { expected: assert.stringContaining('something else') },
    });
    assert(JSON.stringify(outcome).length).toBeLessThan(40_000);
  });

  test('control characters and long texts never reach the outcome', async () => {
    const hostile = '\u001b[31m\u0000\u202e' + 'x'.repeat(300_000);
    const session = await sessionOn(
      (_request, response) => void response.writeHead(200, { 'X-Odd': 'a\u0080b' }).end(hostile),
    );
    const outcome = await judge(
      session,
      scenario(async ({ service, expect }) => {
        const reply = await service.send({ method: 'POST', url: '/x', as: 'editor', body: hostile });
        expect(reply.text, 'text').toEqual('plain');
      }),
    );
    const texts = textsIn(outcome).join('');
    assert(outcome.verdict).toBe('fail');
    assert(/[\u0000-\u001f\u007f-\u009f\u202e]/.exec(texts)?.index).toBeUndefined();
    assert(texts.length).toBeLessThan(60_000);
  });

  test('what leads to another host is followed where the profile allows it, with the token, and nowhere else', async () => {
    const other = await smallService((_request, response) => sendJson({ ok: true }, response));
    const handle: Handle = (_request, response) =>
      void response.writeHead(200, { Location: `${other.url}/there` }).end();
    const following = scenario(async ({ service, expect }) => {
      const reply = await service.get('/x');
      expect(await service.get(reply.headers['location'] ?? '', { base: reply })).toAnswer(200);
    });
    const { host } = new URL(other.url);
    assert(await judge(await sessionOn(handle), following)).toMatchObject({
      verdict: 'blocked',
      reason: assert.stringContaining(`add ${host} to allowHosts in the profile`),
      standsOn: ['headers.uris.stay-on-gateway'],
    });
    for (const send of ['raw', 'abandon', 'send'] as const) {
      const unfollowed = scenario(
        async ({ service }) => void (await service[send](service.requests.get(`${other.url}/x`))),
      );
      assert((await judge(await sessionOn(handle), unfollowed)).verdict).toBe('blocked');
    }
    assert(other.arrived).toEqual([]);
    assert((await judge(await sessionOn(handle, `allowHosts: ['${host}']`), following)).verdict).toBe('pass');
    assert(other.arrived[0]?.headers).toContainEqual(['Authorization', 'Bearer editor-token-0815']);
  });

  test('a host that the profile allows and that is silent ends no run', async () => {
    const session = await sessionOn(objectStore(), `allowHosts: ['127.0.0.1:9']`);
    const following = scenario(async ({ service, expect }) =>
      expect(await service.get('http://127.0.0.1:9/x')).toAnswer(200),
    );
    assert(await judge(session, following)).toMatchObject({ verdict: 'blocked', standsOn: [assert.anything()] });
  });
});

describe('lost connections', () => {
  /** Closes the kept connection without a word when the n-th request of a method arrives on it. */
  function closing(method: string, times: number): Handle {
    const store = objectStore();
    const served = new WeakMap<object, number>();
    let left = times;
    return (request, response, message) => {
      const count = served.get(message.socket) ?? 0;
      served.set(message.socket, count + 1);
      if (request.method === method && count > 0 && left > 0) {
        left -= 1;
        message.socket.destroy();
        return undefined;
      }
      return store(request, response, message);
    };
  }
  const editing = scenario(async ({ given, expect }) => {
    const thing = await given.object();
    expect((await given.edited(thing)).version, 'version').toEqual(2);
  });

  test('a GET is sent once more', async () => {
    const session = await sessionOn(closing('GET', 1));
    const outcome = await judge(session, editing);
    assert(outcome).toMatchObject({ verdict: 'pass', retries: [assert.stringContaining('sent again on a fresh one')] });
  });

  test('a write makes the whole case run once more, each request on a connection of its own', async () => {
    const session = await sessionOn(closing('PATCH', 1));
    const outcome = await judge(session, editing);
    assert(outcome).toMatchObject({ verdict: 'pass', retries: [assert.stringContaining('the case ran once more')] });
    assert(session.lostConnections).toBe(1);
  });

  test('also where the first attempt ended as the machine had stalled', async () => {
    const session = await sessionOn(closing('PATCH', 1));
    let attempts = 0;
    const stalled = scenario(async ({ given, expect }) => {
      const thing = await given.object();
      attempts += 1;
      if (attempts === 1) throw new MachineStalled(500, 'nothing proved');
      expect((await given.edited(thing)).version, 'version').toEqual(2);
    });
    assert(await judge(session, stalled)).toMatchObject({ verdict: 'pass' });
    assert([attempts, session.lostConnections]).toEqual([3, 1]);
  });

  test('a service that a restart takes away for a second is waited for, be it a gateway that says so or nobody', async () => {
    const store = objectStore();
    let awayUntil = Infinity;
    const session = await sessionOn((request, response, message) => {
      if (request.method === 'PATCH') awayUntil = Math.min(awayUntil, performance.now() + 900);
      const isAway = performance.now() < awayUntil && awayUntil < Infinity;
      return isAway ? void response.writeHead(502).end('<html>Bad Gateway</html>') : store(request, response, message);
    });
    assert(await judge(session, editing)).toMatchObject({
      verdict: 'pass',
      retries: [assert.stringMatching(/a gateway answered 502 .*: the case ran once more/)],
    });
    const { url, [Symbol.asyncDispose]: end } = await smallService(objectStore());
    const direct = sessionFor(smallProfile(url));
    await end();
    const judged = judge(direct, editing);
    const server = createServer();
    setTimeout(() => server.listen(Number(new URL(url).port), '127.0.0.1'), 900);
    server.on('request', (_request, response) => void response.writeHead(404).end());
    assert((await judged).reason).toContain('404');
    server.close();
  });

  test('a second loss blocks, never a fail', async () => {
    const session = await sessionOn((_request, _response, message) => void message.socket.destroy());
    assert(await judge(session, editing)).toMatchObject({
      verdict: 'blocked',
      reason: assert.stringContaining('connection was lost'),
    });
  });
});

describe('properties', () => {
  test('a counterexample is shrunk and shown with the requests of its own run', async () => {
    const session = await sessionOn(objectStore());
    const small = property(integer({ min: 0, max: 1000 }), async ({ service, expect }, value) => {
      await service.get(`/${value}`);
      expect(value, 'value').toSatisfy('below 37', (number) => number < 37);
    });
    const outcome = await judge(session, small);
    assert(outcome).toMatchObject({
      verdict: 'fail',
      violation: { counterexample: assert.stringMatching(/^37 /), curl: [assert.stringContaining('/37')] },
    });
    assert(await judge(session, small)).toMatchObject({
      violation: { counterexample: outcome.violation?.counterexample },
    });
  });

  test('what fails is told as it was found where nobody asks for the smallest', async () => {
    const session = await sessionOn(objectStore());
    const values: number[] = [];
    const failing = property(integer({ min: 0, max: 1000 }), async ({ expect }, value) => {
      values.push(value);
      expect(value, 'value').toSatisfy('below 0', (number) => number < 0);
    });
    const outcome = await runCase(must, failing, { session, seed: 7, runs: 20, asFound: true, deadlineMs: 5000 });
    assert(outcome.verdict).toBe('fail');
    assert(values).toHaveLength(1);
    assert(outcome.violation?.counterexample).toMatch(new RegExp(`^${values[0]} `));
  });

  test('what a rule names itself fails as it is', async () => {
    const session = await sessionOn(objectStore());
    const named = property(
      tuple(anyText, anyText),
      async ({ expect }, [text]) => expect(text.length, 'length').toSatisfy('short', (length) => length < 10_000),
      { always: longTexts.map((text): [string, string] => [text, 'beside it']) },
    );
    assert(await judge(session, named)).toMatchObject({
      verdict: 'fail',
      violation: { actual: String(longTexts[1]?.length), counterexample: assert.stringMatching(/^\["x€€/) },
    });
  });

  test('a precondition is not shrunk', async () => {
    const session = await sessionOn(objectStore());
    let runs = 0;
    // what is smaller is not even looked for: with long texts that alone takes a minute
    const texts = string();
    const shrink = vi.spyOn(texts, 'shrink');
    const stumbling = property(
      texts,
      async ({ given }) => {
        runs += 1;
        given.assume(false, 'something');
      },
      { always: ['a', 'b'] },
    );
    assert((await judge(session, stumbling)).verdict).toBe('blocked');
    assert(runs).toBe(1);
    assert(shrink).not.toHaveBeenCalled();
  });

  test('a model shows the shortest history that leaves it', async () => {
    const session = await sessionOn(objectStore());
    type Real = { readonly context: CaseContext; thing: Thing };
    class Edit implements AsyncCommand<{ version: number }, Real> {
      check = (): boolean => true;
      async run(model: { version: number }, real: Real): Promise<void> {
        model.version = Math.min(3, model.version + 1);
        real.thing = await real.context.given.edited(real.thing);
        real.context.expect(real.thing.version, 'version').toEqual(model.version);
      }
      toString = (): string => 'edit';
    }
    const begin = async (context: CaseContext) => ({
      model: { version: 1 },
      real: { context, thing: await context.given.object() },
    });
    const outcome = await judge(session, model(fc.constant([fc.constant(new Edit())]), { begin }));
    assert(outcome.violation).toMatchObject({
      actual: '4',
      expected: 'version to be 3',
      counterexample: assert.stringMatching(/^edit,edit,edit /),
    });
    assert(outcome.violation?.curl.filter((line) => line.includes('PATCH'))).toHaveLength(3);
  });

  test('a race runs its rounds', async () => {
    const session = await sessionOn(objectStore());
    const racing = race(
      async ({ service, expect }) => {
        const replies = await Promise.all([1, 2, 3].map((number) => service.get(`/${number}`)));
        for (const reply of replies) expect(reply).toAnswer(404);
      },
      { rounds: 2 },
    );
    assert(await judge(session, racing)).toMatchObject({ verdict: 'pass', exchanges: 6, assertions: 6 });
  });
});

test('no secret is in any outcome, however the target echoes it', async () => {
  const secret = string({ minLength: 6, maxLength: 30, unit: 'grapheme-ascii' }).filter(
    (text) => text.trim() === text && /[^\d.]/.test(text) && !text.includes('${'),
  );
  const echoes: readonly ((text: string) => string)[] = [
    (text) => text,
    JSON.stringify,
    encodeURIComponent,
    (text) => new URLSearchParams({ p: text }).toString(),
    (text) => Buffer.from(text).toString('base64'),
    (text) => `Basic ${Buffer.from(`someone:${text}`).toString('base64')}`,
  ];
  await fc.assert(
    fc.asyncProperty(secret, secret, async (password, token) => {
      const handle: Handle = ({ headers, body, url }, response) => {
        if (url === '/token')
          return sendJson(
            { access_token: `eyJabcdef.eyJabcdef.${Buffer.from(token).toString('base64url')}` },
            response,
          );
        const texts = [...headers.map(([, value]) => value), body.toString(), password, token];
        return void response
          .writeHead(200, { 'X-Echo': encodeURIComponent(password) })
          .end(texts.flatMap((text) => echoes.map((echo) => echo(text))).join('\n'));
      };
      const auth = `auth: { tokenUrl: /token, clientId: id, clientSecret: ${JSON.stringify(`${token}-client`)} }`;
      const session = await sessionOn(
        handle,
        auth,
        `{ username: someone, password: ${JSON.stringify(password)}, pat: ${JSON.stringify(token)} }`,
      );
      const telling = scenario(async ({ service, expect, notes }) => {
        const reply = await service.send({
          method: 'POST',
          url: '/x',
          as: 'editor',
          body: { password, token },
          headers: { 'X-Secret': encodeURIComponent(token) },
        });
        notes.observe('password', password);
        notes.remark(`it says ${reply.text}`);
        expect(reply.text, `answer to ${token}`, reply).toEqual('nothing');
      });
      const outcome = await judge(session, telling);
      assert(outcome.verdict).toBe('fail');
      const leaving = textsIn({ ...outcome, rule: '', verdict: '' }).join('\n');
      for (const hidden of [
        password,
        token,
        Buffer.from(password).toString('base64'),
        Buffer.from(token).toString('base64'),
      ]) {
        assert(leaving).not.toContain(hidden);
      }
    }),
    { numRuns: 40 },
  );
});

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
