import { routes } from '../../contract/routes.ts';
import type { Link } from '../../contract/wire.ts';
import { editHref } from '../../reference-server/areas/objects.ts';
import { isArrayMember } from '../../reference-server/areas/soft-type.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import { isoTime } from '../../reference-server/rfc3339.ts';
import { type Variant, together, replaces } from '../breaks.ts';
import { type Json, changingObjects, restateRefusalOf, withoutHeaders, type Choice } from './choice.ts';
import { spelledEntryIds } from './entry-ids.ts';

/** Typed as a value of every kind, since the wire type of a link knows only members that have one. */
const paging: Json = { sectionPath: null, pages: null, totalNumber: null };

const idForm = /^e-(\d+)-(\d+)$/;

/**
 * Entry ids are texts, `e-<version>-<number>`, and name an entry at that version only: as every write states the version that was
 * read, a client never needs them for longer.
 */
export const textualEntryIds: Variant = spelledEntryIds({
  spell: (entryId, { version }) => `e-${version}-${entryId}`,
  // a number by itself is the id of nothing
  read: (token, { version }) => {
    const [, statedVersion, entryId] = idForm.exec(token) ?? [];
    if (entryId !== undefined && statedVersion === String(version)) return entryId;
    return idForm.test(token) || /^\d+$/.test(token) ? `no id: ${token}` : token;
  },
});

