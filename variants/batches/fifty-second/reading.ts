import { routes } from '../../../contract/routes.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named, registerEndpoint } from '../proofs.ts';
import { at, encoded, listAt, many, pagePath, versionHeader } from '../service.ts';

/** What a filter leaves of a page of files. */
const drawings = '?softTypeFilterId=byCategory&fileGroup.category=';

/** Reads of objects, pages and other data. */
export const readingMistakes: Batch = {
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

  'information-filter.of-the-other-alphabet': {
    source: 'core: Information filter, second sentence',
    breaks: 'The filter is Base64, in which a plus and a slash may stand.',
    kind: 'value',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) => {
      if (/[+/]/.test(call.headers['svc-informationfilter'] ?? ''))
        throw new Refusal(400, 'Expected the information filter as Base64, found a character that it does not have.');
      return right(areas, call);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const filter = Buffer.from('{"role":"Prüfer???>>>"}').toString('base64');
      return /[+/]/.test(filter) && (await edda.get(made.path, { 'Svc-InformationFilter': filter })).status === 400;
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

  'paging.inner-entries-of-later-pages': {
    source: 'core: Page response, row data',
    breaks: 'Each entry of a page has its id, and so has each inside it, on every page.',
    kind: 'place',
    variant: replaces(
      'paging',
      'assemblePage',
      async (right, areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        return page === 0
          ? body
          : { ...body, data: body.data.map((entry) => ({ ...entry, ...withoutInnerIds(entry) })) };
      },
    ),
    async shows({ edda }) {
      const files = named(11).map((file) => ({ ...file, revisions: [{ text: 't' }] }));
      const made = await edda.make('Document', { title: 't', files });
      const page = await edda.page(made, 'files', 1);
      return at(page.json, '/data/0/revisions/0/$entryId') === undefined;
    },
  },

  'reading.version-before-the-batch': {
    source: 'core: SoftType read response, row version',
    breaks: 'The version is the current one, also in a read behind an edit of the same batch.',
    kind: 'combination',
    variant: replaces('instances', 'assembleInstance', async (right, areas, call, reading, object, view, filter) => {
      const read = await right(areas, call, reading, object, view, filter);
      return call.isChangedHere?.(object.oid) && object.version > 1 ? { ...read, version: read.version - 1 } : read;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const answer = await edda.batch([
        {
          method: 'PATCH',
          href: `/api/space/main/softtype/Document/documentInput/${made.oid}`,
          headers: versionHeader(1),
          body: { note: 'n' },
        },
        { method: 'GET', href: made.path },
      ]);
      return at(answer.json, '/1/body/version') === 1;
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

  'caching.tag-of-a-list-by-its-ids': {
    source: 'core: Errors, row 304',
    breaks: 'A list is another one when something in it has changed, and not only when something came or went.',
    kind: 'place',
    variant: replaces('caching', 'conditional', (right, areas, call, answer) => {
      const data = isContent(answer.body) ? answer.body['data'] : undefined;
      if (!Array.isArray(data)) return right(areas, call, answer);
      const ids = JSON.stringify(data.map((item: unknown) => (isContent(item) ? item['id'] : item)));
      const headers = { ...answer.headers, ETag: areas.caching.etagOf(`${call.url} ${ids}`) };
      const isHeld = call.headers['if-none-match'] === headers.ETag;
      return isHeld ? areas.caching.notModified(headers) : { ...answer, headers };
    }),
    async shows(service) {
      const { cora } = service;
      await registerEndpoint(service, 'externalEndpoint', { url: 'http://127.0.0.1:9/hook' });
      const list = '/api/admin/externalEndpoint';
      const tag = (await cora.get(list)).headers.get('etag') ?? '';
      const body = {
        id: 'hook',
        method: 'PUT',
        category: 'proof',
        url: 'http://127.0.0.1:9/hook',
        headers: [{ name: 'content-type', value: 'text/plain' }],
      };
      await cora.put(`${list}/hook`, undefined, body);
      return (await cora.get(list, { 'If-None-Match': tag })).status === 304;
    },
  },

  'reading.links-of-the-reader-before': {
    source: 'core: What the service does, hypermedia conventions',
    breaks:
      'The links are for the user who asks, also in a view that is not the first one and that an editor has read.',
    kind: 'role',
    variant: replaces('memory', 'rightsOf', (right, areas, call) =>
      call.params.outputSchemaId === undefined || call.params.outputSchemaId.endsWith('Full') ? right(areas, call) : '',
    ),
    async shows({ edda, rita }) {
      const { oid } = await edda.make('Document', { title: 't' });
      const path = `/api/space/main/softtype/Document/documentSummary/${oid}`;
      await edda.get(path);
      return listAt((await rita.get(path)).json, '/links').some((link) => at(link, '/method') === 'DELETE');
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

/** The arrays of an entry, whose items have lost their ids. */
function withoutInnerIds(entry: object): object {
  return Object.fromEntries(
    Object.entries(entry).flatMap(([name, value]: [string, unknown]) =>
      Array.isArray(value)
        ? [
            [
              name,
              value.map((item: unknown) => {
                if (!isContent(item)) return item;
                const { $entryId: _gone, ...rest } = item;
                return rest;
              }),
            ],
          ]
        : [],
    ),
  );
}
