import { breaks, replaces, together, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { at, editPath, encoded, movePath, spaceFiles, versionHeader } from '../service.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import { headerNames } from '../../../contract/names.ts';
import type { MetadataAnswer } from '../../../reference-server/areas/metadata.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { always, callsOf, callsTo, logged, registerEndpoint, scheduleTask } from '../proofs.ts';

const profilePath = '/api/collection/user/profile';

const readingMistakes: Batch = {
  'caching.tag-once-for-each': {
    source: 'core: Common request headers, ETag',
    breaks: 'ETag is returned on each GET of such data, also on the second one by the same user.',
    kind: 'copy',
    variant: breaks('caching', 'conditional', (right) => {
      const told = new Set<string>();
      return (areas, call, answer) => {
        const { headers: { ETag: tag = '', ...others } = {}, ...rest } = right(areas, call, answer);
        const key = `${call.headers['authorization']} ${call.url} ${tag}`;
        const isTold = told.has(key) && call.headers['if-none-match'] === undefined;
        told.add(key);
        return { ...rest, headers: isTold ? others : { ...others, ETag: tag } };
      };
    }),
    async shows({ cora }) {
      await cora.get(profilePath);
      return (await cora.get(profilePath)).headers.get('etag') === null;
    },
  },
};

const participantFiles = '/api/space/main/participant/supplier/fs/file';

const participantBulk = '/admin/fileupload/main/supplier';

const filesMistakes: Batch = {
  'bulk.root-of-a-participant': {
    source: 'extensions: File routes, row 7',
    breaks:
      'A bulk upload at participant level goes to the area of the participant, files in the root of the source too.',
    kind: 'place',
    variant: replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) => {
      const isAtRoot = area.kind === 'participant' && target.length + path.length === 1;
      return right(areas, isAtRoot ? { kind: 'space', spaceId: area.spaceId } : area, target, path);
    }),
    async shows({ bulk, emil, directory }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'a.txt'), 'one');
      await bulk(participantBulk, { sourceDirectory, writeLog: false });
      return (await emil.get(`${participantFiles}/a.txt`)).status !== 200;
    },
  },

  'bulk.replaces-at-the-root-alone': {
    source: 'extensions: Bulk upload request body, replaceFiles',
    breaks: 'Files that exist are replaced where that is asked for, below a target directory too.',
    kind: 'combination',
    variant: replaces(
      'bulkUpload',
      'mayReplace',
      (right, areas, request) => right(areas, request) && request.targetDirectory === '/',
    ),
    async shows({ bulk, edda, directory }) {
      const sourceDirectory = await directory();
      await edda.upload('deep/a.txt', 'before');
      await writeFile(join(sourceDirectory, 'a.txt'), 'after');
      await bulk('/admin/fileupload/main', {
        sourceDirectory,
        writeLog: false,
        targetDirectory: 'deep',
        replaceFiles: true,
      });
      return (await edda.get(`${spaceFiles}/deep/a.txt`)).text === 'before';
    },
  },
};

const writingMistakes: Batch = {
  'batch.promote-takes-back-an-edit': {
    source: 'core: Batch rules 1 and 2',
    breaks: 'A promote in a batch leaves alone what an operation before it has edited in the object.',
    kind: 'combination',
    variant: (classes) => {
      const before = new Map<string, Content>();
      return together(
        replaces('editing', 'mergeObject', (right, areas, call, writing) => {
          before.set(call.object.oid, call.object.content);
          return right(areas, call, writing);
        }),
        replaces('maturity', 'promoteObject', (right, areas, call, writing) => {
          const { object } = call;
          const content = call.isChangedHere?.(object.oid) === true ? before.get(object.oid) : undefined;
          return right(areas, content === undefined ? call : { ...call, object: { ...object, content } }, writing);
        }),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'before' });
      await edda.batch([
        { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { title: 'after' } },
        { method: 'PUT', href: movePath(made), headers: versionHeader(2) },
      ]);
      return at(await edda.read(made), '/data/title') === 'before';
    },
  },

  'batch.empty-headers-take-the-filter-away': {
    source: 'core: Batch operation, headers',
    breaks: 'The information filter of the batch is that of each operation, also of one whose headers are empty.',
    kind: 'value',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const headers = { ...right(areas, batch, operation) };
      if (operation.method === 'POST' && Object.keys(operation.headers).length === 0)
        delete headers[headerNames.informationFilter.toLowerCase()];
      return headers;
    }),
    async shows({ edda }) {
      const href = '/api/space/main/softtype/Document/documentInput';
      return (await edda.batch([{ method: 'POST', href, headers: {}, body: { title: 't' } }])).status !== 200;
    },
  },
};

