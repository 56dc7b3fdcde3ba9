import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listen, type Listening } from '../fixtures/listening.fixture.ts';
import type { Profile } from '../contract/profile.ts';
import type { RuleId } from '../contract/rule.ts';
import { examineDeployment } from '../judge/probe/examine.ts';
import { runCase } from '../judge/case/run-case.ts';
import { closeSession, openSession } from '../judge/run/session.ts';
import { catalogue } from '../suites/catalogue.ts';
import { type Deployment, startReference } from '../api/deployment.ts';

let deployment: Deployment;
let gateway: Listening;

beforeAll(async () => {
  deployment = await startReference();
  gateway = await listen(createServer((request, response) => void pass(request, response)));
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await deployment[Symbol.asyncDispose]();
});

/** What was changed through the gateway, and how often. */
const versions = new Map<string, number>();

const ofTheConnection = /^(?:host|connection|keep-alive|content-length|transfer-encoding)$/;

const resource = /^\/api\/collection\/user\/profile$/;
const registration = /^\/api\/admin\/svcExtension\/[^/]+$/;

/** The reference server, with versions on what has none there, and other places for what a trigger says. */
async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', headers } = request;
  const { pathname, search, searchParams } = new URL(request.url ?? '/', gateway.url);
  const path = pathname.replace(/^\/api\/extensions\//, '/api/admin/svcExtension/');
  const isVersioned = resource.test(path) || registration.test(path);
  const version = versions.get(path) ?? 3;
  const sent = await buffer(request);
  const isWrite = method === 'PUT' || method === 'PATCH';
  if (isVersioned && isWrite && headers['svc-uoiversion'] !== String(version)) return refuse(response, 412);
  if (registration.test(pathname) && isWrite) return refuse(response, 405);
  if (searchParams.has('contextObjectId') && !searchParams.get('recordId')) return refuse(response, 400);
  if (isVersioned && isWrite) versions.set(path, version + 1);
  const answer = await fetch(`${deployment.loaded.profile.baseUrl}${path}${search}`, {
    method: registration.test(path) && method === 'PATCH' ? 'PUT' : method,
    headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' && !ofTheConnection.test(name) ? [[name, value]] : [],
    ),
    ...(sent.length > 0 && { body: path.endsWith('/dx') ? withTimeoutOutside(sent.toString()) : new Uint8Array(sent) }),
  });
  const kept = [...answer.headers].filter(([name]) => !ofTheConnection.test(name));
  response.writeHead(answer.status, [
    ...kept.flat(),
    ...(isVersioned && method === 'GET' ? ['Svc-UOIVersion', String(version)] : []),
  ]);
  response.end(Buffer.from(await answer.arrayBuffer()));
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}

function withTimeoutOutside(sent: string): string {
  const { taskSettings, ...task } = JSON.parse(sent) as { taskSettings: Record<string, unknown> };
  const { maxSeconds, ...settings } = taskSettings;
  return JSON.stringify({ ...task, taskSettings: settings, ...(maxSeconds !== undefined && { timeout: maxSeconds }) });
}

/** The bundled profile as it has to be written for the gateway. */
function bound({ routes, triggers, caching, auth, ...profile }: Profile): Profile {
  const version = { 'Svc-UOIVersion': '{{version}}' };
  const { signingKey: _signingKey, ...others } = auth ?? {};
  const { registrationUpdate: update, ...otherRoutes } = routes ?? {};
  const { task, validationInContext: inContext, ...otherTriggers } = triggers ?? {};
  return {
    ...profile,
    baseUrl: gateway.url,
    auth: others,
    tasks: { timeoutSetting: 'maxSeconds' },
    ...(caching?.change && { caching: { ...caching, change: { ...caching.change, headers: version } } }),
    routes: {
      ...otherRoutes,
      ...(update && {
        registrationUpdate: {
          ...update,
          byKind: { svcExtension: { method: 'PATCH', path: '/api/extensions/{{registrationId}}', headers: version } },
        },
      }),
    },
    triggers: {
      ...otherTriggers,
      ...(task && !Array.isArray(task) && { task: { ...task, body: { ...Object(task.body), timeout: undefined } } }),
      ...(inContext &&
        !Array.isArray(inContext) && {
          validationInContext: { ...inContext, path: `${inContext.path}&recordId={{recordId}}` },
        }),
    },
  };
}

test.each<RuleId>([
  'caching.changed.status-200',
  'metadata.fetch.on-update',
  'signing.extension-call.key-after-update',
  'tasks.payload.timeout-configured',
  'calls.validation.context-object',
  'auth.jwt.other-algorithm-refused',
])('%s is judged of a service that binds what it needs in another way', async (id) => {
  const { loaded } = deployment;
  const session = openSession({ ...loaded, profile: bound(loaded.profile) });
  const rule = catalogue.get(id);
  const outcome = await runCase(rule, rule.test, { session, seed: 1, runs: 1, deadlineMs: 60_000 });
  await closeSession(session);
  expect([outcome.verdict, outcome.reason, outcome.violation?.expected]).toEqual(['pass', undefined, undefined]);
});

test('what is tried of such a service is sent as the rules send it, and a trigger without a call is shown', async () => {
  const { loaded } = deployment;
  const profile = bound(loaded.profile);
  const { triggers } = profile;
  const nowhere = { method: 'POST', path: '/api/nowhere' };
  const { result } = await examineDeployment({
    ...loaded,
    profile: { ...profile, triggers: { ...triggers, actionForm: nowhere } },
  });
  const failed = result.examinations.filter(({ failure }) => failure !== undefined);
  expect(failed.map(({ what, exchange }) => [what, exchange?.request.url])).toEqual([
    ['triggers.actionForm, and the call that it leads to', `${gateway.url}/api/nowhere`],
  ]);
});
