import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, many, versionHeader } from '../service.ts';
import { tokenOf } from '../proofs.ts';

const collectionSpaces = '/api/collection/space';

export const readingMistakes: Batch = {
  'access.other-schemas-ask-for-any-role': {
    source: 'core: What the service does',
    breaks: 'The role decides on each method, whichever input schema a write goes through.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const { definitionId = '', inputSchemaId } = call.params;
      const softType = areas.configuration.spaces
        .get(call.params['spaceId'] ?? '')
        ?.template.softTypes.get(definitionId);
      const isOther =
        softType?.inputs.has(inputSchemaId ?? '') && softType.inputs.keys().next().value !== inputSchemaId;
      return right(areas, user, access === 'space' && isOther ? 'participant' : access, call);
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 't' });
      const path = editPath(made).replace('documentInput', 'documentBrief');
      return (await rita.send('PATCH', path, { headers: versionHeader(1), body: { note: 'n' } })).status !== 403;
    },
  },

  'access.a-refusal-sticks-to-the-user': {
    source: 'core: Authentication 7',
    breaks: 'Whoever has a role on a participant of a space may use it, also right after another space refused him.',
    kind: 'copy',
    variant: breaks('auth', 'authorize', (right) => {
      const refused = new Set<string>();
      return (areas, user, access, call) => {
        if (access === 'space' && refused.delete(user.name)) throw new Refusal(403, 'Refused a moment ago.');
        try {
          right(areas, user, access, call);
        } catch (error) {
          if (access === 'space' && error instanceof Refusal && error.status === 403) refused.add(user.name);
          throw error;
        }
      };
    }),
    async shows({ otto }) {
      const made = await otto.make('Dossier', { title: 't' });
      await otto.get('/api/space/main/softtype/none');
      return (await otto.get(made.path)).status === 403;
    },
  },

  'access.held-data-are-confirmed-to-anybody': {
    source: 'core: Authentication 7',
    breaks: 'A collection route is open to Collection Administrators only, also for whoever says which tag he holds.',
    kind: 'combination',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      try {
        return await right(areas, route, call);
      } catch (error) {
        const isAsked = call.method === 'GET' && call.headers['if-none-match'] !== undefined;
        if (!isAsked || route.access !== 'collection' || !(error instanceof Refusal) || error.status !== 403)
          throw error;
        const answer = await right(areas, { ...route, access: 'user' }, call);
        if (answer.status === 304) return answer;
        throw error;
      }
    }),
    async shows({ cora, edda }) {
      const tag = (await cora.get(collectionSpaces)).headers.get('etag') ?? '';
      return (await edda.get(collectionSpaces, { 'if-none-match': tag })).status === 304;
    },
  },

  'access.form-is-not-decoded': {
    source: 'core: Authentication 3',
    breaks: 'The fields of a grant are a form, in which any character may be percent-encoded.',
    kind: 'value',
    variant: replaces('grants', 'grantFormOf', (right, areas, call) => {
      right(areas, call);
      const fields = (call.body?.toString() ?? '').split('&').map((field) => field.split('=', 2));
      return new Map(fields.map(([name = '', value = '']) => [name, value]));
    }),
    async shows(service) {
      const answer = await service.nobody.post(
        '/auth/token',
        'grant_type=password&username=edda&password=edda%2Dpassword&scope=All',
        {
          authorization: `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
      );
      return answer.status !== 200 && (await tokenOf(service, 'edda')) !== 'undefined';
    },
  },

  'hypermedia.filtered-links-for-everybody': {
    source: 'core: What the service does',
    breaks: 'The links are what the current user may do, in a filtered read as well.',
    kind: 'combination',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) => {
      const links = right(areas, call, object, view, slices, filter);
      if (filter === undefined) return links;
      const softType = areas.objects.softTypeOf(call.space, object.softType);
      return [...areas.hypermedia.operationLinks(object, softType, view), ...links.filter(({ rel }) => rel === 'page')];
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 't' });
      const links = listAt(await rita.read(made, '?softTypeFilterId=drawings'), '/links');
      return links.some((link) => at(link, '/method') === 'DELETE');
    },
  },

  'hypermedia.second-array-links-to-the-first': {
    source: 'core: Server side paging 3',
    breaks:
      'A page link leads to the pages of the array that it names, also of the second long one in a filtered read.',
    kind: 'place',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) => {
      const links = right(areas, call, object, view, slices, filter);
      const first = links.find(({ rel }) => rel === 'page');
      if (filter === undefined || first === undefined) return links;
      return links.map((link) => (link.rel === 'page' ? { ...link, href: first.href } : link));
    }),
    async shows({ edda }) {
      const files = many(11, (number) => ({ name: `n${number}`, category: 'drawing' }));
      const made = await edda.make('Document', { title: 't', files, contacts: many(11, () => ({ role: 'r' })) });
      const pages = listAt(await edda.read(made, '?softTypeFilterId=drawings'), '/links').filter(
        (link) => at(link, '/rel') === 'page',
      );
      return new Set(pages.map((link) => at(link, '/href'))).size < pages.length;
    },
  },

  'reading.equal-items-share-an-id': {
    source: 'core: System properties, $entryId',
    breaks: 'The entry id identifies one entry, also among those inside an entry that say the same.',
    kind: 'value',
    variant: replaces('entries', 'entryOut', (right, areas, space, member, entry) => {
      const out = right(areas, space, member, entry);
      const members = Object.entries(out).map(([name, value]) => [
        name,
        Array.isArray(value) ? withSharedIds(value) : value,
      ]);
      return { ...out, ...Object.fromEntries(members) };
    }),
    async shows({ edda }) {
      const revision = { text: 'same', author: 'same' };
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', revisions: [revision, revision] }] });
      const [one, other] = listAt(await edda.read(made), '/data/files/0/revisions');
      return at(one, '/$entryId') === at(other, '/$entryId');
    },
  },

  'reading.softtype-is-that-of-the-schema': {
    source: 'core: System properties, $softType',
    breaks: '$softType is the definition of the object, whichever output schema shows it.',
    kind: 'place',
    variant: replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
      const data = right(areas, space, object, view, slices);
      const softType = space.template.softTypes.get(object.softType);
      return softType?.outputs.keys().next().value === view.id ? data : { ...data, $softType: view.id };
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 't' });
      const read = await edda.get(`/api/space/main/softtype/Document/documentSummary/${oid}`);
      return at(read.json, '/data/$softType') !== 'Document';
    },
  },

  'paging.plus-stays-in-a-filter-value': {
    source: 'core: Server side paging 5',
    breaks: 'The value of a filter is the one that the link passes on, also with a space in it.',
    kind: 'combination',
    variant: replaces('entries', 'filterOf', (right, areas, call, softType, parameter) => {
      const filter = right(areas, call, softType, parameter);
      const isPlain = parameter !== 'softTypeFilter' || filter?.filter.equals !== undefined || !call.url.includes('+');
      return filter === undefined || isPlain ? filter : { ...filter, value: filter.value.replaceAll(' ', '+') };
    }),
    async shows({ edda }) {
      const files = many(11, (number) => ({ name: `n${number}`, category: 'two words' }));
      const made = await edda.make('Document', { title: 't', files });
      const read = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=two%20words');
      const link = listAt(read, '/links').find((each) => at(each, '/rel') === 'page');
      const page = await edda.get(String(at(link, '/href')).replace('{pageNumber}', '1'));
      return listAt(page.json, '/data').length !== 1;
    },
  },

  'paging.total-of-a-version-that-was-undone': {
    source: 'core: Link object, totalNumber',
    breaks: 'The link tells how many entries there are, also at a version whose number a batch had that failed.',
    kind: 'combination',
    variant: breaks('entries', 'totalOf', (right) => {
      const totals = new Map<string, number>();
      return async (areas, reading, object, section, filter) => {
        const key = `${object.oid} ${object.version} ${section.path}`;
        if (filter !== undefined) return right(areas, reading, object, section, filter);
        const total = totals.get(key) ?? (await right(areas, reading, object, section, filter));
        totals.set(key, total);
        return total;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: many(11, (number) => ({ name: `n${number}` })) });
      await edda.batch([
        {
          method: 'PATCH',
          href: editPath(made),
          headers: versionHeader(1),
          body: { files: many(25, (number) => ({ name: `m${number}` })) },
        },
        { method: 'GET', href: made.path },
        { method: 'GET', href: '/api/space/main/softtype/none' },
      ]);
      await edda.merge(made, 1, { note: 'n' });
      const link = listAt(await edda.read(made), '/links').find((each) => at(each, '/rel') === 'page');
      return at(link, '/totalNumber') !== 11;
    },
  },

  'caching.no-tag-for-readers': {
    source: 'core: Common request headers',
    breaks: 'Data other than SoftTypes come with an ETag, whoever reads them.',
    kind: 'role',
    variant: replaces('openApi', 'readDynamicOpenApi', async (right, areas, call) => {
      const answer = await right(areas, call);
      if (areas.auth.mayUse(call.user, call.space, 'PUT')) return answer;
      const { ETag: _tag, ...headers } = answer.headers ?? {};
      return { ...answer, headers };
    }),
    async shows({ rita }) {
      const answer = await rita.get('/space/main/SoftType/dynamic/softtype.openApi');
      return answer.status === 200 && answer.headers.get('etag') === null;
    },
  },
};

/** Items that hold the same have the id of the first of them. */
function withSharedIds(items: readonly unknown[]): readonly unknown[] {
  const ids = new Map<string, unknown>();
  return items.map((item) => {
    if (!isContent(item)) return item;
    const { $entryId, ...content } = item;
    const key = JSON.stringify(content);
    if (!ids.has(key)) ids.set(key, $entryId);
    return { ...item, $entryId: ids.get(key) };
  });
}
