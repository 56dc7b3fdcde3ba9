import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, named, reached, scheduleTask } from '../proofs.ts';
import { at, encoded, listAt, many, movePath, pagePath, versionHeader } from '../service.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal, Undone } from '../../../reference-server/http/refusal.ts';
import { detach } from '../../../reference-server/ports/store.ts';
import { routes } from '../../../contract/routes.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { callsMistakes } from './calls.ts';
import { filesMistakes } from './files.ts';

/** A task for which anybody may have a file. */
const task = { id: 'task', extensionType: 'ExternalTask' } as const;

/** Tasks and their jobs. */
const tasksMistakes: Batch = {
  'tasks.reported-paths-decoded': {
    source: 'extensions: States and transitions, row Completed',
    breaks: 'The path that a task reports is that of its output, percent signs included.',
    kind: 'value',
    variant: replaces('jobs', 'reportedFilesOf', (right, areas, found) =>
      Object.fromEntries(
        Object.entries(right(areas, found)).map(([name, path]: [string, unknown]) => [name, decoded(String(path))]),
      ),
    ),
    async shows(service) {
      await service.host(() => [task]);
      const job = await scheduleTask(service);
      const outputFilePath = 'results/100%25.csv';
      await service.edda.put(`${job}/status/Completed`, undefined, { outputFilePath });
      return at((await service.edda.get(job)).json, '/outputFilePath') !== outputFilePath;
    },
  },

  'tasks.any-capability-is-a-type': {
    source: 'extensions: Extension metadata record, text on capability use, third sentence',
    breaks: 'Capabilities of other sorts may be there, and say nothing of the files that a task manages.',
    kind: 'combination',
    variant: replaces('triggers', 'assertManages', (right, areas, record, path) => {
      const all = record.capabilities?.map((item) => ({ ...item, capabilityType: 'MimeType' }));
      right(areas, all === undefined ? record : { ...record, capabilities: all }, path);
    }),
    async shows(service) {
      const host = await service.host(() => [
        { ...task, capabilities: [{ capabilityType: 'Region', capabilities: ['north'] }] },
      ]);
      await scheduleTask(service);
      return callsOf(host, 'task').length === 0;
    },
  },
};

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const acquirePath = '/api/collection/externalExtension/acquireAccessToken/keys';

/** What is registered, and who may do what. */
const registeredMistakes: Batch = {
  'api-keys.those-that-are-new-alone': {
    source: 'extensions: Acquiring API keys, second sentence',
    breaks: 'The callback gets a member for each permission that was asked for, also for one that it had before.',
    kind: 'copy',
    variant: replaces('apiKeys', 'bringKeys', (right, areas, call, holder, request, keys) =>
      right(
        areas,
        call,
        holder,
        request,
        keys.filter(({ fresh }) => fresh),
      ),
    ),
    async shows(service) {
      const permissions = ['SnapshotAPI', 'AuthorizationAPI'] as const;
      const host = await service.host(
        (url) => [{ id: 'keys', permissions: { tokenCallback: `${url}/keys`, permissions: [...permissions] } }],
        always({ status: 200 }),
      );
      const tokenCallback = `${host.url}/keys`;
      await service.cora.post(acquirePath, { tokenCallback, permissions: ['SnapshotAPI'] });
      await service.cora.post(acquirePath, { tokenCallback, permissions });
      const [, second] = callsOf(host, 'other');
      return isContent(second?.json) && !('SnapshotAPI' in second.json);
    },
  },

  'access.registrations-for-administrators-of-spaces': {
    source: 'core: Authentication 7, second part',
    breaks: 'Collection routes are for the Collection Administrator, and not for who administrates a space.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const spaces = [...areas.configuration.spaces.values()];
      const administrates = spaces.some((space) => areas.auth.rolesOf(user, space).includes('administrator'));
      if (access === 'collection' && call.method === 'GET' && administrates) return;
      right(areas, user, access, call);
    }),
    async shows({ alma }) {
      return (await alma.get('/api/collection/space')).status === 200;
    },
  },

  'metadata.nothing-behind-an-unknown-type': {
    source: 'extensions: Extension metadata record, row extensionType, second part',
    breaks: 'A record of an unsupported type is passed over, and those behind it are put to use.',
    kind: 'place',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      const first = items.findIndex(
        (item) =>
          isContent(item) &&
          typeof item['extensionType'] === 'string' &&
          !areas.metadata.isSupportedType(item['extensionType']),
      );
      return right(areas, first < 0 ? items : items.slice(0, first));
    }),
    async shows(service) {
      await service.host(() => [{ id: 'odd', extensionType: 'ExternalOddity' }, { id: 'event' }]);
      return (await service.edda.sendEvent()).status >= 400;
    },
  },
};

