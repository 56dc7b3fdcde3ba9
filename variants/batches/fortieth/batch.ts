import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, named, scheduleTask } from '../proofs.ts';
import { at, encoded, listAt, many } from '../service.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { callsMistakes } from './calls.ts';
import { filesMistakes } from './files.ts';
import { objectsMistakes } from './objects.ts';

const taskRecord = { id: 'task', extensionType: 'ExternalTask' } as const;

/** Tasks, what they report, and keys. */
const tasksMistakes: Batch = {
  'tasks.chunks-beside-an-input-in-the-root': {
    source: 'extensions: External task links, row uploadFile',
    breaks: 'The link for a chunked upload leads to one, also where the input lies in the root of the area.',
    kind: 'value',
    survives:
      'How a job names its input is not shown: the mistake is about a name without a slash before it, and the profile binds one with it. Ledger trigger-task-binding.',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) =>
      right(areas, spaceId, jobId, inputPath, token).map((link) =>
        link.id === 'uploadFile' && !inputPath.includes('/') ? { ...link, url: `${link.url}/` } : link,
      ),
    ),
    async shows(service) {
      const host = await service.host(() => [taskRecord]);
      await scheduleTask(service, { inputPath: 'input.csv' });
      const links = listAt(callsOf(host, 'task')[0]?.envelope, '/payload/links');
      const url = String(
        at(
          links.find((link) => at(link, '/id') === 'uploadFile'),
          '/url',
        ),
      );
      const base = new URL(url).pathname;
      return (await service.edda.sendChunk('chunked.txt', ['content'], 1, base)).status >= 400;
    },
  },

  'tasks.first-line-of-progress': {
    source: 'extensions: Callbacks from an external task, row 2',
    breaks: 'The message is shown on the job, all its lines.',
    kind: 'value',
    variant: replaces('jobs', 'jobAfterProgress', (right, areas, job, progress) =>
      right(areas, job, progress.split('\n', 1)[0] ?? ''),
    ),
    async shows(service) {
      await service.host(() => [taskRecord]);
      const job = await scheduleTask(service);
      await service.edda.put(`${job}/progress`, undefined, { message: 'one\ntwo' });
      return at((await service.edda.get(job)).json, '/progress') !== 'one\ntwo';
    },
  },

  'tasks.timeout-of-the-one-before': {
    source: 'extensions: Payloads by extension type, row ExternalTask',
    breaks: 'A task without a timeout has 600 seconds, also behind one that had another.',
    kind: 'copy',
    variant: breaks('triggers', 'taskPayload', (right) => {
      let former: unknown;
      return (areas, body) => {
        former = body['timeout'] ?? former;
        return right(areas, former === undefined ? body : { ...body, timeout: former });
      };
    }),
    async shows(service) {
      const host = await service.host(() => [taskRecord]);
      await scheduleTask(service, { timeout: 30 });
      await scheduleTask(service);
      return at(callsOf(host, 'task').at(-1)?.envelope, '/payload/timeout') !== 600;
    },
  },

  'api-keys.one-that-stays': {
    source: 'extensions: Permission names',
    breaks: 'Keys are rotated every 24 hours, also that for snapshots.',
    kind: 'value',
    variant: breaks('apiKeys', 'issueKeys', (right) => {
      const kept = new Map<string, string>();
      return async (areas, writing, holder, permissions) => {
        const keys = await right(areas, writing, holder, permissions);
        return keys.map((acquired) => {
          if (acquired.permission !== 'SnapshotAPI') return acquired;
          const id = `${holder.registrationId} ${holder.recordId ?? ''}`;
          const key = kept.get(id) ?? acquired.key;
          kept.set(id, key);
          return { ...acquired, key };
        });
      };
    }),
    async shows(service) {
      const permissions = ['SnapshotAPI'] as const;
      const host = await service.host(
        (url) => [{ id: 'keys', permissions: { tokenCallback: `${url}/keys`, permissions: [...permissions] } }],
        always({ status: 200 }),
      );
      const brought: unknown[] = [];
      for (let left = 2; left > 0; left -= 1) {
        await service.cora.post('/api/collection/externalExtension/acquireAccessToken/keys', {
          tokenCallback: `${host.url}/keys`,
          permissions,
        });
        brought.push(at(host.entries(({ path }) => path === '/keys').at(-1)?.json, '/SnapshotAPI/apiKey'));
        await service.pass(25 * 3600);
      }
      return brought[0] === brought[1];
    },
  },
};