const callMistakes: Batch = {
  'tasks.input-of-the-same-directory': {
    source: 'extensions: External task links, inputFile',
    breaks: 'The link leads to the input of its own job, also where another job takes one from the same directory.',
    kind: 'copy',
    variant: breaks('requests', 'taskLinks', (right) => {
      const inputs = new Map<string, string>();
      return (areas, spaceId, jobId, inputPath, token) => {
        const directory = inputPath.replace(/[^/]*$/, '');
        const input = inputs.get(directory) ?? inputPath;
        inputs.set(directory, input);
        return right(areas, spaceId, jobId, input, token);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      await scheduleTask(service, { inputPath: 'folder/a.csv' });
      await scheduleTask(service, { inputPath: 'folder/b.csv' });
      await service.pass(1, 3);
      const calls = callsOf(host, 'task');
      return calls.length === 2 && !JSON.stringify(calls[1]?.envelope?.payload).includes('b.csv');
    },
  },

  'tasks.not-found-may-come-up': {
    source: 'extensions: Errors 1',
    breaks: 'An error that is not transient is not tried again, 404 to the call of a task neither.',
    kind: 'place',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isMissing = delivery.kind === 'task' && outcome.kind === 'answered' && outcome.status === 404;
      return right(areas, delivery, policy, isMissing ? { ...outcome, status: 503 } : outcome);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }], always({ status: 404 }));
      await scheduleTask(service);
      await service.pass(1, 6);
      return callsOf(host, 'task').length > 1;
    },
  },

  'endpoints.without-their-headers-after-a-pause': {
    source: 'extensions: Registered external endpoint, headers',
    breaks: 'The configured headers are set on each call, also on one that waited out a pause.',
    kind: 'moment',
    variant: (classes) => {
      const waited = new Set<string>();
      return together(
        replaces('deliveries', 'holdBack', (right, areas, writing, delivery, until) => {
          waited.add(delivery.id);
          return right(areas, writing, delivery, until);
        }),
        replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
          const request = await right(areas, delivery, callee);
          if (!waited.has(delivery.id)) return request;
          const headers = Object.entries(request.headers).filter(([name]) => name.toLowerCase() === 'content-type');
          return { ...request, headers: Object.fromEntries(headers) };
        }),
      )(classes);
    },
    async shows(service) {
      const host = await service.host(() => [{ id: 'unused' }]);
      const headers = [
        { name: 'content-type', value: 'application/json' },
        { name: 'x-api-key', value: 'k' },
      ];
      await registerEndpoint(service, 'externalEndpoint', {
        url: `${host.url}/hook`,
        headers,
        rateLimitNumberOfExecutions: 1,
      });
      await service.edda.sendToEndpoint();
      await service.edda.sendToEndpoint();
      await service.pass(10, 14);
      const calls = callsTo(host);
      return calls.length === 2 && calls.some((call) => headerValues(call, 'x-api-key').length === 0);
    },
  },

  'delivery.deleted-in-a-pause': {
    source: 'extensions: Events 3',
    breaks: 'An event that a user deletes is cancelled, also while a pause holds it back.',
    kind: 'moment',
    variant: (classes) => {
      const held = new Set<string>();
      return together(
        replaces('deliveries', 'holdBack', (right, areas, writing, delivery, until) => {
          held.add(delivery.id);
          return right(areas, writing, delivery, until);
        }),
        replaces('queue', 'cancelDelivery', async (right, areas, writing, id) =>
          held.has(id) ? true : right(areas, writing, id),
        ),
      )(classes);
    },
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      await service.edda.sendEvent();
      await service.pass(1, 2);
      const second = await service.edda.sendEvent();
      await service.pass(1, 2);
      await service.edda.delete(second.headers.get('location') ?? '');
      await service.pass(10, 14);
      return callsOf(host, 'event').length === 2;
    },
  },

  'metadata.asked-once-for-an-address': {
    source: 'extensions: Metadata exchange',
    breaks: 'The metadata are asked for when an extension is added, also one that was there before.',
    kind: 'copy',
    variant: breaks('registrations', 'createExtension', (right) => {
      const known = new Map<string, MetadataAnswer>();
      return (areas, call) => {
        const fetchMetadata: typeof areas.metadata.fetchMetadata = async (extension, correlationId) => {
          const answer = known.get(extension.hostUri) ?? (await areas.metadata.fetchMetadata(extension, correlationId));
          known.set(extension.hostUri, answer);
          return answer;
        };
        return right(within(areas, { metadata: { fetchMetadata } }), call);
      };
    }),
    async shows({ cora, host: startHost }) {
      const host = await startHost(() => [{ id: 'event' }]);
      const path = '/api/admin/svcExtension';
      const id = String(at((await cora.get(path)).json, '/data/0/id'));
      await cora.delete(`${path}/${id}`);
      const body = { hostUri: host.url, apiKey: Buffer.alloc(64, 7).toString('base64'), tokenLifeTime: 60 };
      await cora.post(path, body);
      return callsOf(host, 'metadata').length === 1;
    },
  },

  'actions.filter-of-the-first-one': {
    source: 'extensions: Payloads by extension type, ExternalAction',
    breaks: 'The payload of an action has the filter of the request that triggers it, the second time too.',
    kind: 'copy',
    variant: breaks('requests', 'payloadOf', (right) => {
      const filters = new Map<string, unknown>();
      return (areas, delivery, token) => {
        const payload = right(areas, delivery, token);
        if (delivery.kind !== 'action' || !isContent(payload)) return payload;
        const informationFilter = filters.get(delivery.userName) ?? payload['informationFilter'];
        filters.set(delivery.userName, informationFilter);
        return { ...payload, informationFilter };
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
      const filters = [encoded({ role: 'one' }), encoded({ role: 'other' })];
      for (const filter of filters)
        await service.edda.post(
          '/api/space/main/externalAction/action',
          { kind: 'ribbon' },
          {
            [headerNames.informationFilter]: filter,
          },
        );
      const second = callsOf(host, 'action')[1]?.envelope?.payload;
      return at(second, '/informationFilter') === filters[0];
    },
  },

  'log.retries-of-the-endpoint': {
    source: 'extensions: Errors 3',
    breaks: 'The entry has the number of the retry of its own event, whatever was retried before.',
    kind: 'copy',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: breaks('deliveries', 'logEntriesFor', (right) => {
      const counts = new Map<string, number>();
      return (areas, delivery, policy, outcome, step) => {
        if (step.kind !== 'retry') return right(areas, delivery, policy, outcome, step);
        const retry = (counts.get(delivery.registrationId) ?? 0) + 1;
        counts.set(delivery.registrationId, retry);
        return right(areas, delivery, policy, outcome, { ...step, retry });
      };
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event' }], [{ steps: [{ status: 503 }, { status: 200 }], afterwards: 'again' }]);
      for (let left = 2; left > 0; left -= 1) {
        await service.edda.sendEvent();
        await service.pass(1, 6);
      }
      return at((await logged(service, 'transient-error'))[1], '/retry') === 2;
    },
  },
};

/** Of sixty mistakes by lot: a sentence of the documents and a circumstance each, drawn with the seed 33. */
export const thirtyThird: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...filesMistakes,
  ...callMistakes,
};
