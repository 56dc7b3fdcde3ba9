import { catalogue } from '../../suites/catalogue.ts';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { json as readJson } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import type { Profile } from '../../contract/profile.ts';
import type { RuleId } from '../../contract/rule.ts';
import type { Outcome } from '../outcome.ts';
import { runCase } from '../case/run-case.ts';
import type { Session } from '../run/session.ts';
import { signatureOver } from '../service/signature.ts';
import { listen } from '../../fixtures/listening.fixture.ts';
import { sessionFor, profileOfHost } from '../run/session.fixture.ts';
import { sentenceAboutHost } from '../run/preflight/sentences.ts';

const apiKey = 'AAECAw==';

/** A session with a host that answers as it is told. */
async function sessionWith(
  answer: RequestListener,
  requestTimeoutSeconds = 600,
  samples: NonNullable<Profile['extensionHost']>['samples'] = {},
): Promise<Session> {
  const host = await listen(createServer(answer));
  // nobody waits for it: a host may be busy with a body that has no end
  onTestFinished(() => void host[Symbol.asyncDispose]());
  return sessionFor(profileOfHost({ hostUri: host.url, apiKey, samples }, { requestTimeoutSeconds }));
}

/** A verdict that a stalled machine explains says nothing of the host: it is asked for again. */
async function judged(rule: RuleId, session: Session): Promise<Outcome> {
  const { test } = catalogue.get(rule);
  const outcome = await runCase(catalogue.get(rule), test, { session, seed: 1, runs: 1, deadlineMs: 600_000 });
  return outcome.reason?.startsWith('machine stalled') === true ? judged(rule, session) : outcome;
}

function json(response: ServerResponse, body: unknown): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(body));
}

const event = { id: 'e', version: '1.0.0', name: 'E', endpoint: 'e', extensionType: 'ExternalEvent', category: 'c' };

test('a metadata exchange whose connections are lost is not the last word about a host', async () => {
  let asked = 0;
  const session = await sessionWith((request, response) => {
    asked += 1;
    if (asked <= 3) request.socket.destroy();
    else json(response, request.method === 'GET' ? [event] : {});
  });
  const outcomes = [await session.host?.discovery(), await session.host?.discovery(), await session.host?.discovery()];
  expect(outcomes.map((found) => found?.records.length)).toEqual([0, 1, 1]);
  expect(asked).toBe(4);
});

test('a host that never answers is told before the run, and breaks a case in time', async () => {
  const session = await sessionWith(() => undefined, 0.5);
  expect(await sentenceAboutHost(session)).toMatch(/did not answer the metadata exchange .*0\.5 s.*--url/);
  expect(await judged('metadata.host.array-response', session)).toMatchObject({ verdict: 'blocked' });
  expect(await judged('calls.host.event-acknowledged', session)).toMatchObject({
    verdict: 'blocked',
    reason: expect.stringMatching(/metadata .* could not be read/),
  });
});

test('a body without an end is cut off', async () => {
  const session = await sessionWith((_request, response) => {
    const chunk = Buffer.alloc(1024 * 1024, ' ');
    const more = (): void => void (response.destroyed || response.write(chunk, () => setImmediate(more)));
    more();
  }, 0.5);
  expect(await sentenceAboutHost(session)).toMatch(/did not answer the metadata exchange/);
});

test('metadata of many records are judged', async () => {
  const records = Array.from({ length: 20_000 }, (_, index) => ({ ...event, id: `e${index}` }));
  const session = await sessionWith((_request, response) => json(response, [...records, { ...event, id: 'e1' }]));
  expect(await judged('metadata.host.required-fields', session)).toMatchObject({ verdict: 'pass' });
  expect(await judged('metadata.host.ids-unique', session)).toMatchObject({
    verdict: 'warn',
    violation: { actual: expect.stringContaining('["e1"]') },
  });
});

