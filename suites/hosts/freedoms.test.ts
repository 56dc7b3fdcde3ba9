import { json } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { judgeHost } from '../../bench/swarm/hosts.ts';
import { findingsOf, saidOf } from '../../bench/swarm/judge.ts';
import { headerNames, mediaTypes } from '../../contract/names.ts';
import type { ExtensionHostProfile } from '../../contract/profile/extension-host.ts';
import type { RuleId } from '../../contract/rule.ts';
import { jsonOf, valueAt } from '../../judge/json.ts';
import { joinUrl } from '../../simulator/extension/call.ts';
import { breaks } from '../../variants/extension-host/choice.ts';
import { hostChoices } from '../../variants/extension-host/choices.ts';
import { catalogue } from '../catalogue.ts';

function rulesOf(prefix: string): readonly RuleId[] {
  return catalogue.all.map(({ id }) => id).filter((id) => id.startsWith(prefix));
}

test.each([
  ['answers are compressed, also where nobody said what he takes', 'metadata.host.'],
  ['wrong signatures end the connection', 'signing.extension-host.'],
  ['hostUri has a path, which is not signed; wrong signatures end the connection', 'metadata.host.array'],
  ['an event edits what it read', 'calls.host.uses-core-headers'],
  ['an event posts a batch about what it read', 'calls.host.uses-core-headers'],
  ['an envelope, a token or a payload that is not as the documents tell is refused', 'calls.host.event-acknowledged'],
  ['a task of another language is refused', 'tasks.host.final-status'],
  ['tasks have no result, as no profile says', 'tasks.host.status-body'],
  ['answers take up to a quarter of a second; validations and actions take their time', 'calls.host.answers-within'],
  [
    'the work begins when somebody looks for it, every few seconds; all work is done one after the other',
    'tasks.host.',
  ],
])('a right host is judged, and not blamed, where %s', async (names, prefix) => {
  const { outcomes } = await judgeHost(hostChoices(names.split('; ')), { rules: rulesOf(prefix), seed: 1 });
  expect(outcomes.length).toBeGreaterThan(0);
  expect(findingsOf(outcomes, []).map(saidOf)).toEqual([]);
});

test('a right host is not blamed where the end of one task comes later than that of the next', async () => {
  const by = breaks('reports', 'reportEnd', (right) => async (task, ...rest) => {
    if (task.links.some(({ url }) => url.includes('/gateway-'))) await setTimeout(24_000);
    return right(task, ...rest);
  });
  const rules = rulesOf('tasks.host.follows-links');
  const { outcomes } = await judgeHost([{ meets: 'a slow end', by }], { rules, seed: 1 });
  expect(findingsOf(outcomes, []).map(saidOf)).toEqual([]);
}, 90_000);

test('a right host is not blamed where it comes to an event with little time after a later one', async () => {
  const by = breaks('background', 'start', (right) => (call, work) => {
    const claims = jsonOf(Buffer.from(call.accessToken.split('.')[1] ?? '', 'base64url').toString());
    const isBrief = Number(valueAt(claims, '/exp')) - Number(valueAt(claims, '/iat')) < 900;
    return right(call, isBrief ? async (...parts) => setTimeout(2500).then(() => work(...parts)) : work);
  });
  const rules = rulesOf('calls.host.event-acknowledged');
  const { outcomes } = await judgeHost([{ meets: 'another order', by }], { rules, seed: 1 });
  expect(findingsOf(outcomes, []).map(saidOf)).toEqual([]);
}, 60_000);

test('a host is judged that comes so late to its first task that the time of that is over', async () => {
  let begun = 0;
  const by = breaks('reports', 'reportEnd', (right) => async (task, status, ...rest) => {
    begun += 1;
    return right(task, begun === 1 ? 'Failed' : status, ...rest);
  });
  const rules = rulesOf('tasks.host.final-status');
  const { outcomes } = await judgeHost([{ meets: 'one worker', by }], { rules, seed: 1 });
  expect(findingsOf(outcomes, []).map(saidOf)).toEqual([]);
}, 60_000);

