import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { startExtensionHost, type ExtensionHost } from '../../simulator/extension/host.ts';
import {
  linksAt,
  playService,
  type Callback,
  type PlayedService,
  type Reaction,
} from '../../simulator/extension/service.fixture.ts';
import { signatureOf } from '../../simulator/extension/signature.ts';
import { areasWith, type HostFaultId } from './faults.ts';

const apiKey = Buffer.alloc(64, 5).toString('base64');
const bearer = (path: string, key = apiKey) => ({ authorization: `Bearer ${signatureOf(key, path)}` });
interface ClockState {
  readonly now: number;
  readonly timers: readonly { readonly at: number; readonly tag: string }[];
}

interface Stage {
  readonly host: ExtensionHost;
  readonly one: PlayedService;
  readonly two: PlayedService;
  /** What the host told of work that failed. */
  readonly said: readonly string[];
  /** Moves the host's clock, which stands still from then on. @param held calls of the host that are not answered meanwhile */
  move(byMs: number, held?: number): Promise<ClockState>;
  /** Answers the GETs that were held. */
  release(): void;
  /** Lets GETs wait from now on. */
  hold(): void;
  post(kind: string, envelope: object, query?: string, headers?: Record<string, string>): Promise<Response>;
}

/** Waits for as long as it takes: what never holds runs into the limit of the test. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
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
  'event first': (stage) => isAnsweredFirst(stage, 'event', read),
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
  'task first': (stage) => isAnsweredFirst(stage, 'task', { links: linksAt(stage.one.url, 'a', 'token') }),
  'task success': (stage) => reports(stage, {}, (links) => links),
  'task failure': (stage) => reports(stage, { fail: true }, (links) => links),
  'task by odd links': (stage) =>
    reports(stage, {}, (links) =>
      links.map((link) => ({ ...link, url: link.url.replace('/api/space', '/odd/space') })),
    ),
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
  // from here on the clock of the host stands still between moves
  'event within time': async ({ host, post, one, move }) => {
    const { timers } = await move(0);
    const before = host.entries().length;
    const call = post('event', envelope(one, {}));
    const isAnswered = () => host.entries()[before]?.endedAt !== undefined;
    let isWaiting = false;
    while (!isAnswered() && !isWaiting) isWaiting = (await move(0)).timers.length > timers.length;
    if (isWaiting) await move(1000);
    await call;
    return !isWaiting;
  },
  'task in time': async (stage) => {
    const { one, move, hold, release } = stage;
    hold();
    const before = one.callbacks.length;
    const told = reports(stage, {}, (links) => links, 1);
    await until(() => one.callbacks.slice(before).some(({ method }) => method === 'GET'));
    const { now, timers } = await move(0, 1);
    const isLimited = timers.some(({ at, tag }) => tag === 'task' && at <= now + 1000);
    if (isLimited) await move(1000, 1);
    else release();
    return [isLimited, await told.finally(release)];
  },
  'keys renewed': async ({ post, two, said, move }) => {
    const before = said.length;
    const payload = { contentPayload: { bulkUpload: { route: '/refused' } } };
    for (let time = 0; time < 2; time += 1) await post('event', envelope(two, payload));
    // keys that do not come are waited for by the clock of the host
    while (said.length < before + 2) await move(1000);
    const targets = two.callbacks.map(({ target }) => target);
    const refused = targets.indexOf('/refused');
    return refused !== -1 && targets.slice(refused).some((target) => /acquire/.test(target));
  },
};

/** Whether a call has its answer by the time its work comes to the service. */
async function isAnsweredFirst({ host, post, one, hold, release }: Stage, kind: string, payload: object) {
  hold();
  const [entries, callbacks] = [host.entries().length, one.callbacks.length];
  const call = post(kind, envelope(one, payload));
  await until(() => one.callbacks.slice(callbacks).some(({ method }) => method === 'GET'));
  const isFirst = host.entries()[entries]?.endedAt !== undefined;
  release();
  await call;
  return isFirst;
}

/** The last parts of a task's requests, without what differs from run to run. */
async function reports(
  { post, one, said }: Stage,
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
  await until(
    () => own().some(({ target }) => target.includes('/status/')) || said.some((problem) => problem.includes(job)),
  );
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
export async function lookAt(fault: HostFaultId): Promise<ReadonlyMap<string, string>> {
  let held: (() => void)[] | undefined;
  const reaction: Reaction = ({ method, target, body }, response) => {
    if (/acquire/.test(target)) return bring(body, () => response.writeHead(204).end());
    if (target === '/refused') return refuse(response);
    if (method !== 'GET' || held === undefined) return undefined;
    held.push(() => response.writeHead(200).end('late'));
    return true;
  };
  await using one = await playService('input', reaction);
  await using two = await playService('input', reaction);
  const said: string[] = [];
  await using host = await startExtensionHost({
    apiKey,
    permissions: ['AdministrationAPI'],
    control: true,
    areas: areasWith([fault]),
    say: (problem) => said.push(problem),
  });
  const { url = '', token } = host.control ?? {};
  const stage: Stage = {
    host,
    one,
    two,
    said,
    move: async (by, held = 0) => {
      const body = JSON.stringify({ by, held });
      return (
        await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body })
      ).json() as Promise<ClockState>;
    },
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
