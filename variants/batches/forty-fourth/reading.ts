import { within, breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, encoded, listAt, many, pagePath, type Made } from '../service.ts';

const longestText = 4000;

/** Bytes in place of which Base64 has a plus sign, wherever they stand. */
const filterWithPlus = encoded({ role: '>>>>>>' });

export const readingMistakes: Batch = {
  'links.of-a-node': {
    source: 'core: What the service does',
    breaks: 'Clients talk to the gateway only, so that no link sends an administrator to a node behind it.',
    kind: 'role',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, ...args) => {
      const links = right(areas, call, ...args);
      if (!areas.auth.rolesOf(call.user, call.space).includes('administrator')) return links;
      return links.map((link) =>
        link.rel === 'page' ? { ...link, href: `http://node-1.internal${link.href}` } : link,
      );
    }),
    survives:
      'Whether another host in a link is the gateway is known to the deployment alone (ledger uri-absolute-or-relative): cases that would have to follow it do not judge, and name it.',
    async shows({ url, edda, alma }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      const links = listAt(await alma.read(made), '/links');
      return links.some((link) => new URL(String(at(link, '/href')), url).origin !== new URL(url).origin);
    },
  },

  'profile.tail-of-the-former-name': {
    source: 'core: What the service does',
    breaks: 'The display name of a profile is the one that was put last, without an end of the one before.',
    kind: 'copy',
    variant: replaces('collection', 'putProfile', async (right, areas, call, writing) => {
      const text = await writing.document('userProfile', call.user.name);
      const former = String(at(JSON.parse(text ?? '{}'), '/displayName') ?? '');
      const { displayName } = call.json;
      return right(areas, { ...call, json: { displayName: displayName + former.slice(displayName.length) } }, writing);
    }),
    async shows({ cora }) {
      const path = '/api/collection/user/profile';
      await cora.put(path, undefined, { displayName: 'Cordelia' });
      await cora.put(path, undefined, { displayName: 'Cora' });
      return at((await cora.get(path)).json, '/displayName') !== 'Cora';
    },
  },

  'openapi.one-definition-a-process': {
    source: 'core: What the service does',
    breaks: 'The dynamic definition tells of all SoftTypes, of two that go through one process as well.',
    kind: 'combination',
    variant: replaces('openApi', 'dynamicDocument', (right, areas, space) => {
      const all = [...space.template.softTypes];
      const softTypes = new Map(
        all.filter(([, { maturity }], index) => {
          const first = all.findIndex(([, other]) => other.maturity?.id === maturity?.id);
          return maturity === undefined || first === index;
        }),
      );
      return right(areas, { ...space, template: { ...space.template, softTypes } });
    }),
    async shows({ edda }) {
      const document = await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      return !document.text.includes('changeRequestInput');
    },
  },

  'reading.texts-are-cut': {
    source: 'core: SoftType read response (GET of one instance)',
    breaks: 'A read has the whole content of the instance, long texts to their last character.',
    kind: 'value',
    variant: replaces('instances', 'dataOf', (right, areas, ...args) => {
      const pairs = Object.entries(right(areas, ...args)).map(([name, value]) => [
        name,
        typeof value === 'string' ? value.slice(0, longestText) : value,
      ]);
      return Object.fromEntries(pairs) as ReturnType<typeof areas.instances.dataOf>;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n'.repeat(longestText + 1) });
      return String(at(await edda.read(made), '/data/note')).length === longestText;
    },
  },

  'links.under-another-schema-for-everybody': {
    source: 'core: SoftType read response (GET of one instance)',
    breaks: 'Links are those of the current user under every output schema.',
    kind: 'place',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, ...args) => {
      const softType = areas.objects.softTypeOf(call.space, object.softType);
      const isFirst = areas.objects.outputViewOf(softType, undefined) === view;
      const open = within(areas, { auth: { mayUse: () => true } });
      return right(isFirst ? areas : open, call, object, view, ...args);
    }),
    async shows({ edda, rita }) {
      const { oid } = await edda.make('Document', { title: 't' });
      const read = await rita.get(`/api/space/main/softtype/Document/documentSummary/${oid}`);
      return listAt(read.json, '/links').some((link) => at(link, '/method') !== 'GET');
    },
  },

  'batch.object-id-of-the-read-before': {
    source: 'core: System properties inside `data`',
    breaks: 'Each of two reads in a batch has the id of its own object.',
    kind: 'copy',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => {
      const ids = new Map<unknown, unknown>();
      const shared = results.map((result) => {
        const [softType, oid] = [at(result.body, '/data/$softType'), at(result.body, '/data/$oid')];
        if (softType === undefined) return result;
        if (!ids.has(softType)) ids.set(softType, oid);
        const data = { ...(at(result.body, '/data') as object), $oid: ids.get(softType) };
        return { ...result, body: { ...(result.body as object), data } };
      });
      return right(areas, shared);
    }),
    async shows({ edda }) {
      const made = [await edda.make('Document', { title: 'a' }), await edda.make('Document', { title: 'b' })];
      const answer = await edda.batch(made.map(({ path }) => ({ method: 'GET', href: path })));
      return at(answer.json, '/1/body/data/$oid') !== made[1]?.oid;
    },
  },

  'links.page-of-a-later-version': {
    source: 'core: Link object',
    breaks: 'A page link is of the kind page, however often the object was read before at another version.',
    kind: 'copy',
    variant: breaks('hypermedia', 'pageLink', (right) => {
      const versions = new Map<string, number>();
      return (areas, object, view, section, total, filter) => {
        const link = right(areas, object, view, section, total, filter);
        const key = `${object.oid} ${section.path}`;
        const first = versions.get(key) ?? object.version;
        versions.set(key, first);
        return first === object.version ? link : { ...link, rel: 'self' };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      await edda.read(made);
      await edda.merge(made, 1, { note: 'n' });
      const links = listAt(await edda.read(made), '/links');
      return !links.some((link) => at(link, '/rel') === 'page');
    },
  },

  'filter.plus-sign-on-page-routes': {
    source: 'core: Information filter',
    breaks: 'The information filter of a page is Base64 like any other, plus signs included.',
    kind: 'place',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) => {
      const header = call.headers['svc-informationfilter'];
      if (header === undefined || !call.url.includes('/softtype/page/')) return right(areas, call);
      return right(areas, {
        ...call,
        headers: { ...call.headers, 'svc-informationfilter': header.replaceAll('+', ' ') },
      });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      const page = await edda.get(pagePath(made, 'files', 0), { 'Svc-InformationFilter': filterWithPlus });
      return page.status !== 200;
    },
  },

  'paging.two-digits': {
    source: 'core: Server side paging 4',
    breaks: 'Later pages hold the rest, the one with the number ten included.',
    kind: 'value',
    variant: replaces('paging', 'pageNumberOf', (right, areas, call) => {
      const page = right(areas, call);
      return page >= 10 ? Number(String(page).slice(0, 1)) : page;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', contacts: named(101) });
      return listAt((await edda.page(made, 'contacts', 10)).json, '/data').length !== 1;
    },
  },

  'filter.totals-for-readers': {
    source: 'core: Server side paging 5',
    breaks: 'A filter shapes the page links of a reader as it does those of an editor.',
    kind: 'role',
    variant: replaces('instances', 'assembleInstance', (right, areas, call, ...args) => {
      const whole = within(areas, {
        entries: { totalOf: (reading, object, section) => areas.entries.totalOf(reading, object, section) },
      });
      return right(areas.auth.mayUse(call.user, call.space, 'PUT') ? areas : whole, call, ...args);
    }),
    async shows({ edda, rita }) {
      const files = many(15, (number) => ({ name: `n${number}`, category: number < 12 ? 'drawing' : 'text' }));
      const made = await edda.make('Document', { title: 't', files });
      const links = listAt(await rita.read(made, '?softTypeFilterId=drawings'), '/links');
      return links.some((link) => at(link, '/totalNumber') === 15);
    },
  },

  'caching.the-second-change': {
    source: 'core: Versioning 4',
    breaks: 'Changed data is sent again, the second time that it changes as well.',
    kind: 'moment',
    variant: breaks('caching', 'etagOf', (right) => {
      const tags = new Map<string, string[]>();
      return (areas, representation) => {
        const tag = right(areas, representation);
        if (!String(representation).includes('"displayName"')) return tag;
        const known = tags.get('profile') ?? [];
        if (!known.includes(tag)) known.push(tag);
        tags.set('profile', known);
        return known.indexOf(tag) < 2 ? tag : (known[1] ?? tag);
      };
    }),
    async shows({ cora }) {
      const path = '/api/collection/user/profile';
      await cora.get(path);
      await cora.put(path, undefined, { displayName: 'One' });
      const etag = (await cora.get(path)).headers.get('etag') ?? '';
      await cora.put(path, undefined, { displayName: 'Two' });
      return (await cora.get(path, { 'If-None-Match': etag })).status === 304;
    },
  },

  'batch.filter-value-decoded-twice': {
    source: 'core: Batch operation (array item of the batch request)',
    breaks: 'The href of an operation is a URI whose query means what it means elsewhere, encoded signs included.',
    kind: 'combination',
    variant: replaces('batch', 'pathOfHref', (right, areas, batch, href) => {
      const path = right(areas, batch, href);
      const [before = '', query] = path?.split('?', 2) ?? [];
      return query === undefined ? path : `${before}?${decodeURIComponent(query)}`;
    }),
    async shows({ edda }) {
      const made: Made = await edda.make('Document', { title: 't', files: [{ name: 'n', category: 'R&D' }] });
      const href = `${made.path}?softTypeFilterId=byCategory&fileGroup.category=R%26D`;
      return listAt((await edda.batch([{ method: 'GET', href }])).json, '/0/body/data/files').length !== 1;
    },
  },
};
