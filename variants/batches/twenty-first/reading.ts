import { entriesPerPage } from '../../../contract/limits.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt, type Service } from '../service.ts';

/** Demotes, by object. */
const demotes = new Map<string, number>();

export const readingMistakes: Batch = {
  'reading.href-in-another-space': {
    source: 'core: SoftType read response',
    breaks: 'The URI of an instance is in its own space, also when that is not the first one.',
    kind: 'place',
    variant: replaces('objects', 'instanceHref', (right, areas, object, softType, view) => {
      const [spaceId = ''] = areas.configuration.spaces.keys();
      return right(areas, { ...object, spaceId }, softType, view);
    }),
    async shows({ otto }) {
      const made = await otto.make('Dossier', { title: 'elsewhere' });
      return !String(at(await otto.read(made), '/href')).includes('/depot/');
    },
  },

  'reading.soft-type-of-another-schema': {
    source: 'core: System properties inside data',
    breaks: 'What a read calls the SoftType is its definition, whatever the output schema.',
    kind: 'place',
    variant: replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
      const data = right(areas, space, object, view, slices);
      const softType = areas.objects.softTypeOf(space, object.softType);
      return view === areas.objects.outputViewOf(softType, undefined) ? data : { ...data, $softType: view.id };
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 'summary' });
      const { json } = await edda.get(`/api/space/main/softtype/Document/documentSummary/${oid}`);
      return at(json, '/data/$softType') !== 'Document';
    },
  },

  'reading.system-version-after-a-demote': {
    source: 'core: System properties inside data',
    breaks: 'The version inside the data is that beside it, after a demote as well.',
    kind: 'moment',
    variant: together(
      replaces('maturity', 'demoteObject', async (right, areas, call, writing) => {
        const answer = await right(areas, call, writing);
        demotes.set(call.object.oid, (demotes.get(call.object.oid) ?? 0) + 1);
        return answer;
      }),
      replaces('instances', 'systemMembers', (right, areas, object) => {
        const members = right(areas, object);
        return { ...members, $version: members.$version - (demotes.get(object.oid) ?? 0) };
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'demoted' });
      await edda.move(made, 1);
      await edda.move(made, 2, 'demote');
      return at(await edda.read(made), '/data/$version') !== 3;
    },
  },
};

export const pagingMistakes: Batch = {
  'paging.section-of-the-second-link': {
    source: 'core: Link object',
    breaks: 'A page link names the array that it belongs to, each of several its own.',
    kind: 'combination',
    variant: replaces('hypermedia', 'linksOf', (right, areas, ...args) => {
      const links = right(areas, ...args);
      const first = links.find(({ rel }) => rel === 'page');
      return links.map((link) => (link.rel === 'page' ? { ...link, sectionPath: first?.sectionPath ?? '' } : link));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'two', files: named(12), contacts: named(12) });
      const sections = listAt(await edda.read(made), '/links').map((link) => at(link, '/sectionPath'));
      return !sections.includes('contacts');
    },
  },

  'paging.ids-by-place': {
    source: 'core: Page response',
    breaks: 'Entries of a page have the ids by which they are edited, also when one before them was removed.',
    kind: 'moment',
    variant: replaces('paging', 'assemblePage', async (right, areas, ...args) => {
      const page = await right(areas, ...args);
      const first = args[5] * entriesPerPage + 1;
      return { ...page, data: page.data.map((entry, index) => ({ ...entry, $entryId: first + index })) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'ids', files: named(15) });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/3/' }]);
      const { json } = await edda.page(made, 'files', 1);
      return at(json, '/data/0/name') === 'n12' && at(json, '/data/0/$entryId') !== 12;
    },
  },

  'paging.value-decoded-twice': {
    source: 'core: Endpoint table, page route',
    breaks: 'A dynamic value parameter has the value that was sent, a plus sign in it included.',
    kind: 'value',
    variant: replaces('entries', 'filterOf', (right, areas, ...args) => {
      const applied = right(areas, ...args);
      return applied && { ...applied, value: new URLSearchParams(`v=${applied.value}`).get('v') ?? '' };
    }),
    async shows(service) {
      return (await filtered(service, 'a+b')) !== 1;
    },
  },

  'paging.value-of-the-read-before': {
    source: 'core: Server side paging 5',
    breaks: 'A blank filter value is the one of this request, whatever the one before it had.',
    kind: 'copy',
    variant: breaks('entries', 'filterOf', (right) => {
      const values = new Map<string, string>();
      return (areas, call, ...args) => {
        const applied = right(areas, call, ...args);
        if (applied === undefined) return undefined;
        const key = `${call.url.split('?', 1)[0]} ${applied.filter.id}`;
        const value = values.get(key) ?? applied.value;
        values.set(key, value);
        return { ...applied, value };
      };
    }),
    async shows({ edda }) {
      const files = ['drawing', 'letter', 'letter'].map((category) => ({ name: category, category }));
      const made = await edda.make('Document', { title: 'values', files });
      await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=drawing');
      const again = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=letter');
      return listAt(again, '/data/files').length !== 2;
    },
  },
};

/** How many files are found by a category of which there is one. */
async function filtered({ edda }: Service, category: string): Promise<number> {
  const files = [{ name: 'sought', category }, { name: 'another' }];
  const made = await edda.make('Document', { title: 'filtered', files });
  const query = new URLSearchParams({ softTypeFilterId: 'byCategory', 'fileGroup.category': category });
  return listAt(await edda.read(made, `?${query}`), '/data/files').length;
}

/** What a process adds to its tags, by what is made anew with it. */
const salts = new WeakMap<object, string>();

export const cachingMistakes: Batch = {
  'caching.tag-of-the-length': {
    source: 'core: Versioning 4',
    breaks: 'Changed data is sent in full, also when it is as long as before.',
    kind: 'value',
    variant: replaces(
      'caching',
      'etagOf',
      (_right, _areas, representation) => `"${Buffer.byteLength(representation).toString(16)}"`,
    ),
    async shows(service) {
      await rename(service, 'Anna');
      const tag = await tagOf(service);
      await rename(service, 'Otto');
      return (await service.cora.get(profile, { 'if-none-match': tag })).status === 304;
    },
  },

  'caching.after-a-restart': {
    source: 'core: Versioning 4',
    breaks: 'Data that has not changed is not sent again, also when the service was started again meanwhile.',
    kind: 'moment',
    variant: replaces('caching', 'etagOf', (right, areas, representation) => {
      const salt = salts.get(areas.outgoing) ?? `${process.hrtime.bigint()}`;
      salts.set(areas.outgoing, salt);
      return right(areas, `${salt}${representation.toString()}`);
    }),
    async shows(service) {
      const tag = await tagOf(service);
      await service.restart();
      return (await service.cora.get(profile, { 'if-none-match': tag })).status !== 304;
    },
  },
};

const profile = '/api/collection/user/profile';

function rename({ cora }: Service, displayName: string): Promise<unknown> {
  return cora.put(profile, undefined, { displayName });
}

async function tagOf({ cora }: Service): Promise<string> {
  return (await cora.get(profile)).headers.get('etag') ?? '';
}
