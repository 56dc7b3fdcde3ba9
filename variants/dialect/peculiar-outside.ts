import { systemClock } from '../../clock/clock.ts';
import { nowhere } from '../../contract/names.ts';
import type { Areas } from '../../reference-server/areas.ts';
import type { Chunk } from '../../reference-server/areas/chunks.ts';
import { jobOut } from '../../reference-server/areas/jobs.ts';
import type { Registration } from '../../reference-server/areas/records.ts';
import { registrationsOf } from '../../reference-server/areas/registry.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import type { FilePlace } from '../../reference-server/ports/file-store.ts';
import type { Writing } from '../../reference-server/ports/store.ts';
import { type Variant, breaks, replaces, together } from '../breaks.ts';
import type { Answer } from '../../reference-server/http/call.ts';
import { isObject, jsonIn, type Choice } from './choice.ts';
import { answering } from './jobs.ts';

const keyBytes = 64;

/** From a call that is set off to the one that collects what was, in ms. */
const collectedMs = 1000;

/** From one call of an endpoint to the next, in ms. */
const paceMs = 200;

/** For how long one copy of two does not know of a new job, nor of a report on it, in ms of real time: time that is moved may stand still. */
const lagMs = 30;

/** From one look at the tasks that run to the next, in ms. */
const sweepMs = 20_000;

/** Tasks of an extension that are under way at one time at most. */
const mostTasks = 1;

/** In ms; what waits for the end of a task is looked at when one ends. */
const dayMs = 24 * 3_600_000;

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

/** From an answer to what follows it, in ms of real time: time that is moved may stand still. */
const laterMs = 40;

/** Of a file that is looked through before anybody gets it, in bytes. */
const longBytes = 1000;

export const shallowPaths: Variant = replaces('fileAreas', 'assertPath', (right, areas, names) => {
  if (names.length > 9) throw new Refusal(400, 'The path is too deep.');
  return right(areas, names);
});

/** From when a registration is read until it is read anew, in ms of real time. */
const rememberedMs = 150;

