import { createHash } from 'node:crypto';
import { breaks, within, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Received, at, encoded, listAt, many } from '../service.ts';
import { failing, link, namesOn, withContacts } from './proofs.ts';

export const reading: Batch = {
  'reading.total-stops-at-hundred': {
    source: 'core: Link object',
    breaks: 'The total number of a page link counts every entry of the array, beyond a hundred too.',
    kind: 'value',
    variant: replaces('entries', 'totalOf', async (right, areas, ...args) => {
      const total = await right(areas, ...args);
      return Math.min(total, 100);
    }),
    async shows({ edda }) {
      const made = await withContacts(edda, 103);
      const page = link(await edda.read(made), (one) => at(one, '/sectionPath') === 'contacts');
      return at(page, '/totalNumber') !== 103 || at(page, '/pages') !== 11;
    },
  },
  'reading.later-pages-bring-inner-arrays-whole': {
    source: 'core: Server side paging 1',
    breaks: 'An array inside an entry is limited to 10 entries also where the entry stands on a later page.',
    kind: 'combination',
    variant: replaces('paging', 'assemblePage', (right, areas, call, reading, object, view, section, page, filter) => {
      const whole = within(areas, { entries: { nestedReadRange: () => ({ from: 0, to: 1000 }) } });
      return right(page === 0 ? areas : whole, call, reading, object, view, section, page, filter);
    }),
    async shows({ edda }) {
      const revisions = many(12, (number) => ({ text: `r${number}` }));
      const files = many(11, (number) => ({ name: `f${number}`, ...(number === 11 && { revisions }) }));
      const page = await edda.page(await edda.make('Document', { title: 't', files }), 'files', 1);
      return listAt(page.json, '/data/0/revisions').length > 10;
    },
  },
  'reading.pages-count-ids': {
    source: 'core: Server side paging 2 and 4',
    breaks: 'Pages are sets of 10 of the entries that there are, after some were removed as well.',
    kind: 'combination',
    variant: replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
      if (filter !== undefined || section.items !== undefined)
        return right(areas, reading, object, section, range, filter);
      const all = await right(areas, reading, object, section, { from: 0, to: 100_000 });
      return all.filter(({ entryId }) => entryId > range.from && entryId <= range.to);
    }),
    async shows({ edda }) {
      const made = await withContacts(edda, 12);
      const third = at(await edda.read(made), '/data/contacts/2/$entryId');
      await edda.operate(made, 1, [{ op: 'remove', path: `/contacts/${String(third)}/` }]);
      return listAt(await edda.read(made), '/data/contacts').length !== 10;
    },
  },
  'reading.filtered-link-tells-unfiltered-total': {
    source: 'core: Server side paging 5',
    breaks: 'A page link of a filtered read counts what the filter admits.',
    kind: 'combination',
    variant: replaces('entries', 'firstSlice', async (right, areas, reading, object, section, filter) => {
      const slice = await right(areas, reading, object, section, filter);
      return filter === undefined || slice.total <= 10
        ? slice
        : { ...slice, total: await areas.entries.totalOf(reading, object, section) };
    }),
    async shows({ edda }) {
      const files = many(24, (number) => ({ name: `f${number}`, category: number <= 12 ? 'drawing' : 'text' }));
      const made = await edda.make('Document', { title: 't', files });
      const read = await edda.read(made, '?softTypeFilterId=drawings');
      return (
        at(
          link(read, (one) => at(one, '/rel') === 'page'),
          '/totalNumber',
        ) !== 12
      );
    },
  },
  'reading.inner-entries-of-pages-lack-their-id': {
    source: 'core: System properties inside `data`',
    breaks: 'Objects in an array inside an entry have their entry id in a page response too.',
    kind: 'place',
    variant: replaces('paging', 'assemblePage', async (right, areas, ...args) => {
      const page = await right(areas, ...args);
      const data = page.data.map((entry) =>
        Object.fromEntries(
          Object.entries(entry).map(([name, value]) => [
            name,
            Array.isArray(value)
              ? value.map((item: unknown) =>
                  typeof item === 'object' && item !== null ? { ...item, $entryId: undefined } : item,
                )
              : value,
          ]),
        ),
      );
      return { ...page, data: data as never };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'f', revisions: [{ text: 'r' }] }] });
      const { json } = await edda.page(made, 'files', 0);
      return at(json, '/data/0/revisions/0/$entryId') === undefined;
    },
  },
  'reading.page-keeps-version-of-first-read': {
    source: 'core: Page response',
    breaks: 'The version of a page is that of the owning object now, also when the array has not changed since.',
    kind: 'copy',
    variant: breaks('paging', 'assemblePage', (right) => {
      const kept = new Map<string, { text: string; version: number }>();
      return async (areas, ...args) => {
        const page = await right(areas, ...args);
        const text = JSON.stringify(page.data);
        const known = kept.get(page.href);
        if (known?.text === text) return { ...page, version: known.version };
        kept.set(page.href, { text, version: page.version });
        return page;
      };
    }),
    async shows({ edda }) {
      const made = await withContacts(edda, 2);
      await edda.page(made, 'contacts', 0);
      await edda.merge(made, 1, { note: 'n' });
      return at((await edda.page(made, 'contacts', 0)).json, '/version') !== 2;
    },
  },
  'reading.batch-read-offers-all-links': {
    source: 'core: What the service does (hypermedia conventions)',
    breaks: 'Links are those of the current user, also of a read that is an operation of a batch.',
    kind: 'role',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, ...args) => {
      const all = within(areas, { auth: { mayUse: () => true } });
      return right(call.isSibling === undefined ? areas : all, call, ...args);
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Part', { name: 'p' });
      const { json } = await rita.batch([{ method: 'GET', href: made.path }]);
      return listAt(json, '/0/body/links').some((one) => at(one, '/method') === 'PATCH');
    },
  },
  'reading.undone-content-is-remembered': {
    source: 'core: Batch rules 1',
    breaks: 'What a batch read of its own edits is forgotten with them when it is rolled back.',
    kind: 'copy',
    variant: breaks('memory', 'rememberedRead', (right) => {
      const kept = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, call, reading, object, view, assemble) => {
        const key = [object.oid, object.version, view.id, call.user.name].join(' ');
        const answer = kept.get(key) ?? (await right(areas, call, reading, object, view, assemble));
        kept.set(key, answer);
        return answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'p' });
      const href = `/api/space/main/softtype/Part/partInput/${made.oid}`;
      const edit = { method: 'PATCH', href, headers: { 'Svc-UOIVersion': '1' }, body: { note: 'undone' } };
      await edda.batch([edit, { method: 'GET', href: made.path }, failing]);
      await edda.merge(made, 1, { note: 'kept' });
      return at(await edda.read(made), '/data/note') !== 'kept';
    },
  },
  'reading.openapi-of-the-first-space': {
    source: 'core: What the service does',
    breaks: 'The dynamic definition is that of the template of the space that is asked about.',
    kind: 'copy',
    variant: breaks('openApi', 'dynamicDocument', (right) => {
      let first: ReturnType<typeof right> | undefined;
      return (areas, space) => (first ??= right(areas, space));
    }),
    async shows({ edda }) {
      const of = (space: string): Promise<Received> => edda.get(`/space/${space}/SoftType/dynamic/softtype.openApi`);
      await of('main');
      return !(await of('depot')).text.includes('Dossier');
    },
  },
  'reading.etag-tells-length-only': {
    source: 'core: Versioning 4',
    breaks: 'Changed data has another ETag, also when it is as long as before.',
    kind: 'value',
    variant: replaces('caching', 'etagOf', (_right, _areas, representation) => {
      const length = Buffer.byteLength(representation);
      return `"${createHash('sha256').update(String(length)).digest('base64url')}"`;
    }),
    async shows({ cora }) {
      const [client, path] = [cora, '/api/collection/user/profile'];
      await client.put(path, undefined, { displayName: 'Anna' });
      const etag = (await client.get(path)).headers.get('etag') ?? '';
      await client.put(path, undefined, { displayName: 'Bert' });
      return (await client.get(path, { 'if-none-match': etag })).status === 304;
    },
  },
  'reading.state-after-demote-lacks-its-definition': {
    source: 'core: States and transitions',
    breaks: 'A current-state field names its level-state definition after every move.',
    kind: 'place',
    variant: replaces('maturity', 'contentInState', (right, areas, content, level, state) => {
      const next = right(areas, content, level, state);
      if (state !== 'draft' && state !== 'open') return next;
      const states = next['$states'] as Readonly<Record<string, object>>;
      return { ...next, $states: { ...states, [level]: { ...states[level], $softType: undefined } } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      await edda.move(made, 2, 'demote');
      return at(await edda.read(made), '/data/engineering/$softType') === undefined;
    },
  },
  'reading.second-page-of-empty-filter': {
    source: 'core: Server side paging 5',
    breaks: 'A filter of the page GET is applied before the set of 10 is taken.',
    kind: 'combination',
    variant: replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
      if (filter === undefined || range.from === 0) return right(areas, reading, object, section, range, filter);
      const admitted = await right(areas, reading, object, section, { from: 0, to: 100_000 }, filter);
      const ids = new Set(admitted.map(({ entryId }) => entryId));
      return (await right(areas, reading, object, section, range)).filter(({ entryId }) => ids.has(entryId));
    }),
    async shows({ edda }) {
      const files = many(24, (number) => ({ name: `f${number}`, category: number % 2 === 0 ? 'drawing' : 'text' }));
      const made = await edda.make('Document', { title: 't', files });
      return namesOn((await edda.page(made, 'files', 1, '?softTypeFilter=drawings')).json) !== 'f22,f24';
    },
  },
  'reading.effectivity-loses-its-offset': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'The effectivity date that is set is the date of the information filter, offset and all.',
    kind: 'value',
    variant: replaces('contents', 'effectivityOf', (right, areas, call) =>
      right(areas, call).replace(/[+-]\d\d:\d\d$/, 'Z'),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', price: '1' });
      const time = '2024-05-01T00:30:00+02:00';
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '2' }], { time });
      const date = at(await edda.read(made), '/data/price/effectivity');
      return Date.parse(String(date)) !== Date.parse(time);
    },
  },
  'reading.effectivity-in-batch-is-now': {
    source: 'core: Operations-based PATCH rules 7',
    breaks:
      'The date of the information filter is stamped in an operation of a batch too, which has the filter of the batch.',
    kind: 'combination',
    variant: replaces('contents', 'effectivityOf', (right, areas, call) =>
      'isSibling' in call ? new Date(areas.clock.now()).toISOString() : right(areas, call),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', price: '1' });
      const operation = {
        method: 'PATCH',
        href: `/api/space/main/softtype/Document/${made.oid}`,
        headers: { 'Svc-UOIVersion': '1', 'Content-Type': 'application/json-patch+json' },
        body: [{ op: 'replace', path: '/price', value: '2' }],
      };
      const time = '2021-03-04T05:06:07Z';
      const filter = { 'Svc-InformationFilter': encoded({ time }) };
      await edda.post('/api/space/main/batch', [operation], filter);
      return Date.parse(String(at(await edda.read(made), '/data/price/effectivity'))) !== Date.parse(time);
    },
  },
};