export const readChoices: readonly Choice[] = [
  /** Members without value are null; empty arrays, of entries or of plain values, are left out. */
  {
    meets: 'null for members without value, no empty arrays',
    silences: ['empty-and-absent-members'],
    by: together(
      replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
        const data = right(areas, space, object, view, slices);
        const { $version, $oid, $softType, ...members } = data;
        return { ...nullsFor([...view.names.keys()], members), ...filled(members), $version, $oid, $softType };
      }),
      replaces('entries', 'entryOut', (right, areas, space, member, entry) => {
        const { $entryId, ...members } = right(areas, space, member, entry);
        const names =
          member.kind === 'entries'
            ? [...member.members].filter(([, inner]) => !isArrayMember(inner)).map(([name]) => name)
            : ['id'];
        return { ...nullsFor(names, members), ...filled(members), $entryId };
      }),
    ),
  },
  /** Links that are none to pages have the members of those that are, as null. */
  {
    meets: 'null for the paging members of other links',
    silences: ['empty-and-absent-members'],
    by: replaces('hypermedia', 'linksOf', (right, ...args) => right(...args).map((link) => ({ ...paging, ...link }))),
  },
  /** Links of kinds of its own, and other names for those that the server has; the order is turned round. */
  {
    meets: 'more links, with other rels, in another order',
    silences: ['link-rels'],
    by: replaces('hypermedia', 'operationLinks', (right, areas, object, softType, view) => {
      const described = `/api${routes.openApiDynamic}`.replace('{spaceId}', encodeURIComponent(object.spaceId));
      const alternates = [...softType.outputs.values()].map((other): Link => ({
        rel: 'alternate',
        href: areas.objects.instanceHref(object, softType, other),
        method: 'GET',
      }));
      const create = editHref(object, softType).split('/').slice(0, -1).join('/');
      return [
        ...right(areas, object, softType, view).map((link) => ({ ...link, rel: `strange:${link.rel}` })),
        { rel: 'describedby', href: described, method: 'GET' },
        ...alternates,
        { rel: 'strange:create', href: create, method: 'POST' },
      ].reverse();
    }),
  },
  /** Every shape of the document has members that the document does not name; one of them changes from read to read. */
  {
    meets: 'more members in every shape',
    silences: [],
    by: together(
      replaces('instances', 'systemMembers', (right, areas, object) => ({
        ...right(areas, object),
        $createdBy: 'somebody',
        $labels: ['strange'],
        $locked: null,
      })),
      replaces('entries', 'entryOut', (right, areas, space, member, entry) => ({
        ...right(areas, space, member, entry),
        $kind: member.kind,
        $ordinal: null,
      })),
      replaces('hypermedia', 'linksOf', (right, ...args) =>
        right(...args).map((link) => ({ ...link, title: `To ${link.rel}`, templated: link.rel === 'page' })),
      ),
      replaces('instances', 'assembleInstance', async (right, ...args) => ({
        ...(await right(...args)),
        kind: 'instance',
        warnings: [],
      })),
      changingObjects((object, _call, { clock }) =>
        isFrame(object) ? { ...object, servedAt: isoTime(clock.now()) } : object,
      ),
    ),
  },
  {
    meets: 'pages with links and a schema',
    silences: ['page-response-extra-members'],
    by: replaces('paging', 'assemblePage', async (right, areas, call, reading, object, view, section, page, filter) => {
      const body = await right(areas, call, reading, object, view, section, page, filter);
      const softType = areas.objects.softTypeOf(call.space, object.softType);
      const owner = { rel: 'up', href: areas.objects.instanceHref(object, softType, view), method: 'GET' };
      return { ...body, pageNumber: page, links: [owner], schema: areas.instances.schemaOf(softType, view) };
    }),
  },
  {
    meets: 'entry ids that are texts and hold for one version',
    silences: ['entry-id-form', 'entry-id-stability', 'client-supplied-entry-id'],
    by: textualEntryIds,
  },
  {
    meets: 'a JSON Pointer as sectionPath',
    silences: ['section-path-form', 'nested-array-paging'],
    by: replaces('hypermedia', 'pageLink', (right, ...args) => {
      const link = right(...args);
      return { ...link, sectionPath: `/${link.sectionPath}` };
    }),
  },
  /** The schema of a read response is a list of member names in a language of its own. */
  {
    meets: 'a schema in another language',
    silences: ['schema-member-content'],
    by: replaces('instances', 'schemaOf', (_right, _areas, softType, view) => ({
      language: 'strange/1',
      definition: softType.id,
      members: [...view.names.keys()],
    })),
  },
  {
    meets: 'empty pages behind the last one',
    silences: ['page-out-of-range'],
    by: replaces('paging', 'assemblePage', async (right, areas, call, reading, object, view, section, page, filter) => {
      try {
        return await right(areas, call, reading, object, view, section, page, filter);
      } catch (error) {
        if (!(error instanceof Refusal) || error.status !== 404) throw error;
        return {
          href: areas.entries.pageHref(object, view, section, page, filter),
          data: [],
          version: object.version,
        };
      }
    }),
  },
  {
    meets: 'no page of an empty array',
    silences: ['page-zero-of-empty-array'],
    by: replaces('paging', 'assemblePage', async (right, areas, call, reading, object, view, section, page, filter) => {
      const body = await right(areas, call, reading, object, view, section, page, filter);
      if (page === 0 && body.data.length === 0) throw new Refusal(404, `Array ${section.path} is empty.`);
      return body;
    }),
  },
  /** Zeros in front of a page number do no harm; what is no number is the number of no page. */
  {
    meets: 'page numbers with zeros in front',
    silences: ['page-negative-or-no-number'],
    by: replaces('paging', 'pageNumberOf', (right, areas, call) => {
      const pageNumber = (call.params['pageNumber'] ?? '').replace(/^0+(?=\d)/, '');
      return restateRefusalOf({ 400: 404 }, () => right(areas, { ...call, params: { ...call.params, pageNumber } }));
    }),
  },
  /** A filter goes by either name of the parameter; one that is unknown, or lacks its value, hides nothing. */
  {
    meets: 'filters by either name, unknown ones without effect',
    silences: ['filter-unknown-id', 'filter-blank-value-missing', 'filter-parameter-names'],
    by: together(
      replaces('entries', 'filterOf', (right, areas, call, softType, parameter) => {
        const other = parameter === 'softTypeFilter' ? 'softTypeFilterId' : 'softTypeFilter';
        return right(areas, call, softType, call.query.has(parameter) ? parameter : other);
      }),
      replaces('entries', 'filterOf', (right, ...args) => {
        try {
          return right(...args);
        } catch (error) {
          if (error instanceof Refusal) return undefined;
          throw error;
        }
      }),
    ),
  },
  /** Tags are weak, and equal only to themselves: neither a star nor a list names one. A 304 does not repeat them. */
  {
    meets: 'weak tags, compared letter by letter',
    silences: ['etag-strength', 'if-none-match-forms', 'etag-on-304'],
    by: together(
      replaces('caching', 'etagOf', (right, areas, representation) => `W/${right(areas, representation)}`),
      replaces('caching', 'ifNoneMatch', (_right, _areas, header, etag) => header === etag),
      replaces('caching', 'notModified', (right, areas, headers) => withoutHeaders(right(areas, headers), 'etag')),
    ),
  },
  /** Instances have tags too, and a conditional read of one that did not change answers 304. */
  {
    meets: 'tags on instances',
    silences: ['softtype-etag'],
    by: replaces('instances', 'readInstance', async (right, areas, call, reading) =>
      areas.caching.conditional(call, await right(areas, call, reading)),
    ),
  },
];

function nullsFor(names: readonly string[], members: Json): Json {
  return Object.fromEntries(names.filter((name) => members[name] === undefined).map((name) => [name, null]));
}

function filled(members: Json): Json {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => !(Array.isArray(value) && value.length === 0)),
  );
}

function isFrame(object: object): boolean {
  return 'href' in object && 'data' in object;
}