/** What whoever calls and is called meets. */
export const peculiarCalls: readonly Choice[] = [
  {
    meets: 'calls that are collected for a second',
    silences: [],
    by: replaces('queue', 'enqueue', (right, areas, writing, delivery) =>
      right(
        areas,
        dueOtherwise(writing, (_endpoint, at) => at + collectedMs),
        delivery,
      ),
    ),
  },
  /** Doubling stops where what was waited for would come to more than five minutes in all. */
  {
    meets: 'five minutes that are those of all waits',
    silences: ['backoff-cap-sequence'],
    by: replaces('policies', 'nextRetryDelay', (right, areas, attempt) => {
      const waitedMs = 2 ** (attempt + 1) * 1000;
      return waitedMs > 300_000 ? 300_000 : right(areas, attempt);
    }),
  },
  {
    meets: 'calls of an endpoint one after the other',
    silences: ['queue-order'],
    by: (classes) => {
      const latest = new Map<string, number>();
      return replaces('queue', 'enqueue', (right, areas, writing, delivery) =>
        right(
          areas,
          dueOtherwise(writing, (endpoint, at) => {
            const dueAt = Math.max(at, (latest.get(endpoint) ?? -Infinity) + paceMs);
            latest.set(endpoint, dueAt);
            return dueAt;
          }),
          delivery,
        ),
      )(classes);
    },
  },
  {
    meets: 'one task of an extension at a time',
    silences: [],
    by: (classes) => {
      const underWay = new Map<string, Set<string>>();
      const waiting: { readonly id: string; readonly job: string; readonly endpoint: string }[] = [];
      const end = async ({ clock, queue }: Areas, writing: Writing, job: string): Promise<void> => {
        for (const [endpoint, jobs] of underWay) {
          if (!jobs.delete(job)) continue;
          const index = waiting.findIndex((one) => one.endpoint === endpoint);
          for (const next of index < 0 ? [] : waiting.splice(index, 1)) {
            jobs.add(next.job);
            await writing.scheduleDelivery(next.id, 0, clock.now());
            await queue.resumeDeliveries(writing, '');
          }
        }
      };
      return together(
        replaces('queue', 'enqueue', (right, areas, writing, delivery) => {
          if (delivery.kind !== 'task') return right(areas, writing, delivery);
          const { id, envelopeId: job } = delivery;
          const begins = (endpoint: string, at: number): number => {
            const jobs = underWay.get(endpoint) ?? new Set();
            underWay.set(endpoint, jobs);
            if (jobs.size >= mostTasks) {
              waiting.push({ id, job, endpoint });
              return at + dayMs;
            }
            jobs.add(job);
            return at;
          };
          return right(areas, dueOtherwise(writing, begins), delivery);
        }),
        replaces('jobs', 'dropDeadline', async (right, areas, writing, id) => {
          await right(areas, writing, id);
          await end(areas, writing, id);
        }),
        replaces('deliveryEnds', 'deliveryEnded', async (right, areas, writing, delivery, how, outcome) => {
          await right(areas, writing, delivery, how, outcome);
          if (delivery.kind === 'task' && how !== 'delivered') await end(areas, writing, delivery.envelopeId);
        }),
      )(classes);
    },
  },
  {
    meets: 'a slash behind the base address',
    silences: [],
    by: replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      const envelope: unknown = JSON.parse(request.body ?? 'null');
      if (!isObject(envelope)) return request;
      return { ...request, body: JSON.stringify({ ...envelope, baseAddress: `${String(envelope['baseAddress'])}/` }) };
    }),
  },
  {
    meets: 'calls with the headers of a library',
    silences: [],
    by: replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      const further = {
        Accept: 'application/json, text/plain, */*',
        'User-Agent': 'peculiar/1.0',
        'Cache-Control': 'no-cache',
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      };
      return { ...request, headers: { ...further, ...request.headers } };
    }),
  },
  /** A subject has no blanks around it, as the header of a mail. */
  {
    meets: 'subjects of mails without blanks around',
    silences: [],
    by: replaces('requests', 'payloadOf', (right, areas, delivery, token) => {
      const payload = right(areas, delivery, token);
      if (delivery.kind !== 'email' || !isObject(payload)) return payload;
      return { ...payload, subject: String(payload['subject']).trim() };
    }),
  },
  /** Jobs are read from two copies by turns, of which one lags a little behind. */
  {
    meets: 'jobs that are read a little late',
    silences: ['job-route'],
    by: (classes) => {
      const behind = new Map<string, { readonly until: number; readonly answer: Answer }>();
      let reads = 0;
      const lag = (id: string, answer: Answer): void =>
        void behind.set(id, { until: systemClock.monotonic() + lagMs, answer });
      return together(
        replaces('queue', 'enqueue', (right, areas, writing, delivery) => {
          if (delivery.kind === 'task') lag(delivery.envelopeId, { status: 404 });
          return right(areas, writing, delivery);
        }),
        replaces('jobs', 'reportStatus', async (right, areas, call, writing) => {
          const answer = await right(areas, call, writing);
          lag(call.place.id, { status: 200, body: jobOut(call.place) });
          return answer;
        }),
        replaces('messages', 'finish', async (right, areas, call, answer) => {
          const finished = await right(areas, call, answer);
          const known = behind.get(call.params['jobId'] ?? '');
          if (call.method !== 'GET' || known === undefined || finished.status >= 400) return finished;
          reads += 1;
          const isBehind = reads % 2 === 1 && systemClock.monotonic() < known.until;
          if (!isBehind) return finished;
          return known.answer.status < 400 ? areas.caching.conditional(call, known.answer) : known.answer;
        }),
      )(classes);
    },
  },
  /** The time of a task runs from when its job was scheduled, and that it is over is seen now and then. */
  {
    meets: 'timeouts from the job on, seen now and then',
    silences: ['task-timeout-clock'],
    by: (classes) => {
      const scheduled = new Map<string, number>();
      return together(
        replaces('queue', 'enqueue', (right, areas, writing, delivery) => {
          if (delivery.kind === 'task') scheduled.set(delivery.envelopeId, areas.clock.now());
          return right(areas, writing, delivery);
        }),
        replaces('jobs', 'taskDeadline', (_right, areas, { id, timeout }) => {
          const endsAt = (scheduled.get(id) ?? areas.clock.now()) + timeout * 1000;
          return Math.ceil(endsAt / sweepMs) * sweepMs;
        }),
      )(classes);
    },
  },
];