test('a right host is not blamed where a batch comes again that is refused for more than its version', async () => {
  const by = breaks('calls', 'workOnEvent', (_right, calls) => async (call, signal) => {
    const { client } = calls.surroundings;
    const space = `/api/space/${String(call.payload['spaceId'])}`;
    const headers = { Authorization: `Bearer ${calls.tokenOf(call)}`, ...calls.filterHeader(call) };
    const href = `${space}/softtype/Document/documentInput/00000001`;
    const toBatch = { method: 'POST', url: joinUrl(call.baseAddress, `${space}/batch`) };
    for (let left = 3; left > 0; left -= 1) {
      const url = joinUrl(call.baseAddress, `${space}/softtype/00000001`);
      const read = await client.request({ method: 'GET', url, headers }, signal);
      const { version } = (await json(read.body)) as { version: number };
      const edit = { method: 'PATCH', href, headers: { [headerNames.version]: String(version) }, body: {} };
      const body = JSON.stringify([edit, { method: 'DELETE', href: `${space}/softtype/Note/gone-1` }]);
      await client.send({ ...toBatch, headers: { ...headers, 'Content-Type': mediaTypes.json }, body }, signal);
    }
  });
  const binding = (own: ExtensionHostProfile): ExtensionHostProfile => ({ ...own, objects: { '00000001': {} } });
  const rules = rulesOf('calls.host.uses-core-headers');
  const { outcomes } = await judgeHost([{ meets: 'batches', by, binding }], { rules, seed: 1 });
  expect(findingsOf(outcomes, []).map(saidOf)).toEqual([]);
});

test('a right host is not blamed where now and then its metadata are answered with a status that a service asks again for', async () => {
  let asked = 0;
  const by = breaks('metadata', 'answer', (right) => () => {
    asked += 1;
    // no more than a case may meet
    return asked === 3 || asked === 6 ? { status: 503 } : right();
  });
  const rules = ['metadata.host.', 'signing.extension-host.right'].flatMap(rulesOf);
  const { outcomes } = await judgeHost([{ meets: 'a metadata request answered 503', by }], { rules, seed: 1 });
  const found = findingsOf(outcomes, []);
  expect(found.filter(({ verdict }) => verdict !== 'pass').map(saidOf)).toEqual([]);
  expect([...new Set(found.flatMap(({ remarks }) => remarks))]).toEqual([
    'a rightly signed metadata request was answered 503 and sent again',
  ]);
});

test('a right host is not blamed where it does what an action asks for with the filter of its payload', async () => {
  const by = breaks('calls', 'answerAction', (right, calls) => async (call) => {
    const url = joinUrl(call.baseAddress, `/api/space/${String(call.payload['spaceId'])}/softtype/00000001`);
    const filter = { [headerNames.informationFilter]: String(call.payload['informationFilter']) };
    const headers = { Authorization: `Bearer ${calls.tokenOf(call)}`, ...filter };
    const read = await calls.surroundings.client.request({ method: 'GET', url, headers }, AbortSignal.timeout(5000));
    read.body.resume();
    return right(call);
  });
  const rules = ['calls.host.uses-envelope-token', 'calls.host.uses-core-headers'].flatMap(rulesOf);
  // a sample may have a filter of its own
  const binding = ({ samples, ...own }: ExtensionHostProfile): ExtensionHostProfile => ({
    ...own,
    samples: Object.fromEntries(Object.entries(samples ?? {}).filter(([name]) => name !== 'action')),
  });
  const { outcomes } = await judgeHost([{ meets: 'the filter of the payload', by, binding }], { rules, seed: 1 });
  expect(findingsOf(outcomes, []).map(saidOf)).toEqual([]);
});

test('a right host is not said to refuse calls where an action fails as what it forwards is refused', async () => {
  const by = breaks('calls', 'answerAction', (right, calls) => async (call) => {
    const { requestedRoute, svcUOIVersion, contentPayload } = call.payload;
    if (typeof svcUOIVersion !== 'number') return right(call);
    const headers = {
      Authorization: `Bearer ${calls.tokenOf(call)}`,
      'Content-Type': mediaTypes.json,
      [headerNames.version]: String(svcUOIVersion),
      ...calls.filterHeader(call),
    };
    const url = joinUrl(call.baseAddress, String(requestedRoute));
    const body = JSON.stringify(contentPayload);
    const edited = await calls.surroundings.client.request(
      { method: 'PATCH', url, headers, body },
      AbortSignal.timeout(5000),
    );
    edited.body.resume();
    return edited.statusCode < 300 ? right(call) : { status: 500, json: { errors: [{ message: 'others edited it' }] } };
  });
  const withoutActions = ({ samples, ...own }: ExtensionHostProfile): ExtensionHostProfile => ({
    ...own,
    samples: Object.fromEntries(Object.entries(samples ?? {}).filter(([name]) => name !== 'action')),
    objects: { '00000001': {} },
  });
  const rules = ['calls.host.uses-envelope-token', 'tasks.host.right-throughout'].flatMap(rulesOf);
  const { outcomes } = await judgeHost([{ meets: 'forwarded', by, binding: withoutActions }], { rules, seed: 1 });
  expect(findingsOf(outcomes, []).flatMap(({ remarks }) => remarks)).toEqual([]);
});
