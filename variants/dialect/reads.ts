import { routes } from '../../contract/routes.ts';
import type { Link } from '../../contract/wire.ts';
import { editHref } from '../../reference-server/areas/objects.ts';
import { isArrayMember } from '../../reference-server/areas/soft-type.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import { isoTime } from '../../reference-server/rfc3339.ts';
import { type Variant, together, replaces } from '../breaks.ts';
import { type Json, changingObjects, restateRefusalOf, withoutHeaders } from './choice.ts';
import { spelledEntryIds } from './entry-ids.ts';

/** Members without value are null; empty arrays, of entries or of plain values, are left out. */
export const nullsAndNoEmptyArrays: Variant = together(
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
);

/** Links that are none to pages have the members of those that are, as null. */
export const nullsInLinks: Variant = replaces('hypermedia', 'linksOf', (right, ...args) =>
  right(...args).map((link) => ({ ...paging, ...link })),
);

/** Typed as a value of every kind, since the wire type of a link knows only members that have one. */
const paging: Json = { sectionPath: null, pages: null, totalNumber: null };

/** Every shape of the document has members that the document does not name; one of them changes from read to read. */
export const furtherMembers: Variant = together(
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
);

export const pagesWithLinks: Variant = replaces(
  'paging',
  'assemblePage',
  async (right, areas, call, reading, object, view, section, page, filter) => {
    const body = await right(areas, call, reading, object, view, section, page, filter);
    const softType = areas.objects.softTypeOf(call.space, object.softType);
    const owner = { rel: 'up', href: areas.objects.instanceHref(object, softType, view), method: 'GET' };
    return { ...body, pageNumber: page, links: [owner], schema: areas.instances.schemaOf(softType, view) };
  },
);

/** Links of kinds of its own, and other names for those that the server has; the order is turned round. */
export const furtherLinks: Variant = replaces(
  'hypermedia',
  'operationLinks',
  (right, areas, object, softType, view) => {
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
  },
);

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

export const sectionsByPointer: Variant = replaces('hypermedia', 'pageLink', (right, ...args) => {
  const link = right(...args);
  return { ...link, sectionPath: `/${link.sectionPath}` };
});

/** The schema of a read response is a list of member names in a language of its own. */
export const schemaOfItsOwn: Variant = replaces('instances', 'schemaOf', (_right, _areas, softType, view) => ({
  language: 'strange/1',
  definition: softType.id,
  members: [...view.names.keys()],
}));

export const endlessPages: Variant = replaces(
  'paging',
  'assemblePage',
  async (right, areas, call, reading, object, view, section, page, filter) => {
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
  },
);

export const noPageOfNothing: Variant = replaces(
  'paging',
  'assemblePage',
  async (right, areas, call, reading, object, view, section, page, filter) => {
    const body = await right(areas, call, reading, object, view, section, page, filter);
    if (page === 0 && body.data.length === 0) throw new Refusal(404, `Array ${section.path} is empty.`);
    return body;
  },
);

/** Zeros in front of a page number do no harm; what is no number is the number of no page. */
export const loosePageNumbers: Variant = replaces('paging', 'pageNumberOf', (right, areas, call) => {
  const pageNumber = (call.params['pageNumber'] ?? '').replace(/^0+(?=\d)/, '');
  return restateRefusalOf({ 400: 404 }, () => right(areas, { ...call, params: { ...call.params, pageNumber } }));
});

/** A filter goes by either name of the parameter; one that is unknown, or lacks its value, hides nothing. */
export const looseFilters: Variant = together(
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
);

/** Tags are weak, and equal only to themselves: neither a star nor a list names one. A 304 does not repeat them. */
export const weakTags: Variant = together(
  replaces('caching', 'etagOf', (right, areas, representation) => `W/${right(areas, representation)}`),
  replaces('caching', 'ifNoneMatch', (_right, _areas, header, etag) => header === etag),
  replaces('caching', 'notModified', (right, areas, headers) => withoutHeaders(right(areas, headers), 'etag')),
);

/** Instances have tags too, and a conditional read of one that did not change answers 304. */
export const tagsOnInstances: Variant = replaces('instances', 'readInstance', async (right, areas, call, reading) =>
  areas.caching.conditional(call, await right(areas, call, reading)),
);

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
