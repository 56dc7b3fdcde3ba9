import { breaks, replaces } from '../../breaks.ts';
import { storedStates } from '../../../reference-server/areas/soft-type.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many } from '../service.ts';

const timeWithOffset = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/;

export const readingMistakes: Batch = {
  'reading.text-that-looks-like-a-time': {
    source: 'core: SoftType read response, row data',
    breaks: 'A text is read as it was written, also one that happens to be a time with an offset.',
    kind: 'value',
    variant: replaces('instances', 'dataOf', (right, areas, ...args) => {
      const data = right(areas, ...args);
      const members = Object.entries(data).map(([name, value]) => [
        name,
        typeof value === 'string' && timeWithOffset.test(value) ? new Date(value).toISOString() : value,
      ]);
      return { ...data, ...Object.fromEntries(members) };
    }),
    async shows({ edda }) {
      const note = '2024-05-06T07:08:09+02:00';
      const made = await edda.make('Document', { title: 't', note });
      return at(await edda.read(made), '/data/note') !== note;
    },
  },

  'maturity.no-states-at-the-end': {
    source: 'core: States and transitions',
    breaks: 'An instance carries a state for each level, also when all levels are at their last one.',
    kind: 'combination',
    variant: replaces('instances', 'dataOf', (right, areas, space, object, ...rest) => {
      const data = right(areas, space, object, ...rest);
      const levels = areas.objects.softTypeOf(space, object.softType).maturity?.levels ?? new Map<string, string[]>();
      const states = storedStates(object);
      const isAtEnd = levels.size > 0 && [...levels].every(([id, all]) => states[id]?.state === all.at(-1));
      if (!isAtEnd) return data;
      const left = { ...data };
      for (const id of [...levels.keys()].slice(1)) Reflect.deleteProperty(left, id);
      return left;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const levels = ['engineering', 'engineering', 'approval', 'approval'];
      for (const [index, level] of levels.entries()) await edda.move(made, index + 1, 'promote', level);
      return at(await edda.read(made), '/data/approval') === undefined;
    },
  },

  'links.demote-at-the-end-is-a-post': {
    source: 'core: Link object, row method',
    breaks: 'A link names the method of its operation, also the one by which an object leaves its last state.',
    kind: 'value',
    variant: replaces('hypermedia', 'operationLinks', (right, areas, object, softType, view) => {
      const links = right(areas, object, softType, view);
      const canPromote = (href: string) =>
        links.some((link) => link.rel === 'promote' && link.href === href.replace('/demote/', '/promote/'));
      return links.map((link) =>
        link.rel === 'demote' && !canPromote(link.href) ? { ...link, method: 'POST' as const } : link,
      ) as typeof links;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      await edda.move(made, 2);
      return listAt(await edda.read(made), '/links').some(
        (link) => at(link, '/rel') === 'demote' && at(link, '/method') !== 'PUT',
      );
    },
  },

  'paging.nested-pages-of-full-sets': {
    source: 'core: Link object, row pages',
    breaks: 'The pages of an array inside an entry are as many as it takes, and none is empty.',
    kind: 'place',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, view, section, total, filter) => {
      const link = right(areas, object, view, section, total, filter);
      return section.items === undefined ? link : { ...link, pages: Math.floor(total / 10) + 1 };
    }),
    async shows({ edda }) {
      const revisions = many(20, (number) => ({ text: `r${number}`, author: 'a' }));
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', revisions }] });
      const link = listAt(await edda.read(made), '/links').find((each) => at(each, '/rel') === 'page');
      return at(link, '/totalNumber') === 20 && at(link, '/pages') !== 2;
    },
  },

  'paging.total-of-a-filtered-read-is-kept': {
    source: 'core: Link object, row totalNumber',
    breaks: 'The total number is that of the array, also when somebody has read it through a filter before.',
    kind: 'copy',
    variant: breaks('entries', 'totalOf', (right) => {
      const kept = new Map<string, number>();
      return async (areas, reading, object, section, filter) => {
        if (section.items !== undefined) return right(areas, reading, object, section, filter);
        const key = `${object.oid} ${object.version} ${section.port}`;
        const total = kept.get(key) ?? (await right(areas, reading, object, section, filter));
        kept.set(key, total);
        return total;
      };
    }),
    async shows({ edda }) {
      const files = many(24, (number) => ({ name: `n${number}`, category: number % 2 === 0 ? 'drawing' : 'text' }));
      const made = await edda.make('Document', { title: 't', files });
      await edda.read(made, '?softTypeFilterId=drawings');
      const link = listAt(await edda.read(made), '/links').find((each) => at(each, '/rel') === 'page');
      return at(link, '/totalNumber') !== 24;
    },
  },

  'information-filter.not-behind-a-write': {
    source: 'core: Common request headers, row Svc-InformationFilter',
    breaks: 'A request on a route of a space needs a filter, also right behind a write that had one.',
    kind: 'moment',
    variant: breaks('messages', 'informationFilterOf', (right) => {
      let former: { readonly user: string | undefined; readonly at: number } | undefined;
      return (areas, call) => {
        const user = call.headers['authorization'];
        const isMissing = call.headers['svc-informationfilter'] === undefined;
        const isBehind = former !== undefined && former.user === user && areas.clock.now() - former.at < 1000;
        if (isMissing && call.method === 'GET' && isBehind) return {};
        const filter = right(areas, call);
        former = call.method === 'GET' ? former : { user, at: areas.clock.now() };
        return filter;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const read = await edda.get(made.path, { 'Svc-InformationFilter': '' });
      return read.status === 200;
    },
  },

  'reading.value-of-a-filter-on-the-long-route': {
    source: 'core: Endpoint table, GET softtype',
    breaks: 'The value of a filter is the one in the query, on the route with definition and schema as well.',
    kind: 'place',
    variant: replaces('entries', 'filterOf', (right, areas, call, softType, parameter) => {
      const applied = right(areas, call, softType, parameter);
      const isLong = call.params.outputSchemaId !== undefined && parameter === 'softTypeFilterId';
      return applied === undefined || !isLong || applied.filter.equals !== undefined
        ? applied
        : { ...applied, value: applied.value.toLowerCase() };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', category: 'Plan' }] });
      const path = `/api/space/main/softtype/Document/documentFull/${made.oid}`;
      const read = await edda.get(`${path}?softTypeFilterId=byCategory&fileGroup.category=Plan`);
      return read.status === 200 && listAt(read.json, '/data/files').length === 0;
    },
  },
};
