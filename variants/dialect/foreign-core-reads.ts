import { pageNumberTemplate } from '../../contract/names.ts';
import type { SoftType } from '../../reference-server/configuration.ts';
import { maturityHref } from '../../reference-server/areas/objects.ts';
import { type ArrayMember, isArrayMember } from '../../reference-server/areas/soft-type.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import type { Content } from '../../reference-server/ports/store.ts';
import { together, replaces } from '../breaks.ts';
import {
  type Json,
  isObject,
  jsonIn,
  mapped,
  restateRefusal,
  restateRefusalOf,
  withoutHeaders,
  type Choice,
} from './choice.ts';
import { spelledEntryIds } from './entry-ids.ts';
import { stringify } from 'yaml';
import type { Answer } from '../../reference-server/http/call.ts';

/** A member that no definition has: the values of a plain list, as if they were entries. */
const plainItems: ArrayMember = {
  kind: 'entries',
  mandatory: false,
  members: new Map([['value', { kind: 'string', mandatory: false }]]),
};

export const foreignReads: readonly Choice[] = [
  /** What is plain in a longer list than ten is paged like entries. */
  {
    meets: 'lists of plain values in pages',
    silences: ['arrays-of-scalars'],
    by: together(
      replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
        const data = right(areas, space, object, view, slices);
        const shown = { ...data };
        for (const name of view.names.keys())
          if (longList(object.content, view.names.get(name)) !== undefined && Array.isArray(data[name]))
            Object.assign(shown, { [name]: data[name].slice(0, 10) });
        return shown;
      }),
      replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) => {
        const links = right(areas, call, object, view, slices, filter);
        const lists = [...view.names].flatMap(([path, port]) => {
          const total = longList(object.content, port)?.length;
          const section = { path, port, member: plainItems, items: [] };
          return total === undefined ? [] : [areas.hypermedia.pageLink(object, view, section, total)];
        });
        return [...links, ...lists];
      }),
      replaces('paging', 'locateSection', (right, areas, reading, object, view, softType, path) => {
        const port = view.names.get(path);
        const list = longList(object.content, port);
        if (list === undefined || !isPlainList(softType, port))
          return right(areas, reading, object, view, softType, path);
        const items = list.map((value, index) => ({ entryId: index + 1, content: { value } }));
        return Promise.resolve({ path, port: path, member: plainItems, items });
      }),
      replaces('paging', 'readPage', async (right, areas, call, reading) => {
        const answer = await right(areas, call, reading);
        const body = jsonIn(answer);
        if (call.place.section.member !== plainItems || !isObject(body) || !Array.isArray(body['data'])) return answer;
        return { ...answer, body: { ...body, data: body['data'].map((item: Json) => item['value']) } };
      }),
    ),
  },
  /** An array without entries is null, as is every member without value. */
  {
    meets: 'null for empty arrays',
    silences: ['empty-and-absent-members'],
    by: together(
      replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
        const data = right(areas, space, object, view, slices);
        const names = Object.fromEntries([...view.names.keys()].map((name) => [name, null]));
        return { ...names, ...data, ...emptied(data) };
      }),
      replaces('entries', 'entryOut', (right, areas, space, member, entry) => {
        const shown = right(areas, space, member, entry);
        return { ...shown, ...emptied(shown) };
      }),
    ),
  },
  /** The first entry of an array has the id 0, so that ids of a young array are its positions. */
  {
    meets: 'entry ids from 0 on',
    silences: ['entry-id-form'],
    by: together(
      spelledEntryIds({
        spell: (entryId) => entryId - 1,
        read: (token) => (/^(?:0|[1-9]\d{0,14})$/.test(token) ? String(Number(token) + 1) : token),
      }),
      replaces('contents', 'inputFrom', (right, areas, rules, softType, view, body) => {
        const named = mapped(body, (object) =>
          typeof object['$entryId'] === 'number' ? { ...object, $entryId: object['$entryId'] + 1 } : object,
        );
        return right(areas, rules, softType, view, named);
      }),
    ),
  },
  /** Entries of a body stand in the opposite order from then on; what is appended comes last all the same. */
  {
    meets: 'entries in another order than they were sent',
    silences: ['order-of-entries'],
    by: replaces('contents', 'inputFrom', (right, areas, ...args) => {
      const { content, arrays } = right(areas, ...args);
      return { content, arrays: new Map([...arrays].map(([port, items]) => [port, items.toReversed()])) };
    }),
  },
  {
    meets: 'schemas that say nothing',
    silences: ['schema-member-content'],
    by: replaces('instances', 'schemaOf', () => ({})),
  },
  {
    meets: 'a JSONPath as sectionPath',
    silences: ['section-path-form', 'nested-array-paging'],
    by: replaces('hypermedia', 'pageLink', (right, ...args) => {
      const link = right(...args);
      return { ...link, sectionPath: `$.data.${String(link.sectionPath)}` };
    }),
  },
  /** A page that is not there cannot be had; a number that is none names the first page. */
  {
    meets: '416 behind the last page and 422 for a number that is none',
    silences: ['page-out-of-range', 'page-negative-or-no-number'],
    by: together(
      replaces('paging', 'assemblePage', (right, ...args) => right(...args).catch(restateRefusal({ 404: 416 }))),
      replaces('paging', 'pageNumberOf', (right, ...args) => restateRefusalOf({ 400: 422 }, () => right(...args))),
    ),
  },
  {
    meets: 'filters that hide other arrays',
    silences: ['filter-definitions'],
    by: replaces('entries', 'firstSlice', async (right, areas, reading, object, section, filter) =>
      filter === undefined || section.port === filter.filter.port
        ? right(areas, reading, object, section, filter)
        : { section, entries: [], total: 0 },
    ),
  },
  {
    meets: 'page links without the filter',
    silences: ['filter-in-page-link'],
    by: replaces('entries', 'pageHref', (right, areas, object, view, section, page, filter) =>
      right(areas, object, view, section, page, page === pageNumberTemplate ? undefined : filter),
    ),
  },
  /** A filter that is unknown is not there; one without its value admits nothing. */
  {
    meets: 'no such filter, and nothing for a filter without value',
    silences: ['filter-unknown-id', 'filter-blank-value-missing'],
    by: replaces('entries', 'filterOf', (right, areas, call, softType, parameter) => {
      const filter = call.space.template.filters.get(call.query.get(parameter) ?? '');
      try {
        return right(areas, call, softType, parameter);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (filter?.softType !== softType.id) throw new Refusal(404, error.message);
        return { filter, value: '' };
      }
    }),
  },
  /** A reference tells the kind of its target and not where it is; its id is the server's. */
  {
    meets: 'references by kind, with ids of the server',
    silences: ['reference-on-reading', 'multi-create-reference-id-member'],
    by: replaces('entries', 'entryOut', (right, areas, space, member, entry) => {
      const shown = right(areas, space, member, entry);
      if (member.kind !== 'references' || !('value' in shown) || !isObject(shown['value'])) return shown;
      const value = { $oid: shown['value']['$oid'], softTypeId: member.to, name: null };
      return { ...shown, id: `reference ${entry.entryId}`, value };
    }),
  },
  /** A parameter that a read does not know is refused. */
  {
    meets: 'no unknown parameters',
    silences: ['filter-parameter-names'],
    by: together(
      replaces('instances', 'readInstance', async (right, areas, call, reading) => {
        assertKnown(call.query, 'softTypeFilterId');
        return right(areas, call, reading);
      }),
      replaces('paging', 'readPage', async (right, areas, call, reading) => {
        assertKnown(call.query, 'softTypeFilter');
        return right(areas, call, reading);
      }),
    ),
  },
  /** Links tell of what the role allows, whatever the state; what goes by the address of another link has none of its own. */
  {
    meets: 'links of moves in every state, and few others',
    silences: ['links-and-state', 'link-completeness'],
    by: replaces('hypermedia', 'operationLinks', (right, areas, object, softType, view) => {
      const own = right(areas, object, softType, view).filter(({ rel }) => rel === 'self' || rel === 'edit');
      const { maturity } = softType;
      if (maturity === undefined) return own;
      const moves = [...maturity.levels.keys()].flatMap((level) =>
        (['promote', 'demote'] as const).map((rel) => ({
          rel,
          href: maturityHref(rel, object, maturity.id, level),
          method: 'PUT',
        })),
      );
      return [...moves, ...own];
    }),
  },
  /** Tags hold a comma, and are compared as they are. */
  {
    meets: 'tags with commas',
    silences: ['etag-strength', 'if-none-match-forms'],
    by: together(
      replaces(
        'caching',
        'etagOf',
        (right, areas, representation) => `"1,${right(areas, representation).replaceAll('"', '')}"`,
      ),
      replaces('caching', 'ifNoneMatch', (_right, _areas, header, etag) => header === etag),
    ),
  },
  {
    meets: 'tags on pages and none on definitions',
    silences: ['etag-resources'],
    by: together(
      replaces('paging', 'readPage', async (right, areas, call, reading) =>
        areas.caching.conditional(call, await right(areas, call, reading)),
      ),
      replaces('openApi', 'readDynamicOpenApi', async (right, areas, call) => {
        const { 'if-none-match': _condition, ...headers } = call.headers;
        return withoutHeaders(await right(areas, { ...call, headers }), 'etag');
      }),
      replaces('openApi', 'readStaticOpenApi', async (right, areas, call) => {
        const { 'if-none-match': _condition, ...headers } = call.headers;
        return withoutHeaders(await right(areas, { ...call, headers }), 'etag');
      }),
    ),
  },
  {
    meets: 'listings that are lists',
    silences: ['collection-routes'],
    by: replaces('caching', 'conditional', (right, areas, call, answer) => {
      const body = jsonIn(answer);
      const isListing = call.url.startsWith('/api/collection/') && isObject(body) && Array.isArray(body['data']);
      return right(areas, call, isListing ? { ...answer, body: body['data'] } : answer);
    }),
  },
  {
    meets: 'definitions in YAML',
    silences: ['openapi-version-and-media-type'],
    by: (classes) => {
      const texts = new Map<string, string>();
      const inYaml = (answer: Answer): Answer => {
        const json = answer.raw?.toString();
        if (answer.status !== 200 || json === undefined) return answer;
        const raw = texts.get(json) ?? stringify(JSON.parse(json), { aliasDuplicateObjects: false });
        texts.set(json, raw);
        return { ...answer, headers: { ...answer.headers, 'Content-Type': 'application/yaml' }, raw };
      };
      return together(
        replaces('openApi', 'readDynamicOpenApi', async (right, ...args) => inYaml(await right(...args))),
        replaces('openApi', 'readStaticOpenApi', async (right, ...args) => inYaml(await right(...args))),
      )(classes);
    },
  },
];

function emptied(members: Json): Json {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) =>
      Array.isArray(value) && value.length === 0 ? [[name, null]] : [],
    ),
  );
}

function longList(content: Content, port: string | undefined): readonly unknown[] | undefined {
  const value = port === undefined ? undefined : content[port];
  return Array.isArray(value) && value.length > 10 ? value : undefined;
}

function isPlainList(softType: SoftType, port: string | undefined): boolean {
  const member = port === undefined ? undefined : softType.members.get(port);
  return member !== undefined && !isArrayMember(member);
}

function assertKnown(query: URLSearchParams, ...names: readonly string[]): void {
  const stranger = [...query.keys()].find((name) => !names.includes(name) && !name.includes('.'));
  if (stranger !== undefined) throw new Refusal(400, `There is no parameter ${stranger}.`);
}