test.each([[null], ['text'], [[[]]], [[null]], [{ length: 3 }], [[{ id: { toString: 1 } }]]])(
  'metadata of another shape (%j) are a breach, not a stumble',
  async (metadata) => {
    const session = await sessionWith((_request, response) => json(response, metadata));
    const rules = ['metadata.host.array-response', 'metadata.host.required-fields'] as const;
    const outcomes = await Promise.all(rules.map((rule) => judged(rule, session)));
    expect(outcomes.map(({ verdict }) => verdict)).toContain('fail');
    for (const { reason } of outcomes) expect(reason ?? '').not.toMatch(/stumbled/);
  },
);

test('a host that takes every call and answers none of them breaks its promise', async () => {
  const session = await sessionWith((request, response) => {
    if (request.method === 'GET') json(response, [{ ...event, requestTimeout: 1 }]);
  }, 3);
  expect(await judged('calls.host.answers-within-timeout', session)).toMatchObject({
    verdict: 'fail',
    violation: { expected: expect.stringMatching(/within its 1 s/) },
  });
  expect(await judged('calls.host.event-acknowledged', session)).toMatchObject({
    verdict: 'blocked',
    reason: expect.stringMatching(/no complete answer/),
  });
});

test('a record at an address where nobody answers stands on the rule about its endpoint, and the suite does not stumble', async () => {
  const nowhere = { ...event, endpoint: 'http://127.0.0.1:9/e' };
  const session = await sessionWith((request, response) => json(response, request.method === 'GET' ? [nowhere] : {}));
  expect(await judged('metadata.host.endpoint-relative', session)).toMatchObject({ verdict: 'fail' });
  expect(await judged('calls.host.event-acknowledged', session)).toMatchObject({
    verdict: 'blocked',
    reason: 'the case needs an answer from http://127.0.0.1:9, where the metadata place a record',
    standsOn: ['metadata.host.endpoint-relative'],
  });
});

test('a page instead of metadata is told before the run', async () => {
  const session = await sessionWith((_request, response) => response.end('<!doctype html><title>Welcome</title>'));
  expect(await sentenceAboutHost(session)).toMatch(/200 and a page instead of JSON.*correct the address/);
});

test.each([
  [401, /correct the key/],
  [404, /correct the address/],
  [503, /see the log of the extension host/],
  [302, /the address that the host itself serves/],
])('a metadata exchange answered with %i says what to change', async (status, sentence) => {
  const session = await sessionWith((_request, response) => {
    response.statusCode = status;
    response.end();
  });
  expect(await sentenceAboutHost(session)).toMatch(sentence);
});

test.each([
  [true, 'pass'],
  [false, 'fail'],
])(
  'a host that takes calls where its metadata are is judged by its signatures (looked at: %s)',
  async (looks, verdict) => {
    const path = '/svc/extension';
    const session = await sessionWith((request, response) => {
      response.statusCode =
        looks && request.headers.authorization !== `Bearer ${signatureOver(apiKey, path)}` ? 401 : 200;
      json(response, response.statusCode === 401 ? {} : [{ ...event, endpoint: path }]);
    });
    expect(await judged('signing.extension-host.wrong-path-refused', session)).toMatchObject({ verdict });
  },
);

test('a signature is not right because it begins like the right one', async () => {
  const session = await sessionWith(({ url = '', headers: { authorization = '' } }, response) => {
    const isRight = authorization.startsWith(`Bearer ${signatureOver(apiKey, url)}`);
    response.statusCode = isRight ? 200 : 401;
    json(response, isRight ? [event] : {});
  });
  expect(await judged('signing.extension-host.wrong-key-refused', session)).toMatchObject({
    verdict: 'fail',
    violation: { expected: expect.stringContaining('more behind it') },
  });
});

interface TaskCall {
  readonly accessToken: string;
  readonly payload: { readonly links: readonly { readonly id: string; readonly url: string }[] };
}

/** Does what a call sets off, which may be over before it ends. */
async function workOn(request: IncomingMessage, work: (body: unknown) => Promise<unknown>): Promise<void> {
  try {
    await work(await readJson(request));
  } catch {
    // so it is
  }
}