/** Edits of single objects. */
const writingMistakes: Batch = {
  'operations.arrays-of-references-refused': {
    source: 'core: Operations-based PATCH rules 6, first part',
    breaks: 'An array is a value that add takes, also one of references.',
    kind: 'place',
    survives: 'What an array does that is added to an array is not said, a refusal included (add-array-onto-array).',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, place) => {
      if (target.kind === 'array' && target.member.kind === 'references' && Array.isArray(value))
        throw new Refusal(422, 'Expected one reference, found an array.');
      return right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const part = await edda.make('Part', { name: 'p' });
      const made = await edda.make('Document', { title: 't' });
      const value = [{ value: { $oid: part.oid } }];
      return (await edda.operate(made, 1, [{ op: 'add', path: '/describes', value }])).status >= 400;
    },
  },

  'operations.shell-of-a-dated-value': {
    source: 'core: Operations-based PATCH rules 8, example',
    breaks: 'With the value goes the assignment that owns it, also behind another operation of the list.',
    kind: 'place',
    variant: replaces('operations', 'applyOperation', async (right, areas, run, operation, place) => {
      const [name = '', below] = operation.tokens;
      const held = run.root[name];
      await right(areas, run, operation, place);
      if (operation.op !== 'remove' || below !== 'value' || place === '/0' || !isContent(held)) return;
      run.root = { ...run.root, [name]: { effectivity: held['effectivity'] } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', price: '12' });
      await edda.operate(made, 1, [
        { op: 'replace', path: '/title', value: 'u' },
        { op: 'remove', path: '/price/value' },
      ]);
      return at(await edda.read(made), '/data/price') !== undefined;
    },
  },

  'versioning.the-lock-is-enough': {
    source: 'core: Errors, row 409',
    breaks: 'A stale version is a conflict, also for the user who holds the lock.',
    kind: 'combination',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const sent = areas.versioning.versionHeaderOf(call);
      const isHolders = 'user' in call && isContent(call.user) && object.content['$lockedBy'] === call.user['name'];
      return isHolders && sent > 0 && sent < object.version ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.merge(made, 1, { note: 'a' });
      await edda.post(`/api/space/main/lock/${made.oid}`);
      return (await edda.merge(made, 1, { note: 'b' })).status < 300;
    },
  },

  'versioning.none-asked-for-behind-a-write': {
    source: 'core: Errors, rule 2',
    breaks: 'The version is needed on PUT and PATCH, also where the batch itself has just changed the object.',
    kind: 'combination',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isKnown = 'isChangedHere' in call && (call.isChangedHere as (oid: string) => boolean)(object.oid);
      return isKnown && call.headers['svc-uoiversion'] === undefined ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 't' });
      const href = `/api/space/main/softtype/Document/documentInput/${oid}`;
      const edit = { method: 'PATCH', href, body: { note: 'n' } };
      return (await edda.batch([{ ...edit, headers: { 'Svc-UOIVersion': '1' } }, edit])).status === 200;
    },
  },
};

/** A validator of documents. */
const validator = {
  id: 'check',
  extensionType: 'ExternalValidation',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
} as const;

