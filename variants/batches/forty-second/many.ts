import { statesMember, storedStates } from '../../../reference-server/areas/soft-type.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { headerNames } from '../../../contract/names.ts';
import { type Variant, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, editPath, listAt, type Made, movePath } from '../service.ts';

export const manyMistakes: Batch = {
  'batch.rights-of-the-operation-before': {
    source: 'core: What the service does; Batch rules 2',
    breaks:
      'The role decides on every operation of a batch, also on one for the object that the operation before it read.',
    kind: 'copy',
    variant: breaks('batch', 'carryOutOperation', (right) => {
      let former = '';
      return (areas, prepared, writing) => {
        const { route, call } = prepared;
        const about = `${call.correlationId} ${call.params['objectId'] ?? ''}`;
        const isKnown = about === former && call.params['objectId'] !== undefined;
        former = about;
        return isKnown ? areas.dispatcher.carryOutWrite(route, call, writing) : right(areas, prepared, writing);
      };
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 't' });
      const { status } = await rita.batch([{ method: 'GET', href: made.path }, edit(made, 1)]);
      return status === 200;
    },
  },

  'batch.query-decoded-before-it-is-read': {
    source: 'core: Batch operation, row href',
    breaks: 'An href is the URI of a request, also where a value of its query holds an ampersand.',
    kind: 'combination',
    variant: replaces('batch', 'pathOfHref', (right, areas, batch, href) => {
      const [path = '', query] = (right(areas, batch, href) ?? '').split('?');
      return query === undefined ? right(areas, batch, href) : `${path}?${decoded(query)}`;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', category: 'c&d' }] });
      const href = `${made.path}?softTypeFilterId=byCategory&fileGroup.category=c%26d`;
      const { json } = await edda.batch([{ method: 'GET', href }]);
      return listAt(json, '/0/body/data/files').length === 0;
    },
  },

  'batch.version-of-the-first-edit': {
    source: 'core: Batch result, row body',
    breaks: 'A result has the new version, also that of the second edit of one object.',
    kind: 'moment',
    variant: breaks('batch', 'operationResult', (right) => {
      const first = new Map<string, unknown>();
      return (areas, call, answer) => {
        const result = right(areas, call, answer);
        const version = at(result.body, '/version');
        if (call.method === 'GET' || answer.status >= 400 || version === undefined) return result;
        const key = `${call.correlationId} ${call.params['objectId'] ?? answer.headers?.['Location']}`;
        if (!first.has(key)) first.set(key, version);
        return { ...result, body: { ...Object(result.body), version: first.get(key) } };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const { json } = await edda.batch([edit(made, 1), edit(made, 2)]);
      return at(json, '/1/body/version') === 2;
    },
  },

  'batch.version-header-in-lower-case': {
    source: 'core: Batch operation, row headers',
    breaks: 'The name of a header has no letter case, also inside an operation.',
    kind: 'place',
    survives:
      'core: Batch operation, row headers: a member of a JSON object is named there as the document spells it; that other spellings are known is not said.',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const { [headerNames.version.toLowerCase()]: _lost, ...headers } = operation.headers;
      return right(areas, batch, { ...operation, headers });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const operation = { ...edit(made, 1), headers: { 'svc-uoiversion': '1' } };
      return (await edda.batch([operation])).status !== 200;
    },
  },

  'batch.second-level-undoes-the-first': {
    source: 'core: States and transitions; Batch rules 2',
    breaks: 'A promote moves its own level only, also behind a promote of another level in the same batch.',
    kind: 'combination',
    variant: breaks('maturity', 'promoteObject', (right) => {
      const before = new Map<string, ReturnType<typeof storedStates>>();
      return async (areas, call, writing) => {
        const { oid } = call.object;
        const key = `${call.correlationId} ${oid}`;
        const former = before.get(key) ?? storedStates(call.object);
        before.set(key, former);
        const answer = await right(areas, call, writing);
        const object = await writing.object(call.space.id, oid);
        const moved = object && storedStates(object)[call.place.id];
        if (call.isSibling === undefined || object === undefined || moved === undefined) return answer;
        const states = { ...former, [call.place.id]: moved };
        await writing.updateObject(call.space.id, oid, object.version, { ...object.content, [statesMember]: states });
        return answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.batch([promote(made, 1, 'engineering'), promote(made, 2, 'approval')]);
      return at(await edda.read(made), '/data/engineering/state') === 'draft';
    },
  },

  'batch.reads-of-an-earlier-batch': {
    source: 'core: Batch rules 5',
    breaks: 'A read retrieves what is there, also in a batch that was sent before.',
    kind: 'copy',
    variant: breaks('batch', 'runBatch', (right) => {
      const known = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, call, writing, table) => {
        const reads = call.json.length > 1 && call.json.every((operation) => at(operation, '/method') === 'GET');
        const key = `${call.user.name} ${JSON.stringify(call.json)}`;
        const answer = (reads ? known.get(key) : undefined) ?? (await right(areas, call, writing, table));
        if (reads) known.set(key, answer);
        return answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'old' });
      const reads = [1, 2].map(() => ({ method: 'GET', href: made.path }));
      await edda.batch(reads);
      await edda.merge(made, 1, { title: 'new' });
      return at((await edda.batch(reads)).json, '/0/body/data/title') === 'old';
    },
  },

  'batch.ids-of-the-first-multi-create': {
    source: 'core: Multi-create item, row $id; Batch rules 4',
    breaks: 'A temporary id is used inside its request only, also where a batch holds two of them.',
    kind: 'moment',
    variant: breaks('multiCreate', 'multiCreate', (right) => {
      const taken = new Set<string>();
      return async (areas, call, writing) => {
        const answer = await right(areas, call, writing);
        if (call.isSibling === undefined) return answer;
        for (const id of listAt({ items: call.json }, '/items').map((item) => at(item, '/$id'))) {
          const key = `${call.correlationId} ${String(id)}`;
          if (id !== undefined && taken.has(key)) throw new Refusal(422, 'The id is taken.');
          taken.add(key);
        }
        return answer;
      };
    }),
    async shows({ edda }) {
      const create = {
        method: 'POST',
        href: '/space/main/softtype',
        body: [{ $id: 'one', $softType: 'Part', data: { name: 'n' } }],
      };
      return (await edda.batch([create, create])).status !== 200;
    },
  },

  'batch.reads-without-page-links': {
    source: 'core: Batch rules 6; Server side paging 2',
    breaks: 'A read in a batch gives the full response, the links to further pages included.',
    kind: 'value',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, ...rest) =>
      right(areas, call, ...rest).filter(({ rel }) => call.isSibling === undefined || rel !== 'page'),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      const { json } = await edda.batch([{ method: 'GET', href: made.path }]);
      return !listAt(json, '/0/body/links').some((link) => at(link, '/rel') === 'page');
    },
  },

  'batch.forbidden-is-no-failure': {
    source: 'core: Errors, row 500; Batch rules 3',
    breaks: 'A batch answers 500 when an operation failed, also one that the role forbids.',
    kind: 'combination',
    variant: withForbiddenPassing(),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 't' });
      const { status } = await rita.batch([{ method: 'GET', href: made.path }, edit(made, 1)]);
      return status === 200;
    },
  },

  'jobs.progress-by-an-outsider': {
    source: 'core: Authentication 7',
    breaks: 'A space route needs a role in the space, also the one by which a task tells of its progress.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      if (access !== 'participant' || !call.url.endsWith('/progress')) right(areas, user, access, call);
    }),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const body = { recordId: 'task', inputPath: 'folder/input.csv' };
      const job = await service.edda.post('/api/space/main/dx', body);
      await service.pass(1);
      const path = `${job.headers.get('location') ?? ''}/progress`;
      return (await service.nora.put(path, undefined, { message: 'from outside' })).status < 300;
    },
  },
};

function decoded(query: string): string {
  try {
    return decodeURIComponent(query);
  } catch {
    return query;
  }
}

function edit(made: Made, version: number): object {
  const headers = { 'Svc-UOIVersion': String(version) };
  return { method: 'PATCH', href: editPath(made), headers, body: { note: `v${version}` } };
}

function promote(made: Made, version: number, level: string): object {
  const headers = { 'Svc-UOIVersion': String(version) };
  return { method: 'PUT', href: movePath(made, 'promote', level), headers };
}

function withForbiddenPassing(): Variant {
  return together(
    replaces('batch', 'failsBatch', (right, areas, outcome) => right(areas, outcome) && outcome.answer.status !== 403),
    replaces('batch', 'batchStatus', (right, areas, results) =>
      right(
        areas,
        results.filter(({ statusCode }) => statusCode !== 403),
      ),
    ),
  );
}