/** Asks for a key because of an event. */
async function askForKey(call: unknown, permissions: object): Promise<string> {
  const { baseAddress } = call as { baseAddress: string };
  const url = `${baseAddress}/api/collection/externalExtension/acquireAccessToken/e`;
  await fetch(url, { method: 'POST', body: JSON.stringify(permissions) });
  return baseAddress;
}

test.each([
  [-1, 'pass'],
  [0, 'warn'],
])(
  'a host that asks for a key again and again and signs with the one at %i gets %s',
  async (place, verdict) => {
    const permissions = { tokenCallback: '/keys', permissions: ['AdministrationAPI'] };
    const keys: string[] = [];
    const work = async (call: unknown): Promise<void> => {
      const known = keys.length;
      const baseAddress = await askForKey(call, permissions);
      // the last one is another service's until that of this one has come
      await expect.poll(() => keys.length).toBeGreaterThan(known);
      const path = '/admin/fileupload';
      const authorization = `Bearer ${signatureOver(keys.at(place) ?? '', path)}`;
      const body = JSON.stringify({ sourceDirectory: '/var/empty', writeLog: true });
      await fetch(baseAddress + path, { method: 'POST', headers: { authorization }, body });
    };
    const session = await sessionWith((request, response) => {
      if (request.method === 'GET') return json(response, [{ ...event, permissions }]);
      const isCallback = request.url === '/keys';
      void workOn(request, async (body) => {
        if (isCallback) keys.push((body as { AdministrationAPI: { apiKey: string } }).AdministrationAPI.apiKey);
        json(response, {});
        if (!isCallback) await work(body);
      });
    });
    expect(await judged('api-keys.host.rotation-handled', session)).toMatchObject({ verdict });
  },
  60_000,
);

test.each([
  [201, 'pass'],
  [404, 'fail'],
])('an action that succeeds with statusCode %i gets %s', async (statusCode, verdict) => {
  const session = await sessionWith(
    (request, response) => {
      const result = { statusCode, location: '/made', svcUOIVersion: 1 };
      json(response, request.method === 'GET' ? [{ ...event, extensionType: 'ExternalAction' }] : result);
    },
    600,
    { action: { success: { payload: { httpVerb: 'POST', contentPayload: {} } } } },
  );
  expect(await judged('calls.host.action-success-body', session)).toMatchObject({ verdict });
});

test.each([
  ['PUT', 'pass'],
  ['POST', 'fail'],
])('progress that is reported by %s gets %s', async (method, verdict) => {
  const work = async (call: unknown): Promise<void> => {
    const { accessToken, payload } = call as TaskCall;
    const urls = new Map(payload.links.map(({ id, url }) => [id, url]));
    const headers = { authorization: `Bearer ${accessToken}` };
    const report = { method, headers, body: '{"message":"half"}' };
    await fetch(urls.get('taskProgress') ?? '', report);
    await fetch((urls.get('taskStatus') ?? '').replace('{status}', 'Completed'), { method: 'PUT', headers });
  };
  const session = await sessionWith(
    (request, response) => {
      json(response, request.method === 'GET' ? [{ ...event, extensionType: 'ExternalTask' }] : {});
      if (request.method === 'POST') void workOn(request, work);
    },
    600,
    { task: { success: { inputName: 'in.txt' } } },
  );
  expect(await judged('tasks.host.progress', session)).toMatchObject({ verdict });
});

test('a callback that loses its connection is told as such', async () => {
  const permissions = { tokenCallback: '/keys', permissions: ['SnapshotAPI'] };
  const session = await sessionWith((request, response) => {
    if (request.url === '/keys') return void request.socket.destroy();
    if (request.method === 'GET') return json(response, [{ ...event, permissions }]);
    json(response, {});
    void workOn(request, (call) => askForKey(call, permissions));
  });
  const { verdict, reason } = await judged('api-keys.host.callback-accepted', session);
  expect(verdict).toBe('blocked');
  expect(reason).toMatch(/connection was lost during POST \/keys/);
});