/** Many operations by one request, and many objects. */
const manyMistakes: Batch = {
  'validation.object-of-the-operation-before': {
    source: 'extensions: Payloads by extension type, row ExternalValidation',
    breaks: 'The object told of is the one to validate, also where the request has several.',
    kind: 'combination',
    variant: breaks('validation', 'validationPayload', (right) => {
      const first = new Map<string, string>();
      return (areas, call, object) => {
        const oid = call.correlationGiven ? (first.get(call.correlationId) ?? object.oid) : object.oid;
        if (call.correlationGiven) first.set(call.correlationId, oid);
        return right(areas, call, { ...object, oid });
      };
    }),
    async shows(service) {
      const host = await service.host(() => [validator]);
      const made = await Promise.all(many(2, () => service.edda.make('Document', { title: 't' })));
      const moves = made.map((each) => ({ method: 'PUT', href: movePath(each), headers: versionHeader(1) }));
      await service.edda.post('/api/space/main/batch', moves, { 'X-Correlation-Id': 'mine' });
      const ids = callsOf(host, 'validation').map(({ envelope }) => at(envelope?.payload, '/objectId'));
      return ids.length === 2 && new Set(ids).size === 1;
    },
  },

  'batch.undone-when-nobody-waits': {
    source: 'core: Limits, text below the table',
    breaks: 'A batch is carried out to its end, also where the connection has ended meanwhile.',
    kind: 'moment',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      if (call.isAbandoned?.()) throw new Refusal(400, 'Nobody waits for the batch any more.');
      const answer = await right(areas, call, writing, table);
      if (call.isAbandoned?.()) throw new Refusal(400, 'Nobody waits for the batch any more.');
      return answer;
    }),
    async shows(service) {
      const { edda } = service;
      const made = await edda.make('Document', { title: 't' });
      const held = await service.host(() => [validator], [{ when: { kind: 'validation' }, steps: [{ delayMs: 300 }] }]);
      const hangUp = new AbortController();
      const batch = fetch(new URL('/api/space/main/batch', service.url), {
        method: 'POST',
        headers: {
          authorization: 'Bearer svcpat-edda-7d1c0b9e5a',
          'content-type': 'application/json',
          'Svc-InformationFilter': 'e30=',
        },
        body: JSON.stringify([{ method: 'PUT', href: movePath(made), headers: versionHeader(1) }]),
        signal: hangUp.signal,
      }).catch(() => undefined);
      await reached(held, 1);
      hangUp.abort();
      await batch;
      await new Promise((resolve) => setTimeout(resolve, 800));
      return at(await edda.read(made), '/version') === 1;
    },
  },

  'batch.content-type-in-one-spelling': {
    source: 'core: Operations-based PATCH rules 1',
    breaks: 'The media type makes the request one of operations, also in a batch and whatever the case of the name.',
    kind: 'combination',
    survives: 'In which letter case an operation may name its headers is not said; it is recorded.',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const headers = Object.entries(operation.headers).filter(([name]) => name !== 'content-type');
      return right(areas, batch, { ...operation, headers: Object.fromEntries(headers) });
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 't' });
      const answer = await edda.batch([
        {
          method: 'PATCH',
          href: `/api/space/main/softtype/Document/${oid}`,
          headers: { ...versionHeader(1), 'content-type': 'application/json-patch+json' },
          body: [{ op: 'add', path: '/note', value: 'n' }],
        },
      ]);
      return answer.status !== 200;
    },
  },

  'batch.locks-stay-behind': {
    source: 'core: Batch rules 2',
    breaks: 'A lock is an operation of a batch, and goes with it when another one fails.',
    kind: 'combination',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      try {
        return await right(areas, call, writing, table);
      } catch (error) {
        if (!(error instanceof Undone)) throw error;
        const paths = call.json
          .filter((operation) => at(operation, '/method') === 'POST')
          .map((operation) => /\/lock\/([^/?]+)$/.exec(String(at(operation, '/href')))?.[1])
          .filter((oid) => oid !== undefined);
        const keep = async () => {
          for (const oid of paths)
            await areas.store.change(async (later) => {
              const object = await later.object(call.space.id, oid);
              if (object === undefined) return;
              const content = { ...object.content, $lockedBy: call.user.name };
              await later.updateObject(call.space.id, oid, object.version, content);
            });
        };
        setImmediate(() => void detach(keep));
        throw error;
      }
    }),
    async shows({ edda, emil }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.batch([
        { method: 'POST', href: `/api/space/main/lock/${made.oid}` },
        { method: 'GET', href: `${made.path}-none` },
      ]);
      await new Promise((resolve) => setTimeout(resolve, 50));
      return (await emil.merge(made, 1, { note: 'n' })).status >= 400;
    },
  },
};

/** What a filter leaves of a page of files. */
const drawings = '?softTypeFilterId=byCategory&fileGroup.category=';