/** What whoever registers meets. */
export const peculiarRegistrations: readonly Choice[] = [
  /** Beside a key it says for what it is and until when. */
  {
    meets: 'keys that say until when',
    silences: [],
    by: replaces('apiKeys', 'keysBody', (right, areas, keys) =>
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
    ),
  },
  {
    meets: 'no two endpoints at one address',
    silences: ['registration-duplicates'],
    by: replaces('registrations', 'createEndpoint', async (right, areas, call, writing) => {
      const { url } = call.json;
      for (const kind of ['externalEndpoint', 'trustedExternalEndpoint'] as const)
        for (const one of await registrationsOf(writing, kind))
          if (one.kind !== 'svcExtension' && one.url === url && !url.startsWith(nowhere))
            throw new Refusal(409, 'An endpoint has that address.');
      return right(areas, call, writing);
    }),
  },
  {
    meets: 'registrations that are remembered for a moment',
    silences: [],
    by: breaks('registry', 'registrationOf', (right) => {
      const known = new Map<string, { readonly until: number; readonly registration: Registration }>();
      return async (areas, reading, id) => {
        const one = known.get(id);
        if (one !== undefined && systemClock.monotonic() < one.until) return one.registration;
        const registration = await right(areas, reading, id);
        if (registration !== undefined) known.set(id, { until: systemClock.monotonic() + rememberedMs, registration });
        return registration;
      };
    }),
  },
  {
    meets: 'tokens of a day at most',
    silences: ['registration-validation-depth'],
    by: together(
      replaces('registrations', 'trustedEndpointFrom', (right, areas, body) => {
        const fields = right(areas, body);
        assertLife(fields);
        return fields;
      }),
      replaces('registrations', 'extensionFrom', (right, areas, body) => {
        const fields = right(areas, body);
        assertLife(fields);
        return fields;
      }),
    ),
  },
  {
    meets: 'keys of 64 bytes alone',
    silences: ['signature-key-format'],
    by: replaces('registrations', 'extensionFrom', (right, areas, body) => {
      const extension = right(areas, body);
      if (Buffer.from(extension.apiKey, 'base64').length === keyBytes) return extension;
      throw new Refusal(400, `Expected a key of ${keyBytes} bytes.`, { pointer: '/apiKey' });
    }),
  },
  /** Hosts without a record that can be put to use are refused, also where they had one before. */
  {
    meets: 'hosts of which nothing can be used refused',
    silences: ['metadata-fetch-timing', 'metadata-invalid-record'],
    by: replaces('metadata', 'fetchMetadata', async (right, areas, extension, id) => {
      const answer = await right(areas, extension, id);
      if ('records' in answer && answer.records.length > 0) return answer;
      throw new Refusal(422, 'The host shows no record that can be put to use.', { pointer: '/hostUri' });
    }),
  },
  /** A record is of one type for ever: an update that shows it as one of another is refused. */
  {
    meets: 'records of one type for ever',
    silences: ['metadata-fetch-timing'],
    by: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) => {
      const types = new Map(former.map(({ id, extensionType }) => [id, extensionType]));
      const other = fetched.find(({ id, extensionType }) => (types.get(id) ?? extensionType) !== extensionType);
      if (other !== undefined) throw new Refusal(409, `The record ${other.id} is of another type.`);
      return right(areas, former, fetched);
    }),
  },
];

