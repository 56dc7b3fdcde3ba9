import { headerNames } from '../../../contract/names.ts';
import { Step, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named, reached } from '../proofs.ts';
import { at, listAt, many, movePath, versionHeader } from '../service.ts';

const validatedBatch = new Step();

export const batchingMistakes: Batch = {
  'batch.filter-without-its-totals': {
    source: 'core: Server side paging 5',
    breaks: 'The filter shapes the links too, also where a batch reads with it.',
    kind: 'combination',
    variant: replaces('instances', 'assembleInstance', async (right, areas, call, reading, object, view, filter) => {
      const read = await right(areas, call, reading, object, view, filter);
      if (filter === undefined || call.isSibling === undefined) return read;
      return { ...read, links: (await right(areas, call, reading, object, view)).links };
    }),
    async shows({ edda }) {
      const files = many(22, (number) => ({ name: `n${number}`, category: number > 11 ? 'drawing' : 'other' }));
      const made = await edda.make('Document', { title: 't', files });
      const operation = { method: 'GET', href: `${made.path}?softTypeFilterId=drawings` };
      const { json } = await edda.batch([operation]);
      return listAt(json, '/0/body/links').some((link) => at(link, '/totalNumber') === 22);
    },
  },
  'batch.inner-version-before-the-batch': {
    source: 'core: System properties, row $version',
    breaks: 'The version inside the data is the one beside it, also where a batch reads what it has changed.',
    kind: 'combination',
    variant: replaces('instances', 'assembleInstance', async (right, areas, call, reading, object, view, filter) => {
      const read = await right(areas, call, reading, object, view, filter);
      if (call.isChangedHere?.(object.oid) !== true || object.version < 2) return read;
      return { ...read, data: { ...read.data, $version: object.version - 1 } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const promote = { method: 'PUT', href: movePath(made), headers: versionHeader(1) };
      const { json } = await edda.batch([promote, { method: 'GET', href: made.path }]);
      return at(json, '/1/body/version') !== at(json, '/1/body/data/$version');
    },
  },
  'batch.results-end-at-200': {
    source: 'core: Limits, text below the table',
    breaks: 'A batch has no hard limit: each operation has a result, also the last one of very many.',
    kind: 'value',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => right(areas, results.slice(0, 200))),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'n' });
      const { json } = await edda.batch(many(201, () => ({ method: 'GET', href: made.path })));
      return listAt(json, '').length !== 201;
    },
  },
  'batch.one-alone-has-its-own-status': {
    source: 'core: Batch rules 3',
    breaks: 'A batch that failed answers 500, also where it had one operation only.',
    kind: 'value',
    variant: replaces('batch', 'batchStatus', (right, areas, results) => {
      const [only, ...more] = results;
      return only !== undefined && more.length === 0 && only.statusCode >= 400
        ? only.statusCode
        : right(areas, results);
    }),
    shows: async ({ edda }) =>
      (await edda.batch([{ method: 'GET', href: '/api/space/main/softtype/none' }])).status !== 500,
  },
  'batch.questions-have-ids-of-their-own': {
    source: 'core: Common request headers, row X-Correlation-Id',
    breaks:
      'The correlation id goes to any extension that is called for the request, also for an operation of a batch.',
    kind: 'combination',
    variant: together(
      replaces('validatedWrites', 'validatedBatch', (right, areas, batch, table) =>
        validatedBatch.run(() => right(areas, batch, table)),
      ),
      replaces('validation', 'askValidator', (right, areas, call, object, validator) =>
        right(
          areas,
          validatedBatch.isOn() ? { ...call, correlationId: `${call.correlationId}-0` } : call,
          object,
          validator,
        ),
      ),
    ),
    async shows(service) {
      const record = {
        id: 'validator',
        extensionType: 'ExternalValidation',
        capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
      } as const;
      const host = await service.host(() => [record]);
      const made = await service.edda.make('Document', { title: 't' });
      const promote = { method: 'PUT', href: movePath(made), headers: versionHeader(1) };
      await service.edda.post('/api/space/main/batch', [promote], { [headerNames.correlationId]: 'mine' });
      const [call] = await reached(host, 1);
      return call !== undefined && call.envelope?.id !== 'mine';
    },
  },
  'validation.the-last-word-holds': {
    source: 'extensions: Errors 5',
    breaks: 'A malformed answer is an error of the validation, also where the one before it said yes to the object.',
    kind: 'copy',
    variant: breaks('validation', 'askValidator', (right) => {
      const known = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, call, object, validator) => {
        const verdict = await right(areas, call, object, validator);
        if (verdict.kind === 'error') return known.get(object.oid) ?? verdict;
        known.set(object.oid, verdict);
        return verdict;
      };
    }),
    async shows(service) {
      const record = {
        id: 'validator',
        extensionType: 'ExternalValidation',
        capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
      } as const;
      const steps = [
        { status: 200, json: { isValid: true, message: '' } },
        { status: 200, text: 'yes' },
      ];
      await service.host(() => [record], [{ steps, afterwards: 'last' }]);
      const made = await service.edda.make('Document', { title: 't' });
      await service.edda.move(made, 1);
      return (await service.edda.move(made, 2)).status < 300;
    },
  },
  'multi-create.second-reference-leads-to-the-first': {
    source: 'core: Multi-create rules 2',
    breaks: 'A reference leads to the item whose $id it holds, also the second one of a port.',
    kind: 'copy',
    variant: breaks('multiCreate', 'findItem', (right) => {
      const known = new WeakMap<object, NonNullable<ReturnType<typeof right>>>();
      return (areas, items, $id, referrer) => {
        const target = right(areas, items, $id, referrer);
        const first = known.get(referrer);
        if (target === undefined || first?.softType === target.softType) return target && first;
        known.set(referrer, target);
        return target;
      };
    }),
    async shows({ edda }) {
      const refers = (ref: string) => ({ id: ref, value: { instanceRef: ref, softTypeId: 'Part' } });
      const parts = ['p', 'q'].map(($id) => ({ $id, $softType: 'Part', data: { name: $id } }));
      const data = { title: 't', describes: [refers('p'), refers('q')] };
      const { json } = await edda.multiCreate([...parts, { $id: 'd', $softType: 'Document', data }]);
      const read = await edda.get(String(at(json, '/2/href')));
      const targets = listAt(read.json, '/data/describes').map((entry) => at(entry, '/value/$oid'));
      return targets.length === 2 && targets[0] === targets[1];
    },
  },
  'versioning.approvals-are-taken-back-without': {
    source: 'core: Errors 2',
    breaks: 'A PUT needs the version, a demote of whichever level included.',
    kind: 'place',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isBare = call.headers[headerNames.version.toLowerCase()] === undefined;
      const isBack = /\/demote\/.*\/approval$/.test(call.url);
      return isBare && isBack ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1, 'promote', 'approval');
      return (await edda.put(movePath(made, 'demote', 'approval'), undefined)).status !== 412;
    },
  },
  'operations.add-of-the-same-value': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'An add on a member that has a value fails, also where it adds just that value.',
    kind: 'value',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, value, place) => {
      if (target.kind === 'member' && target.value !== undefined && target.value === value) return;
      await right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n' });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/note', value: 'n' }])).status < 300;
    },
  },
  'paging.pages-of-an-inner-array-of-twenty': {
    source: 'core: Link object, row pages',
    breaks: 'Twenty entries are two pages, also where they are inside an entry.',
    kind: 'place',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, view, section, total, filter) => {
      const link = right(areas, object, view, section, total, filter);
      return section.items === undefined ? link : { ...link, pages: Math.floor(total / 10) + 1 };
    }),
    async shows({ edda }) {
      const revisions = named(20).map(({ name }) => ({ text: name }));
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', revisions }] });
      return listAt(await edda.read(made), '/links').some((link) => at(link, '/pages') === 3);
    },
  },
  'schemas.of-whichever-space-had-them': {
    source: 'core: What the service does, dynamic routes',
    breaks: 'A space knows the SoftTypes of its own template, whatever another one was asked for before.',
    kind: 'copy',
    variant: breaks('objects', 'softTypeOf', (right) => {
      const known = new Map<string, ReturnType<typeof right>>();
      return (areas, space, definitionId) => {
        const own = space.template.softTypes.has(definitionId);
        const softType = own ? right(areas, space, definitionId) : known.get(definitionId);
        if (softType === undefined) return right(areas, space, definitionId);
        known.set(definitionId, softType);
        return softType;
      };
    }),
    async shows({ edda }) {
      await edda.make('Dossier', { title: 't' });
      const { status } = await edda.post('/api/space/main/softtype/Dossier/dossierInput', { title: 't' });
      return status === 201;
    },
  },
  'batch.absolute-href-loses-its-query': {
    source: 'core: Batch operation, row href',
    breaks: 'The href of an operation is a full URI, its query included, also where it starts with scheme and host.',
    kind: 'value',
    variant: replaces('batch', 'pathOfHref', (right, areas, batch, href) => {
      const path = right(areas, batch, href);
      return href.startsWith('http') ? path?.split('?', 1)[0] : path;
    }),
    async shows({ edda, url }) {
      const files = many(3, (number) => ({ name: `n${number}`, category: number > 2 ? 'drawing' : 'other' }));
      const made = await edda.make('Document', { title: 't', files });
      const href = new URL(`${made.path}?softTypeFilterId=drawings`, url).href;
      const { json } = await edda.batch([{ method: 'GET', href }]);
      return listAt(json, '/0/body/data/files').length === 3;
    },
  },
};