/** Reads of objects, pages and other data. */
const readingMistakes: Batch = {
  'filters.comma-means-any-of': {
    source: 'core: Endpoint table, GET softtype',
    breaks: 'The value of a filter is what stands in its parameter, commas included.',
    kind: 'value',
    survives: 'By what a filter compares is configuration (filter-definitions): a list of values is a way to.',
    variant: replaces('entries', 'filterOf', (right, areas, call, softType, parameter) => {
      const filter = right(areas, call, softType, parameter);
      return filter && { ...filter, value: filter.value.split(',', 1)[0] ?? '' };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', category: 'plans, old' }] });
      const read = await edda.read(made, drawings + encodeURIComponent('plans, old'));
      return listAt(read, '/data/files').length === 0;
    },
  },

  'reading.schema-of-the-default-in-a-batch': {
    source: 'core: SoftType read response, row schema',
    breaks: 'The schema is that of the instance as it is read, also by an operation of a batch.',
    kind: 'combination',
    variant: replaces('instances', 'assembleInstance', async (right, areas, call, reading, object, view, filter) => {
      const read = await right(areas, call, reading, object, view, filter);
      if (!('insertObject' in reading)) return read;
      const softType = areas.objects.softTypeOf(call.space, object.softType);
      return { ...read, schema: areas.instances.schemaOf(softType, areas.objects.outputViewOf(softType, undefined)) };
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 't' });
      const href = `/api/space/main/softtype/Document/documentSummary/${oid}`;
      const answer = await edda.batch([{ method: 'GET', href }]);
      return at(answer.json, '/0/body/schema/properties/files') !== undefined;
    },
  },

  'paging.template-encoded-beside-a-value': {
    source: 'core: Link object, row href',
    breaks: 'The template stands in a link as it is, also where the link has a query with a value.',
    kind: 'combination',
    variant: replaces('entries', 'pageHref', (right, areas, object, view, section, page, filter) => {
      const href = right(areas, object, view, section, page, filter);
      return href.includes('?') && filter?.filter.equals === undefined
        ? href.replace('{pageNumber}', '%7BpageNumber%7D')
        : href;
    }),
    async shows({ edda }) {
      const files = named(11).map((file) => ({ ...file, category: 'c' }));
      const made = await edda.make('Document', { title: 't', files });
      const links = listAt(await edda.read(made, `${drawings}c`), '/links');
      return links.some((link) => String(at(link, '/href')).includes('%7B'));
    },
  },

  'paging.pages-kept-for-everybody': {
    source: 'core: What the service does, space level, access',
    breaks: 'A page is for those who hold a role in the space, also where somebody else has just read it.',
    kind: 'role',
    variant: breaks('dispatcher', 'carryOut', (right) => {
      const kept = new Map<string, Answer>();
      return async (areas, route, call) => {
        if (route.path !== routes.page) return right(areas, route, call);
        try {
          const answer = await right(areas, route, call);
          kept.set(call.url, answer);
          return answer;
        } catch (error) {
          const known = kept.get(call.url);
          if (known !== undefined && error instanceof Refusal && error.status === 403) return known;
          throw error;
        }
      };
    }),
    async shows({ edda, nora }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      await edda.page(made, 'files', 1);
      return (await nora.page(made, 'files', 1)).status === 200;
    },
  },

  'access.unknown-before-unauthorized': {
    source: 'core: Authentication 6, first part',
    breaks: 'Without a token the answer is 401, also for a page of what is not there.',
    kind: 'place',
    survives: 'Which refusal is told of several is not said (error-precedence).',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const { spaceId = '', objectId = '' } = call.params;
      if (route.path === routes.page && call.headers['authorization'] === undefined) {
        const object = await areas.store.read((reading) => reading.object(spaceId, objectId));
        if (object === undefined) throw new Refusal(404, 'There is no such object.');
      }
      return right(areas, route, call);
    }),
    async shows({ nobody }) {
      const path = pagePath({ definition: 'Document', oid: 'none', path: '' }, 'files', 0);
      return (await nobody.get(path)).status === 404;
    },
  },

  'information-filter.passed-on-as-understood': {
    source: 'extensions: Call envelope, row informationFilter',
    breaks: 'The filter goes on with all that is in it, and not only what the service itself knows.',
    kind: 'value',
    survives:
      'Which fields a filter may have is not shown, so that what becomes of others is not said (information-filter-fields).',
    variant: replaces('triggeredCalls', 'passedFilter', (right, areas, call) => {
      const passed = right(areas, call);
      return call.headers['svc-informationfilter'] === undefined
        ? passed
        : encoded(areas.messages.informationFilterOf(call));
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent('event', {}, { 'Svc-InformationFilter': encoded({ role: 'r', view: 'as-built' }) });
      const [call] = await host.await(({ kind }) => kind === 'event', 1, AbortSignal.timeout(4000));
      const filter = Buffer.from(call?.envelope?.informationFilter ?? '', 'base64').toString();
      return call !== undefined && !filter.includes('as-built');
    },
  },

  'paging.counts-up-to-a-hundred': {
    source: 'core: Link object, row totalNumber',
    breaks: 'The total number is that of all entries, also where they are more than a hundred.',
    kind: 'value',
    variant: replaces('entries', 'totalOf', async (right, areas, reading, object, section, filter) =>
      Math.min(await right(areas, reading, object, section, filter), 100),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: many(104, (number) => ({ name: `n${number}` })) });
      const [link] = listAt(await edda.read(made), '/links').filter((each) => at(each, '/rel') === 'page');
      return at(link, '/totalNumber') !== 104;
    },
  },
};

/** Of sixty mistakes that show where two ordinary things meet, in sentences that were drawn by lot from both documents, by somebody who knew no check. */
export const fiftySecond: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...manyMistakes,
  ...registeredMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...tasksMistakes,
};
