import { systemClock } from '../../clock/clock.ts';
import { jobOut } from '../../reference-server/areas/jobs.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import type { Writing } from '../../reference-server/ports/store.ts';
import { type Variant, replaces, together } from '../breaks.ts';
import { isObject, jsonIn } from './choice.ts';
import { answering } from './jobs.ts';

const keyBytes = 64;

/** From a call that is set off to the one that collects what was, in ms. */
const collectedMs = 1000;

/** Calls that nobody waits for are collected for a second. */
export const callsCollected: Variant = replaces('queue', 'enqueue', (right, areas, writing, delivery) =>
  right(areas, withDelay(writing), delivery),
);

/** The base address ends with a slash. */
export const slashBehindBase: Variant = replaces(
  'requests',
  'extensionRequest',
  async (right, areas, delivery, callee) => {
    const request = await right(areas, delivery, callee);
    const envelope: unknown = JSON.parse(request.body ?? 'null');
    if (!isObject(envelope)) return request;
    return { ...request, body: JSON.stringify({ ...envelope, baseAddress: `${String(envelope['baseAddress'])}/` }) };
  },
);

/** Calls have the headers of a library for them. */
export const callsOfLibrary: Variant = replaces(
  'requests',
  'extensionRequest',
  async (right, areas, delivery, callee) => {
    const request = await right(areas, delivery, callee);
    const further = {
      Accept: 'application/json, text/plain, */*',
      'User-Agent': 'peculiar/1.0',
      'Cache-Control': 'no-cache',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    };
    return { ...request, headers: { ...further, ...request.headers } };
  },
);

/** Beside a key it says for what it is and until when. */
export const keysWithEnds: Variant = replaces('apiKeys', 'keysBody', (right, areas, keys) =>
  Object.fromEntries(
    Object.entries(right(areas, keys)).map(([name, key]) => [
      name,
      {
        permission: name,
        ...(isObject(key) ? key : {}),
        expiresAt: new Date(areas.clock.now() + 24 * 3_600_000).toISOString(),
      },
    ]),
  ),
);

/** Hosts without a record that can be put to use are refused, also where they had one before. */
export const usableHostsAlone: Variant = replaces('metadata', 'fetchMetadata', async (right, areas, extension, id) => {
  const answer = await right(areas, extension, id);
  if ('records' in answer && answer.records.length > 0) return answer;
  throw new Refusal(422, 'The host shows no record that can be put to use.', { pointer: '/hostUri' });
});

/** A record is of one type for ever: an update that shows it as one of another is refused. */
export const typesForEver: Variant = replaces('metadata', 'recordsInForce', (right, areas, former, fetched) => {
  const types = new Map(former.map(({ id, extensionType }) => [id, extensionType]));
  const other = fetched.find(({ id, extensionType }) => (types.get(id) ?? extensionType) !== extensionType);
  if (other !== undefined) throw new Refusal(409, `The record ${other.id} is of another type.`);
  return right(areas, former, fetched);
});

/** Keys of hosts have 64 bytes, no more and no fewer. */
export const keysOfOneLength: Variant = replaces('registrations', 'extensionFrom', (right, areas, body) => {
  const extension = right(areas, body);
  if (Buffer.from(extension.apiKey, 'base64').length === keyBytes) return extension;
  throw new Refusal(400, `Expected a key of ${keyBytes} bytes.`, { pointer: '/apiKey' });
});

/** A subject has no blanks around it, as the header of a mail. */
export const subjectsTrimmed: Variant = replaces('requests', 'payloadOf', (right, areas, delivery, token) => {
  const payload = right(areas, delivery, token);
  if (delivery.kind !== 'email' || !isObject(payload)) return payload;
  return { ...payload, subject: String(payload['subject']).trim() };
});

/** For how long a job is read as it was before a report, in ms of real time: time that is moved may stand still. */
const lagMs = 30;

/** Jobs are read from a copy that lags a little behind. */
export const laggingJobs: Variant = (classes) => {
  const before = new Map<string, { readonly until: number; readonly job: object }>();
  return together(
    replaces('jobs', 'reportStatus', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      before.set(call.place.id, { until: systemClock.monotonic() + lagMs, job: jobOut(call.place) });
      return answer;
    }),
    replaces('messages', 'finish', async (right, areas, call, answer) => {
      const finished = await right(areas, call, answer);
      const known = before.get(call.params['jobId'] ?? '');
      const isLagging = call.method === 'GET' && known !== undefined && systemClock.monotonic() < known.until;
      return isLagging && finished.status < 400
        ? areas.caching.conditional(call, { status: 200, body: known.job })
        : finished;
    }),
  )(classes);
};

/** Directories are the paths of files: where there is no file, there is no directory either, not even the area itself. */
export const directoriesOfFiles: Variant = answering('GET', /\/fs\/dir(?:\/|$)/, (answer) => {
  const body = jsonIn(answer);
  const entries: unknown = isObject(body) ? body['data'] : body;
  return Array.isArray(entries) && entries.length === 0 ? { status: 404 } : answer;
});

/** A download is elsewhere for a while, and the way there is told. */
export const downloadsElsewhere: Variant = replaces('files', 'downloadFile', async (right, areas, call) => {
  if (call.query.has('ticket')) return right(areas, call);
  const answer = await right(areas, call);
  if (answer.status >= 300) return answer;
  answer.stream?.content.destroy();
  const location = `${call.url}${call.url.includes('?') ? '&' : '?'}ticket=1`;
  return { status: 307, headers: { Location: location, 'Cache-Control': 'no-store' } };
});

function withDelay(writing: Writing): Writing {
  const insertDelivery: Writing['insertDelivery'] = (delivery, endpoint, dueAt) =>
    writing.insertDelivery(delivery, endpoint, dueAt + collectedMs);
  return new Proxy(writing, {
    get(target, name) {
      if (name === 'insertDelivery') return insertDelivery;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
