import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { listen } from '../../fixtures/listening.fixture.ts';
import type { Profile } from '../../contract/profile.ts';
import type { Send } from './drive.ts';
import { openTrafficExtension } from './extension.ts';
import type { HttpStep, Result } from './step.ts';

const profile: Profile = {
  profileVersion: 1,
  implementation: 'made up',
  baseUrl: 'http://localhost',
  space: 'main',
  identities: { editor: { token: 'ready' }, administrator: { token: 'ready' } },
  listener: { bind: '127.0.0.1:0', publicUrl: 'http://127.0.0.1:{port}' },
  triggers: {
    event: {
      method: 'POST',
      path: '/events/{{registrationId}}',
      headers: { 'X-Record': '{{recordId}}' },
      body: { content: '{{payload}}', space: '{{spaceId}}', correlation: '{{correlationId}}' },
    },
  },
  routes: { registrationDelete: { method: 'DELETE', path: '/api/admin/{{kind}}/{{registrationId}}' } },
};

/** @param answer what the registration is answered with */
async function opened(answer: Partial<Result>, given: Profile = profile) {
  const sent: HttpStep[] = [];
  const send: Send = async (step) => {
    sent.push(step);
    if (step.op === 'register') await fetch(`${JSON.parse(String(step.body)).hostUri}/svc/extension`);
    return { result: { status: 201, headers: {}, body: '', ...answer }, sentAt: 0, endedAt: 0 };
  };
  const extension = await openTrafficExtension(given, send);
  await extension?.[Symbol.asyncDispose]();
  return { trigger: extension?.ground.trigger, sent };
}

describe('the id of the registration is found', () => {
  const nested = { ...profile, routes: { ...profile.routes, registrationIdPath: '/result/key' } };
  const located = { ...profile, routes: { ...profile.routes, registrationIdPath: 'Location' } };
  test.each<[string, Partial<Result>, Profile]>([
    ['in Location', { headers: { location: '/api/admin/svcExtension/17' }, body: '{"id":1}' }, profile],
    ['in the body, as a number', { body: '{"id":17}' }, profile],
    ['in the body, as a text', { body: '{"id":"17"}' }, profile],
    [
      'where the profile says, whatever else there is',
      { headers: { location: '/elsewhere/1' }, body: '{"result":{"key":17}}' },
      nested,
    ],
    ['at the end of an address there', { body: '{"result":{"key":"/api/admin/svcExtension/17"}}' }, nested],
    ['in Location where the profile says so', { headers: { location: '/svcExtension/17' }, body: '{"id":1}' }, located],
  ])('%s', async (_where, answer, given) => {
    const { trigger, sent } = await opened(answer, given);
    expect(trigger?.path).toBe('/events/17');
    expect(sent.at(-1)).toMatchObject({ method: 'DELETE', path: '/api/admin/svcExtension/17' });
  });

  test.each<[string, Partial<Result>]>([
    ['nowhere', {}],
    ['in a refusal', { status: 403, body: '{"id":17}' }],
  ])('%s: the load does not begin', async (_where, answer) => {
    await expect(opened(answer)).rejects.toThrow('expected 2xx and an id, found');
  });
});

test('a trigger is filled in but for the payload, and what has no value is left out', async () => {
  const { trigger } = await opened({ body: '{"id":17}' });
  expect(trigger?.headers).toEqual({ 'X-Record': 'traffic-event' });
  expect(JSON.parse(JSON.stringify(trigger?.body))).toEqual({ content: '{{payload}}', space: 'main' });
});

test('the address to listen on may have brackets, and is named where it cannot be listened on', async () => {
  const bound = (bind: string): Profile => ({ ...profile, listener: { bind, publicUrl: 'http://127.0.0.1:{port}' } });
  const { trigger } = await opened({ body: '{"id":17}' }, bound('[127.0.0.1]:0'));
  expect(trigger?.path).toBe('/events/17');
  await using taken = await listen(createServer());
  const bind = new URL(taken.url).host;
  await expect(opened({}, bound(bind))).rejects.toThrow(`cannot listen on ${bind} (listen EADDRINUSE`);
});

test.each<[string, Partial<Profile>]>([
  ['a listener', { listener: undefined }],
  ['a trigger', { triggers: undefined }],
  ['an administrator', { identities: { editor: {} } }],
] as [string, Partial<Profile>][])('without %s nothing is registered', async (_what, change) => {
  const { sent, trigger } = await opened({}, { ...profile, ...change });
  expect({ sent, trigger }).toEqual({ sent: [], trigger: undefined });
});

describe('what stays of it is said', () => {
  const id = { headers: { location: '/api/admin/svcExtension/17' } };
  const left = async (given: Profile, status: number): Promise<readonly string[] | undefined> => {
    const send: Send = async (step) => {
      if (step.op === 'register') await fetch(`${JSON.parse(String(step.body)).hostUri}/svc/extension`);
      const answer = step.op === 'register' ? { status: 201, ...id } : { status, headers: {} };
      return { result: { body: '', ...answer }, sentAt: 0, endedAt: 0 };
    };
    return (await openTrafficExtension(given, send))?.leave();
  };
  const address = 'http://localhost/api/admin/svcExtension/17 stays:';

  test.each([204, 404])('nothing, where its deletion is answered by %d', async (status) =>
    expect(await left(profile, status)).toEqual([]),
  );

  test('where its deletion is refused', async () =>
    expect(await left(profile, 403)).toEqual([expect.stringContaining(`${address} its deletion was answered by 403`)]));

  test('where the profile has no route', async () =>
    expect(await left({ ...profile, routes: {} }, 204)).toEqual([
      expect.stringContaining(`${address} the profile has no routes.registrationDelete`),
    ]));
});

test.each([true, false])('a service that does not come for the metadata is told of: %s', async (comes) => {
  const send: Send = async (step) => {
    if (step.op === 'register' && comes) await fetch(`${JSON.parse(String(step.body)).hostUri}/svc/extension`);
    return { result: { status: 201, headers: {}, body: '{"id":17}' }, sentAt: 0, endedAt: 0 };
  };
  await using extension = await openTrafficExtension(profile, send);
  expect(extension?.problemsOfCalls()).toEqual(
    comes ? [] : [expect.stringMatching(/never called .* at http:\/\/127\.0\.0\.1:\d+, .* listener\.publicUrl/)],
  );
});
