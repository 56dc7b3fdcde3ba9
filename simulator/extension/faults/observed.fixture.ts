import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { startExtensionHost, type ExtensionHost } from '../host.ts';
import { linksAt, playedService, type Callback, type PlayedService, type Reaction } from '../service.fixture.ts';
import { signatureOf } from '../signature.ts';
import type { HostFaultId } from './faults.ts';

const apiKey = Buffer.alloc(64, 5).toString('base64');
const bearer = (path: string, key = apiKey) => ({ authorization: `Bearer ${signatureOf(key, path)}` });
/** Real time within which what a host does at once is there, also on a busy machine, in ms. */
const soonMs = 1500;
/** Some less than the fault takes that holds its answers. */
const heldMs = 700;

interface Stage {
  readonly host: ExtensionHost;
  readonly one: PlayedService;
  readonly two: PlayedService;
  /** Answers the GETs that were held. */
  release(): void;
  /** Lets GETs wait from now on. */
  hold(): void;
  post(kind: string, envelope: object, query?: string, headers?: Record<string, string>): Promise<Response>;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** Waits until it holds, or for as long as that takes at most. */
async function until(holds: () => boolean, mostMs = soonMs): Promise<void> {
  const deadline = performance.now() + mostMs;
  while (!holds() && performance.now() < deadline) await pause(10);
}
const readsAt = (...services: readonly PlayedService[]) => services.flatMap((service) => service.matching(/^GET \/x$/));
const envelope = (service: PlayedService, payload: object, accessToken = 'token') => ({
  id: randomBytes(8).toString('hex'),
  accessToken,
  baseAddress: service.url,
  payload,
});
const read = { contentPayload: { read: '/x' } };

/** What can be seen of a host, a look each, in an order in which none disturbs the next. */
const looks: Readonly<Record<string, (stage: Stage) => Promise<unknown>>> = {
  metadata: async ({ host }) => {
    const answer = await fetch(`${host.url}/svc/extension`, { headers: bearer('/svc/extension') });
    return [answer.status, answer.headers.get('content-type'), (await answer.text()).replaceAll(host.url, 'HOST')];
  },
  unsigned: async ({ host }) =>
    (await fetch(`${host.url}/email`, { method: 'POST', body: '{"id":"a","payload":{}}' })).status,
  'wrong key': async ({ post, one }) =>
    (await post('event', envelope(one, {}), '', bearer('/event', Buffer.alloc(64).toString('base64')))).status,
  'wrong path': async ({ post, one }) => (await post('event', envelope(one, {}), '', bearer('/svc/extension'))).status,
  'other query': async ({ post, one }) => (await post('validation', envelope(one, { objectId: 'a' }), '?tok=1')).status,
  'right key': async ({ post, one }) => (await post('email', envelope(one, {}), '?access_token=1')).status,
  validation: async ({ post, one }) =>
    Promise.all(
      ['a', 'invalid-a'].map(async (objectId) => (await post('validation', envelope(one, { objectId }))).json()),
    ),
  'action success': async ({ post, one }) => (await post('action', envelope(one, { objectId: 'a' }))).json(),
  'action failure': async ({ post, one }) => (await post('action', envelope(one, { objectId: 'failing-a' }))).json(),
  'action batch': async ({ post, one }) =>
    (await post('action', envelope(one, { contentPayload: [{}, {}, {}] }))).json(),
  mail: async ({ post, one }) => (await post('email', envelope(one, { body: '<p>a</p>' }))).status,
  event: async ({ post, one }) => (await post('event', envelope(one, {}))).status,
  'event within time': async ({ post, one }) => {
    const from = performance.now();
    await post('event', envelope(one, {}));
    return performance.now() - from < heldMs;
  },
  'event first': async ({ post, one, hold, release }) => {
    hold();
    const call = post('event', envelope(one, read)).then(() => true);
    const isFirst = await Promise.race([call, pause(soonMs).then(() => false)]);
    release();
    await call;
    return isFirst;
  },
  'event again': async ({ post, one }) => {
    const again = envelope(one, {});
    await post('event', again);
    return (await post('event', again)).status;
  },
  'events at once': async ({ post, one }) => {
    const answers = await Promise.all([1, 2, 3].map(() => post('event', envelope(one, {}))));
    return answers.map(({ status }) => status);
  },
  'call-backs': async ({ post, one, two }) => {
    const [before, there] = [readsAt(one, two).length, readsAt(two).length];
    await post('event', envelope(one, read, 'a'));
    await until(() => readsAt(one, two).length > before);
    await post('event', envelope(two, read, 'b'));
    await until(() => readsAt(one, two).length > before + 1);
    return readsAt(two).length - there;
  },
  'call-back tokens': async ({ post, one }) => {
    const before = readsAt(one).length;
    for (const token of ['a', 'b']) await post('event', envelope(one, read, token));
    await until(() => readsAt(one).length > before + 1);
    return readsAt(one)
      .slice(before)
      .map(({ headers }) => headers.authorization)
      .toSorted();
  },
  'task first': async ({ post, one, hold, release }) => {
    hold();
    const call = post('task', envelope(one, { links: linksAt(one.url, 'a', 'token') })).then(() => true);
    const isFirst = await Promise.race([call, pause(soonMs).then(() => false)]);
    release();
    await call;
    return isFirst;
  },
  'task success': (stage) => reports(stage, {}, (links) => links),
  'task failure': (stage) => reports(stage, { fail: true }, (links) => links),
  'task by odd links': (stage) =>
    reports(stage, {}, (links) =>
      links.map((link) => ({ ...link, url: link.url.replace('/api/space', '/odd/space') })),
    ),
  'task in time': async (stage) => {
    stage.hold();
    const late = await reports(stage, {}, (links) => links, 1);
    stage.release();
    return late;
  },
  keys: async ({ one }) =>
    one
      .matching(/acquire/)
      .map(({ body }) => JSON.parse(body.toString()).permissions)
      .at(0),
  'keys brought': async ({ host }) =>
    host
      .entries(({ path, method }) => path.startsWith('/keys/') && method === 'POST')
      .map(({ status }) => status)
      .at(0),
  'keys renewed': async ({ post, two }) => {
    for (let time = 0; time < 2; time += 1)
      await post('event', envelope(two, { contentPayload: { bulkUpload: { route: '/refused' } } }));
    await until(() => two.matching(/acquire/).length > 1);
    return two.matching(/acquire/).length > 1;
  },
};

/** The last parts of a task's requests, without what differs from run to run. */
async function reports(
  { post, one }: Stage,
  taskSettings: object,
  changed: (links: ReturnType<typeof linksAt>) => readonly object[],
  timeout = 30,
): Promise<unknown> {
  const job = randomBytes(4).toString('hex');
  const before = one.callbacks.length;
  await post('task', {
    ...envelope(one, { timeout, taskSettings, links: changed(linksAt(one.url, job, 'token')) }),
    id: job,
  });
  const own = () => one.callbacks.slice(before).filter(({ headers }) => headers['x-correlation-id'] === job);
  await until(() => own().some(({ target }) => target.includes('/status/')), 2 * soonMs);
  const line = ({ method, target, headers, body }: Callback) =>
    [
      method,
      target,
      headers.authorization,
      headers['checksum'] === undefined ? '' : 'checked',
      method === 'PUT' ? body.toString() : '',
    ]
      .join(' ')
      .replaceAll(job, 'JOB');
  return own().map(line);
}

/** Everything that can be seen of a host with that fault. */
export async function observed(fault: HostFaultId): Promise<ReadonlyMap<string, string>> {
  let held: (() => void)[] | undefined;
  const reaction: Reaction = ({ method, target, body }, response) => {
    if (/acquire/.test(target)) return bring(body, () => response.writeHead(204).end());
    if (target === '/refused') return refuse(response);
    if (method !== 'GET' || held === undefined) return undefined;
    held.push(() => response.writeHead(200).end('late'));
    return true;
  };
  await using one = await playedService('input', reaction);
  await using two = await playedService('input', reaction);
  await using host = await startExtensionHost({ apiKey, permissions: ['AdministrationAPI'], faults: [fault] });
  const stage: Stage = {
    host,
    one,
    two,
    hold: () => (held = []),
    release: () => {
      for (const answer of held ?? []) answer();
      held = undefined;
    },
    post: (kind, body, query = '', headers = bearer(`/${kind}`)) =>
      fetch(`${host.url}/${kind}${query}`, { method: 'POST', headers, body: JSON.stringify(body) }),
  };
  const seen = new Map<string, string>();
  for (const [name, look] of Object.entries(looks)) seen.set(name, JSON.stringify(await look(stage)) ?? '');
  return seen;
}

function refuse(response: ServerResponse): true {
  response.writeHead(401).end();
  return true;
}

function bring(asked: Buffer, then: () => void): true {
  const { tokenCallback, permissions } = JSON.parse(asked.toString()) as {
    tokenCallback: string;
    permissions: string[];
  };
  const keys = Object.fromEntries(permissions.map((name) => [name, { apiKey: randomBytes(32).toString('base64') }]));
  void fetch(tokenCallback, { method: 'POST', body: JSON.stringify(keys) }).then(then, then);
  return true;
}