/** Longest header that a column of the table takes. */
const longestFilter = 255;

/** Long arrays, their links, pages and filters. */
const listsMistakes: Batch = {
  'paging.another-kind-behind-a-value': {
    source: 'core: Link object, rel',
    breaks: 'A link to pages has page as its rel, whatever the filter takes its value from.',
    kind: 'value',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, view, section, total, filter) => {
      const link = right(areas, object, view, section, total, filter);
      return filter !== undefined && filter.filter.equals === undefined ? { ...link, rel: 'filteredPage' } : link;
    }),
    async shows({ edda }) {
      const files = named(11).map((file) => ({ ...file, category: 'c' }));
      const made = await edda.make('Document', { title: 't', files });
      const read = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=c');
      return !listAt(read, '/links').some((link) => at(link, '/rel') === 'page');
    },
  },

  'paging.section-that-grew-last': {
    source: 'core: Link object, sectionPath',
    breaks: 'A link names the array whose pages it leads to, also after another array has grown.',
    kind: 'moment',
    variant: (classes) => {
      const grown = new Map<string, string>();
      return together(
        replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
          await right(areas, run, target, contents);
          grown.set(run.object.oid, target.steps.at(-1)?.name ?? '');
        }),
        replaces('hypermedia', 'pageLink', (right, areas, object, view, section, total, filter) => {
          const link = right(areas, object, view, section, total, filter);
          return { ...link, sectionPath: grown.get(object.oid) ?? section.path };
        }),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      await edda.operate(made, 1, [{ op: 'add', path: '/contacts', value: { name: 'c' } }]);
      const link = listAt(await edda.read(made), '/links').find((each) => at(each, '/rel') === 'page');
      return at(link, '/sectionPath') !== 'files';
    },
  },

  'paging.counted-to-a-hundred': {
    source: 'core: Link object, totalNumber',
    breaks: 'A link tells how many entries there are, also beyond a hundred.',
    kind: 'value',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, view, section, total, filter) => ({
      ...right(areas, object, view, section, total, filter),
      totalNumber: Math.min(total, 100),
    })),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(101) });
      const link = listAt(await edda.read(made), '/links').find((each) => at(each, '/rel') === 'page');
      return at(link, '/totalNumber') !== 101;
    },
  },

  'headers.filter-of-256-characters': {
    source: 'core: Common request headers, Svc-InformationFilter',
    breaks: 'An information filter is taken, also where its Base64 is longer than 255 characters.',
    kind: 'value',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) => {
      if ((call.headers['svc-informationfilter']?.length ?? 0) > longestFilter)
        throw new Refusal(400, `Expected an information filter of at most ${longestFilter} characters.`);
      return right(areas, call);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const filter = encoded({ time: '2020-01-02T03:04:05Z', role: 'r'.repeat(200) });
      return (await edda.get(made.path, { 'Svc-InformationFilter': filter })).status !== 200;
    },
  },

  'filters.value-with-an-equals-sign': {
    source: 'core: Endpoint table, GET softtype',
    breaks: 'The value of a filter is what stands behind the name of its parameter, an equals sign in it included.',
    kind: 'value',
    variant: replaces('entries', 'filterOf', (right, areas, call, softType, parameter) => {
      const applied = right(areas, call, softType, parameter);
      return applied && { ...applied, value: applied.value.split('=', 1)[0] ?? '' };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', category: 'a=b' }] });
      const read = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=a%3Db');
      return listAt(read, '/data/files').length === 0;
    },
  },

  'filters.value-ahead-of-the-filter': {
    source: 'core: Server side paging 5',
    breaks: 'A filter is applied with its value, in whatever order the query names the two.',
    kind: 'combination',
    variant: replaces('entries', 'filterOf', (right, areas, call, softType, parameter) => {
      const applied = right(areas, call, softType, parameter);
      if (applied === undefined || applied.filter.equals !== undefined) return applied;
      const names = [...call.query.keys()];
      const { groupId, criteriaPort } = applied.filter;
      if (names.indexOf(`${groupId}.${criteriaPort}`) < names.indexOf(parameter))
        throw new Refusal(400, 'The filter has no value.');
      return applied;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', category: 'c' }] });
      return (await edda.get(`${made.path}?fileGroup.category=c&softTypeFilterId=byCategory`)).status !== 200;
    },
  },

  'filters.links-of-other-arrays': {
    source: 'core: Server side paging 2 and 5',
    breaks: 'An array of more than ten entries has its link, also one that the filter is not about.',
    kind: 'place',
    variant: replaces('hypermedia', 'pageLinksOf', (right, areas, object, view, slice, filter) =>
      filter !== undefined && slice.section.port !== filter.filter.port
        ? []
        : right(areas, object, view, slice, filter),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', contacts: named(11) });
      const read = await edda.read(made, '?softTypeFilterId=drawings');
      return !listAt(read, '/links').some((link) => at(link, '/sectionPath') === 'contacts');
    },
  },
};

/** Instances that a batch makes at most. */
const mostInBatch = 100;

const tokenForm = 'application/x-www-form-urlencoded';

const client = `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`;

/** Many at once, and who may. */
const manyMistakes: Batch = {
  'batch.a-result-for-each-role': {
    source: 'core: Batch rules 3',
    breaks: 'There is one result for each operation, also for a user with roles on two participants.',
    kind: 'role',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      const answer = await right(areas, call, writing, table);
      const roles = areas.auth.rolesOf(call.user, call.space);
      return { ...answer, body: listAt(answer, '/body').flatMap((result) => roles.map(() => result)) };
    }),
    async shows({ emil }) {
      const made = await emil.make('Document', { title: 't' });
      return listAt((await emil.batch([{ method: 'GET', href: made.path }])).json, '').length !== 1;
    },
  },

  'batch.items-of-another-operation': {
    source: 'core: Batch rules 4',
    breaks: 'What separate operations of a batch create is not related, by the $id of an item of another neither.',
    kind: 'place',
    variant: (classes) => {
      const kept = new Map<string, readonly unknown[]>();
      let current = '';
      return together(
        replaces('multiCreate', 'multiCreate', (right, areas, call, writing) => {
          current = call.correlationId;
          const { isSibling: _isSibling, ...rest } = call;
          return right(areas, rest, writing);
        }),
        replaces(
          'multiCreate',
          'findItem',
          (right, areas, items, $id, referrer) =>
            right(areas, items, $id, referrer) ?? right(areas, (kept.get(current) ?? []) as never, $id, referrer),
        ),
        replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
          kept.set(call.correlationId, [...(kept.get(call.correlationId) ?? []), ...items]);
          return right(areas, call, writing, items, inputs);
        }),
      )(classes);
    },
    async shows({ edda }) {
      const create = (body: object) => ({ method: 'POST', href: '/space/main/softtype', body });
      const describes = [{ id: 'r', value: { instanceRef: 'p', softTypeId: 'Part' } }];
      const { status } = await edda.batch([
        create([{ $id: 'p', $softType: 'Part', data: { name: 'n' } }]),
        create([{ $id: 'd', $softType: 'Document', data: { title: 't', describes } }]),
      ]);
      return status === 200;
    },
  },

  'batch.put-behind-a-patch-merges': {
    source: 'core: Batch rules 5',
    breaks: 'A PUT replaces all fields, also those that an earlier operation of the batch wrote.',
    kind: 'moment',
    variant: replaces('editing', 'putObject', async (right, areas, call, writing) => {
      const { object } = call;
      const isChanged = call.isChangedHere?.(object.oid) ?? false;
      const answer = await right(areas, call, writing);
      const stored = await writing.object(call.space.id, object.oid);
      if (!isChanged || stored === undefined) return answer;
      const content = { ...object.content, ...stored.content };
      await writing.updateObject(call.space.id, object.oid, stored.version, content);
      return answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const href = `/api/space/main/softtype/Document/documentInput/${made.oid}`;
      await edda.batch([
        { method: 'PATCH', href, headers: { 'Svc-UOIVersion': '1' }, body: { note: 'n' } },
        { method: 'PUT', href, headers: { 'Svc-UOIVersion': '2' }, body: { title: 'u' } },
      ]);
      return at(await edda.read(made), '/data/note') !== undefined;
    },
  },

  'batch.instances-are-counted': {
    source: 'core: Limits, text below the table',
    breaks: 'A batch has no hard limit, of the instances that its multi-creates make neither.',
    kind: 'combination',
    variant: replaces('batch', 'batchOperationsOf', (right, areas, body) => {
      const operations = right(areas, body);
      const items = operations
        .filter((operation) => at(operation, '/method') === 'POST')
        .map((operation) => listAt(operation, '/body').length);
      if (items.reduce((sum, count) => sum + count, 0) > mostInBatch)
        throw new Refusal(400, `Expected a batch of at most ${mostInBatch} instances.`);
      return operations;
    }),
    async shows({ edda }) {
      const body = many(50, (number) => ({ $softType: 'Part', data: { name: `n${number}` } }));
      const create = { method: 'POST', href: '/space/main/softtype', body };
      return (await edda.batch([create, create, create])).status !== 200;
    },
  },

  'grants.form-of-the-one-before': {
    source: 'core: Authentication 3',
    breaks: 'A grant is judged by the form that it comes with, and by none that came before it.',
    kind: 'copy',
    variant: breaks('grants', 'grantFormOf', (right) => {
      let former: ReadonlyMap<string, string> = new Map();
      return (areas, call) => {
        const form = new Map([...former, ...right(areas, call)]);
        former = form;
        return form;
      };
    }),
    async shows({ nobody }) {
      const headers = { authorization: client, 'content-type': tokenForm };
      await nobody.post('/auth/token', 'grant_type=password&username=edda&password=edda-password&scope=All', headers);
      const answer = await nobody.post('/auth/token', 'grant_type=password&username=edda&scope=All', headers);
      return answer.status === 200;
    },
  },

  'access.whoever-holds-the-tag': {
    source: 'core: Authentication 7',
    breaks: 'Collection routes need a Collection Administrator, whatever the caller holds already.',
    kind: 'moment',
    variant: (classes) => {
      const tags = new Set<string>();
      return together(
        replaces('caching', 'conditional', (right, areas, call, answer) => {
          const found = right(areas, call, answer);
          tags.add(String(found.headers?.['ETag']));
          return found;
        }),
        replaces('auth', 'authorize', (right, areas, user, access, call) => {
          const isHeld = call.method === 'GET' && tags.has(call.headers['if-none-match'] ?? '');
          if (access !== 'collection' || !isHeld) right(areas, user, access, call);
        }),
      )(classes);
    },
    async shows({ cora, edda }) {
      const path = '/api/collection/space';
      const tag = (await cora.get(path)).headers.get('etag') ?? '';
      return (await edda.get(path, { 'if-none-match': tag })).status !== 403;
    },
  },
};

/** Drawn by lot: sixty sentences of both documents, each broken in a circumstance that was drawn too, by somebody who had seen no check. */
export const fortieth: Batch = {
  ...objectsMistakes,
  ...listsMistakes,
  ...manyMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...tasksMistakes,
};
