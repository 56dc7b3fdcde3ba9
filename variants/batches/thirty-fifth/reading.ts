import { headerNames, mediaTypes } from '../../../contract/names.ts';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, encoded, listAt, movePath, operationsPath } from '../service.ts';

export const readingMistakes: Batch = {
  'paging.arrays-inside-later-pages-come-whole': {
    source: 'core: Limits, row 1',
    breaks: 'Ten entries an array holds in a page as well, those inside the entries of a later page included.',
    kind: 'place',
    variant: replaces('paging', 'assemblePage', (right, areas, call, reading, object, view, section, page, filter) => {
      const whole = within(areas, { entries: { nestedReadRange: () => ({ from: 0, to: 100_000 }) } });
      return right(page > 0 ? whole : areas, call, reading, object, view, section, page, filter);
    }),
    async shows({ edda }) {
      const revisions = named(11).map(({ name }) => ({ text: name }));
      const files = named(11).map((file) => ({ ...file, revisions }));
      const made = await edda.make('Document', { title: 't', files });
      return listAt((await edda.page(made, 'files', 1)).json, '/data/0/revisions').length !== 10;
    },
  },
  'paging.href-of-the-filtered-page': {
    source: 'core: Page response, row href',
    breaks: 'The href of a page is its own, also where the page was read with a filter before.',
    kind: 'copy',
    variant: breaks('paging', 'assemblePage', (right) => {
      const known = new Map<string, string>();
      return async (areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        const key = `${object.oid} ${view.id} ${section.path} ${page}`;
        if (filter !== undefined) known.set(key, body.href);
        return { ...body, href: known.get(key) ?? body.href };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', category: 'drawing' }] });
      await edda.page(made, 'files', 0, '?softTypeFilter=drawings');
      return String(at((await edda.page(made, 'files', 0)).json, '/href')).includes('softTypeFilter');
    },
  },
  'paging.version-before-the-promote': {
    source: 'core: Page response, row version',
    breaks: 'A page has the version of its object, also after a promote that left the content alone.',
    kind: 'copy',
    variant: breaks('paging', 'assemblePage', (right) => {
      const known = new Map<string, number>();
      return async (areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        const key = JSON.stringify([object.oid, { ...object.content, $states: undefined }, body.data, body.href]);
        const version = known.get(key) ?? object.version;
        known.set(key, version);
        return { ...body, version };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      await edda.page(made, 'files', 1);
      await edda.move(made, 1);
      return at((await edda.page(made, 'files', 1)).json, '/version') !== 2;
    },
  },
  'paging.total-of-all-so-far': {
    source: 'core: Link object, row totalNumber',
    breaks: 'The link of the second long array has the number of its own entries.',
    kind: 'place',
    variant: replaces('hypermedia', 'linksOf', (right, areas, ...args) => {
      let total = 0;
      return right(areas, ...args).map((link) => {
        if (link.rel !== 'page') return link;
        total += link.totalNumber ?? 0;
        return { ...link, totalNumber: total };
      });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11), contacts: named(12) });
      const totals = listAt(await edda.read(made), '/links').map((link) => at(link, '/totalNumber'));
      return totals.includes(23);
    },
  },
  'reading.soft-type-is-the-schema': {
    source: 'core: System properties, row $softType',
    breaks: 'The SoftType inside the data is that of the object, whichever output schema shows it.',
    kind: 'value',
    variant: replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
      const data = right(areas, space, object, view, slices);
      return view.names.size < 4 ? { ...data, $softType: view.id } : data;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const read = await edda.get(`/api/space/main/softtype/Document/documentSummary/${made.oid}`);
      return at(read.json, '/data/$softType') !== 'Document';
    },
  },
  'reading.links-of-whoever-has-as-many-roles': {
    source: 'core: SoftType read response, row links',
    breaks: 'The links are those of whoever asks, whoever asked before.',
    kind: 'role',
    variant: replaces('memory', 'rightsOf', (_right, areas, call) =>
      String(areas.auth.rolesOf(call.user, call.space).length),
    ),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.read(made);
      return listAt(await rita.read(made), '/links').some((link) => at(link, '/method') === 'PUT');
    },
  },
};