/** What whoever keeps files meets. */
export const peculiarFiles: readonly Choice[] = [
  {
    meets: 'long files that are there later',
    silences: ['file-success-statuses'],
    by: (classes) => {
      const readableAt = new Map<string, number>();
      return together(
        replaces('files', 'uploadStream', async (right, areas, call) => {
          const answer = await right(areas, call);
          const place = areas.files.streamPlaceOf(call, call.admitted);
          const info = await areas.fileStore.describe(place);
          if (info?.kind !== 'file' || info.size <= longBytes) return answer;
          readableAt.set(keyOf(place), systemClock.monotonic() + laterMs);
          return { ...answer, status: 202 };
        }),
        replaces('files', 'downloadFile', async (right, areas, call) => {
          const place = areas.files.filePlaceOf(call, call.admitted);
          if ((readableAt.get(keyOf(place)) ?? 0) > systemClock.monotonic()) throw areas.files.missingFile(place);
          return right(areas, call);
        }),
      )(classes);
    },
  },
  /** A file is put together behind the answer to its last chunk: until then it is neither read nor deleted. */
  {
    meets: 'files that are put together later',
    silences: ['file-success-statuses'],
    by: (classes) => {
      const underWay = new Map<string, Promise<void>>();
      return together(
        replaces('chunks', 'storeChunk', async (right, areas, place, chunk) => {
          await underWay.get(keyOf(place));
          const { number, totalSize, chunkSize, totalChunks, type } = chunk;
          if (number < totalChunks || totalChunks === 1) return right(areas, place, chunk);
          const work = systemClock
            .sleep(laterMs)
            .then(() => right(areas, place, chunk))
            .then(
              () => void underWay.delete(keyOf(place)),
              () => void underWay.delete(keyOf(place)),
            );
          underWay.set(keyOf(place), work);
          return { totalSize, chunkSize, totalChunks, type, received: [] };
        }),
        replaces('files', 'downloadFile', async (right, areas, call) => {
          const place = areas.files.filePlaceOf(call, call.admitted);
          if (underWay.has(keyOf(place))) throw areas.files.missingFile(place);
          return right(areas, call);
        }),
        replaces('files', 'deleteFile', async (right, areas, place) => {
          if (underWay.has(keyOf(place))) throw new Refusal(409, 'The file is put together just now.');
          return right(areas, place);
        }),
      )(classes);
    },
  },
  /** A chunk with a wrong checksum ends its upload, of which nothing is left. */
  {
    meets: 'no upload behind a wrong chunk',
    silences: ['chunk-checksum-enforcement'],
    by: (classes) => {
      const wrong = new WeakSet<Chunk>();
      return together(
        replaces('chunks', 'assertChunkChecksum', (right, areas, expected, chunk) => {
          try {
            right(areas, expected, chunk);
          } catch {
            wrong.add(chunk);
          }
        }),
        replaces('chunks', 'storeChunk', async (right, areas, place, chunk) => {
          if (wrong.has(chunk)) {
            await forgetUpload(areas, place);
            throw new Refusal(422, 'The chunk is another one than its checksum says; begin anew.');
          }
          const isBegun = chunk.number === 1 || (await areas.fileStore.describe(place)) !== undefined;
          if (!isBegun) throw new Refusal(409, 'Begin with the first chunk.');
          return right(areas, place, chunk);
        }),
      )(classes);
    },
  },
  {
    meets: 'one bulk upload at a time',
    silences: ['bulk-response'],
    by: (classes) => {
      let isBusy = false;
      return replaces('bulkUpload', 'bulkUpload', async (right, areas, call) => {
        if (isBusy) throw new Refusal(409, 'Another bulk upload goes on.');
        isBusy = true;
        try {
          return await right(areas, call);
        } finally {
          // it is closed behind its answer
          void systemClock.sleep(laterMs).then(() => (isBusy = false));
        }
      })(classes);
    },
  },
  /** A bulk upload of which a file is not placed is answered by 422, though the others are. */
  {
    meets: '422 for a bulk upload in part',
    silences: ['bulk-conflict-handling'],
    by: replaces('bulkUpload', 'bulkUpload', async (right, areas, call) => {
      const answer = await right(areas, call);
      const errors: unknown = isObject(answer.body) ? answer.body['errors'] : [];
      return Array.isArray(errors) && errors.length > 0 ? { ...answer, status: 422 } : answer;
    }),
  },
  { meets: 'paths of nine names', silences: ['file-name-rules'], by: shallowPaths },
  {
    meets: 'names of few signs',
    silences: ['file-name-rules'],
    by: replaces('fileAreas', 'assertPath', (right, areas, names) => {
      if (names.some((name) => /[^\w.(){}[\]!~@$',-]/.test(name))) throw new Refusal(400, 'No file has such a name.');
      return right(areas, names);
    }),
  },
];

function assertLife({ tokenLifeTime }: { readonly tokenLifeTime: number }): void {
  if (tokenLifeTime > 24 * 60) throw new Refusal(400, 'A token lives for a day at most.');
}

async function forgetUpload({ fileStore, fileAreas }: Areas, place: FilePlace): Promise<void> {
  const file = await fileStore.open(place);
  if (file === undefined || (await fileAreas.uploadUnderWay(place)) === undefined) return file?.close();
  await fileStore.remove(place);
  await fileAreas.forgetUpload(place, file.info);
  await file.close();
}

function keyOf({ area, segments }: FilePlace): string {
  return JSON.stringify([area, segments]);
}

function dueOtherwise(writing: Writing, when: (endpoint: string, at: number) => number): Writing {
  const insertDelivery: Writing['insertDelivery'] = (delivery, endpoint, dueAt) =>
    writing.insertDelivery(delivery, endpoint, when(endpoint, dueAt));
  return new Proxy(writing, {
    get(target, name) {
      if (name === 'insertDelivery') return insertDelivery;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
