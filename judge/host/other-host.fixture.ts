import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { endWithTest } from '../../fixtures/end-with-test.fixture.ts';
import { listen, type Listening } from '../../fixtures/listening.fixture.ts';

const delayMs = 20;

interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

interface Envelope {
  readonly id: string;
  readonly accessToken: string;
  readonly payload: Record<string, unknown>;
}

const common = { version: '2.0.0-rc.1+build.5', name: 'Other', category: 'other' };
const records = [
  { ...common, id: 'urn:other:event', endpoint: 'hooks/events', extensionType: 'ExternalEvent', requestTimeout: 2.5 },
  {
    ...common,
    id: 'other-validation',
    endpoint: 'hooks/check',
    extensionType: 'ExternalValidation',
    capabilities: [{ capabilityType: 'Own', capabilities: [] }],
  },
  { ...common, id: 'other-task', endpoint: 'hooks/tasks', extensionType: 'ExternalTask' },
  {
    ...common,
    id: 'other-mail',
    endpoint: 'hooks/mail',
    extensionType: 'Email',
    description: null,
    requestTimeout: null,
    capabilities: null,
    permissions: null,
  },
  { ...common, id: 'other-action', endpoint: 'hooks/action', extensionType: 'ExternalAction' },
  {
    ...common,
    id: 'other-view',
    endpoint: 'view',
    extensionType: 'ExternalView',
    permissions: { tokenCallback: '/never/asked', permissions: ['LicenseCommunicationAPI'] },
  },
];

const answers: Readonly<Record<string, (envelope: Envelope) => Answer>> = {
  '/base/hooks/events': () => ({ status: 201 }),
  '/base/hooks/check': ({ payload }) => ({
    status: 200,
    body: { message: 'so be it', isValid: payload['objectId'] !== 'bad', extra: 1 },
  }),
  '/base/hooks/mail': () => ({ status: 201, body: { queued: true } }),
  '/base/hooks/action': ({ payload }) => acted(payload),
  '/base/hooks/tasks': (envelope) => {
    void work(envelope).catch(() => undefined);
    return { status: 201, body: 'accepted' };
  },
};

/** Nothing but what has to be in a record. */
export const plainRecord = { ...common, id: 'plain', endpoint: 'hooks/events', extensionType: 'ExternalEvent' };

/**
 * Starts an extension host written for the tests, which decides whatever the documents leave open otherwise than the bundled one; below a
 * path of its own, until its test ends. @param metadata what it announces instead
 */
export async function startOtherHost(apiKey: string, metadata: readonly object[] = records): Promise<Listening> {
  const server = createServer((request, response) => void answer({ apiKey, metadata }, request, response));
  const { url, ...listening } = await listen(server);
  endWithTest(() => listening[Symbol.asyncDispose]());
  return { ...listening, url: `${url}/base/` };
}

interface Served {
  readonly apiKey: string;
  readonly metadata: readonly object[];
}

async function answer({ apiKey, metadata }: Served, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  await sleep(delayMs);
  const { status, body } = admitted(apiKey, request)
    ? reactionTo(request, text, metadata)
    : { status: 403, body: 'no' };
  response.setHeader('content-type', 'Application/JSON; Charset="UTF-8"');
  response.statusCode = status;
  response.setHeader('connection', 'close');
  // without a length, so that it goes in chunks
  if (body !== undefined) response.write(JSON.stringify(body).slice(0, 1));
  response.end(body === undefined ? undefined : JSON.stringify(body).slice(1));
}

function admitted(apiKey: string, { url = '', headers }: IncomingMessage): boolean {
  const path = url.replace(/\?.*/, '').replace(/^\/base/, '');
  const right = createHmac('sha512', Buffer.from(apiKey, 'base64')).update(path).digest('base64url');
  return headers.authorization === `Bearer ${right}`;
}

function reactionTo({ method, url = '' }: IncomingMessage, text: string, metadata: readonly object[]): Answer {
  const path = url.replace(/\?.*/, '');
  if (method === 'GET' && path === '/base/svc/extension') return { status: 200, body: metadata };
  const act = answers[path];
  if (method !== 'POST' || act === undefined) return { status: 404 };
  try {
    const envelope = JSON.parse(text) as Envelope;
    return isVouchedFor(path, url, envelope) ? act(envelope) : { status: 401, body: 'whose call is it?' };
  } catch {
    return { status: 500, body: { errors: [{ message: 'this is no envelope' }] } };
  }
}

/** It wants the token where the documents put it, in the query as well for some, and signed as they say. */
function isVouchedFor(path: string, url: string, { accessToken }: Envelope): boolean {
  const { alg } = JSON.parse(Buffer.from(accessToken.split('.')[0] ?? '', 'base64url').toString()) as { alg?: string };
  const isTold = /(?:check|mail|tasks)$/.test(path);
  return alg === 'HS512' && (!isTold || url.includes(`access_token=${accessToken}`));
}

function acted({ contentPayload, httpVerb }: Record<string, unknown>): Answer {
  const fails = JSON.stringify(contentPayload ?? {}).includes('fail');
  if (fails) return { status: 500, body: { errors: [{ message: 'it failed', code: 7 }], more: [] } };
  const made = { statusCode: httpVerb === 'POST' ? 201 : 204, location: '', svcUOIVersion: 0, note: 'own' };
  const one = httpVerb === undefined ? { ...made, location: null, svcUOIVersion: null } : made;
  return { status: 200, body: Array.isArray(contentPayload) ? contentPayload.map(() => one) : one };
}

/** Fetches the input with a bearer token, uploads in one chunk and reports its end with members that have no value. */
async function work({ accessToken, payload }: Envelope): Promise<void> {
  const links = new Map((payload['links'] as { id: string; url: string }[]).map(({ id, url }) => [id, url]));
  const headers = { authorization: `Bearer ${accessToken}` };
  const report = async (status: string): Promise<void> => {
    await fetch((links.get('taskStatus') ?? '').replace('{status}', status), {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ outputFilePath: null, logFilePath: '' }),
    });
  };
  const timeoutMs = Number(payload['timeout']) * 1000;
  try {
    const input = await fetch(links.get('inputFile') ?? '', { headers, signal: AbortSignal.timeout(timeoutMs / 20) });
    const text = await input.text();
    if (!input.ok) throw new Error('there is nothing to do');
    if (text.includes('fail')) return await report('Failed');
    const bytes = Buffer.from(text.toUpperCase());
    const form = new FormData();
    form.set('resumableRelativePath', `out/${String(payload['timeout'])}.txt`);
    form.set('resumableChunkNumber', '1');
    form.set('file', new Blob([bytes]), 'out.txt');
    await fetch(links.get('uploadFile') ?? '', {
      method: 'POST',
      headers: { ...headers, checksum: createHash('md5').update(bytes).digest('hex') },
      body: form,
      signal: AbortSignal.timeout(timeoutMs / 2),
    });
    await report('Completed');
  } catch {
    await report('Canceled');
  }
}