export const writingMistakes: Batch = {
  'operations.administrators-leave-the-model': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry that lost a mandatory member goes, whoever removed it.',
    kind: 'role',
    variant: replaces('operations', 'removeTarget', (right, areas, run, target) => {
      const isTrusted = areas.auth.rolesOf(run.call.user, run.call.space).includes('administrator');
      return right(isTrusted ? within(areas, { operations: { complies: () => true } }) : areas, run, target);
    }),
    async shows({ alma }) {
      const made = await alma.make('Document', { title: 't', files: [{ name: 'n' }] });
      const id = String(at(await alma.read(made), '/data/files/0/$entryId'));
      await alma.operate(made, 1, [{ op: 'remove', path: `/files/${id}/name` }]);
      return listAt(await alma.read(made), '/data/files').length === 1;
    },
  },
  'versioning.nothing-to-do-needs-no-version': {
    source: 'core: Errors 2',
    breaks: 'A PATCH without the version is refused, also one that edits nothing.',
    kind: 'value',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isBare = call.headers[headerNames.version.toLowerCase()] === undefined;
      const isEmpty = ['{}', '[]'].includes(String(call.body ?? ''));
      return isBare && isEmpty ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.merge(made, undefined, {})).status !== 412;
    },
  },
  'versioning.the-same-edit-again': {
    source: 'core: Errors 1',
    breaks: 'An edit for an older version is refused, also one that repeats the last edit word by word.',
    kind: 'copy',
    variant: breaks('versioning', 'assertVersion', (right) => {
      const last = new Map<string, string>();
      return (areas, call, object) => {
        const key = `${call.method} ${call.url} ${call.headers[headerNames.version.toLowerCase()]} ${String(call.body ?? '')}`;
        if (last.get(object.oid) === key) return object.version;
        const version = right(areas, call, object);
        last.set(object.oid, key);
        return version;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.merge(made, 1, { note: 'n' });
      return (await edda.merge(made, 1, { note: 'n' })).status !== 409;
    },
  },
  'editing.merge-of-a-large-integer': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'An integer beyond 32 bits is kept by a merge as it was sent.',
    kind: 'value',
    variant: replaces('editing', 'mergePatch', (right, areas, target, edits) => {
      const members = Object.entries(edits).map(([name, edit]) => [
        name,
        Number.isSafeInteger(edit) ? Number(edit) | 0 : edit,
      ]);
      return right(areas, target, Object.fromEntries(members));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.merge(made, 1, { pageCount: 3_000_000_000 });
      return at(await edda.read(made), '/data/pageCount') !== 3_000_000_000;
    },
  },
  'multi-create.ids-of-former-requests': {
    source: 'core: Multi-create item, row $id',
    breaks: 'The $id of an item is known inside its own request alone.',
    kind: 'copy',
    variant: breaks('multiCreate', 'findItem', (right) => {
      const known = new Map<string, NonNullable<ReturnType<typeof right>>>();
      return (areas, items, $id, referrer) => {
        for (const item of items) if (item.$id !== undefined) known.set(item.$id, item);
        return right(areas, items, $id, referrer) ?? known.get($id);
      };
    }),
    async shows({ edda }) {
      const refers = (ref: string) => [{ id: ref, value: { instanceRef: ref, softTypeId: 'Part' } }];
      const document = { $id: 'd', $softType: 'Document', data: { title: 't', describes: refers('p') } };
      await edda.multiCreate([{ $id: 'p', $softType: 'Part', data: { name: 'n' } }, document]);
      return (await edda.multiCreate([document])).status === 201;
    },
  },
  'multi-create.open-to-readers': {
    source: 'core: What the service does, space level',
    breaks: 'The role decides on POST, on the route without the api prefix as well.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) =>
      right(areas, user, access === 'space' && call.url.startsWith('/space/') ? 'participant' : access, call),
    ),
    shows: async ({ rita }) =>
      (await rita.multiCreate([{ $id: 'p', $softType: 'Part', data: { name: 'n' } }])).status !== 403,
  },
  'batch.equal-reads-are-one': {
    source: 'core: Batch rules 3',
    breaks: 'Each operation has a result, also one that reads what the one before it read.',
    kind: 'copy',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => {
      const texts = results.map((result) => JSON.stringify(result));
      return right(
        areas,
        results.filter(({ statusCode }, index) => statusCode !== 200 || texts[index] !== texts[index - 1]),
      );
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const operation = { method: 'GET', href: made.path };
      return listAt((await edda.batch([operation, operation])).json, '').length !== 2;
    },
  },
  'batch.equal-creates-are-one': {
    source: 'core: Endpoint table, POST',
    breaks: 'Each create of a batch makes an object of its own, also where two have the same body.',
    kind: 'copy',
    variant: breaks('editing', 'createObject', (right) => {
      const known = new Map<string, ReturnType<typeof right>>();
      return (areas, call, writing) => {
        if (call.isSibling === undefined) return right(areas, call, writing);
        const key = `${call.correlationId} ${call.url} ${String(call.body ?? '')}`;
        const answer = known.get(key) ?? right(areas, call, writing);
        known.set(key, answer);
        return answer;
      };
    }),
    async shows({ edda }) {
      const operation = { method: 'POST', href: '/api/space/main/softtype/Part/partInput', body: { name: 'n' } };
      const { json } = await edda.batch([operation, operation]);
      return at(json, '/0/body/href') === at(json, '/1/body/href');
    },
  },
  'batch.operations-have-no-date': {
    source: 'core: Batch operation, row headers',
    breaks: 'The filter of the batch is that of its operations, its date in lists of operations included.',
    kind: 'combination',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const headers = right(areas, batch, operation);
      if (headers['content-type'] !== mediaTypes.operations) return headers;
      return { ...headers, [headerNames.informationFilter.toLowerCase()]: 'e30=' };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', price: '12' });
      const operation = {
        method: 'PATCH',
        href: operationsPath(made),
        headers: { [headerNames.version]: '1', 'Content-Type': mediaTypes.operations },
        body: [{ op: 'replace', path: '/price', value: '13' }],
      };
      const filter = encoded({ time: '2019-03-04T00:00:00Z' });
      await edda.post('/api/space/main/batch', [operation], { [headerNames.informationFilter]: filter });
      return !String(at(await edda.read(made), '/data/price/effectivity')).startsWith('2019-03-04');
    },
  },
  'maturity.version-of-a-promote-in-a-batch': {
    source: 'core: States and transitions',
    breaks: 'A promote at version n gives n+1, also behind another one of its batch.',
    kind: 'combination',
    variant: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const body = right(areas, call, answer);
      const version = at(body, '/version');
      const isSecond = call.url.includes('/promote/') && Number(version) > 2 && call.isChangedHere !== undefined;
      return isSecond
        ? { ...(body as object), version: Number(call.headers[headerNames.version.toLowerCase()]) }
        : body;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const operations = [1, 2].map((version) => ({
        method: 'PUT',
        href: movePath(made),
        headers: { [headerNames.version]: String(version) },
      }));
      return at((await edda.batch(operations)).json, '/1/body/version') !== 3;
    },
  },
};
