import type { Link } from '../../../contract/wire.ts';
import { storedStates } from '../../../reference-server/areas/soft-type.ts';
import { breaks, replaces, together, type Variant } from '../../breaks.ts';
import { mapped } from '../../dialect/choice.ts';
import type { Mistakes } from '../mistake.ts';
import { filesOf, named, pageLinkIn, pageLinks, readOf } from '../proofs.ts';
import { at, type Client, listAt, many } from '../service.ts';
import { changes, isInstanceRead, sharesReads } from '../variant-parts.ts';

export const linksMistakes: Mistakes = {
  'links.first-read-after-an-edit-has-those-of-the-editor': {
    source: 'core: What the service does',
    breaks: 'Links tell what the user who reads may do, whoever has written just before.',
    variant: (() => {
      const editors = new Map<string, string>();
      return together(
        changes('editing', 'mergeObject', (answer, _areas, call) => {
          editors.set(call.object.oid, call.user.name);
          return answer;
        }),
        replaces('hypermedia', 'linksOf', (right, areas, call, object, ...rest) => {
          const editor = areas.configuration.users.get(editors.get(object.oid) ?? '');
          editors.delete(object.oid);
          return right(areas, editor === undefined ? call : { ...call, user: editor }, object, ...rest);
        }),
      );
    })(),
    async shows({ edda, rita }) {
      const made = await edda.make('Document');
      await rita.read(made);
      await edda.merge(made, 1, { title: 'u' });
      return linkHref(await rita.read(made), 'edit') !== undefined;
    },
  },
  'links.of-the-object-read-before': {
    source: 'core: What the service does',
    breaks:
      'Links describe operations on the resource that was requested, also when another one of its kind was read before.',
    variant: breaks('hypermedia', 'operationLinks', (right) => {
      const kept = new Map<string, ReturnType<typeof right>>();
      return (areas, object, softType, view) => {
        const links = right(areas, object, softType, view);
        const key = `${object.spaceId} ${view.id} ${object.version} ${links.map(({ rel }) => rel).join()}`;
        const former = kept.get(key) ?? links;
        kept.set(key, former);
        return links.map((link, index) => (link.rel === 'self' ? link : (former[index] ?? link)));
      };
    }),
    async shows({ edda }) {
      const one = await edda.make('Document');
      const other = await edda.make('Document', { title: 'u' });
      await edda.read(one);
      return String(linkHref(await edda.read(other), 'edit')).includes(one.oid);
    },
  },
  'links.promote-where-nothing-matures': {
    source: 'core: What the service does',
    breaks: 'A link is for what can be done with the instance, and a type without levels has nothing to promote.',
    variant: changes('hypermedia', 'operationLinks', (links, _areas, object, softType) => {
      if (softType.maturity !== undefined) return links;
      const href = `/api/space/${object.spaceId}/maturityAction/promote/${object.oid}/release/engineering`;
      return [...links, { rel: 'promote', href, method: 'PUT' }];
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'plain' });
      return listAt(await edda.read(made), '/links').some((link) => at(link, '/rel') === 'promote');
    },
  },
  'links.batched-read-offers-everything': {
    source: 'core: What the service does (hypermedia conventions)',
    breaks: 'The links of a read are those of the user who reads, also where the read is an operation of a batch.',
    variant: changes('hypermedia', 'linksOf', (links, areas, call, object, view) => {
      if (call.isSibling === undefined) return links;
      const softType = areas.objects.softTypeOf(call.space, object.softType);
      const pages = links.filter(({ rel }) => rel === 'page');
      return [...areas.hypermedia.operationLinks(object, softType, view), ...pages];
    }),
    shows: async ({ edda, rita }) => {
      const made = await edda.make('Document', { title: 'for readers' });
      const { json } = await rita.batch([readOf(made)]);
      return listAt(json, '/0/body/links').some((link) => at(link, '/method') !== 'GET');
    },
  },
  'hypermedia.moves-offered-to-readers': {
    source: 'core: What the service does, hypermedia conventions',
    breaks: 'The links are operations that the current user may perform: a reader may promote nothing.',
    variant: changes('hypermedia', 'linksOf', (links, areas, call, object, view) => {
      if (areas.auth.mayUse(call.user, call.space, 'PUT')) return links;
      const softType = areas.objects.softTypeOf(call.space, object.softType);
      const moves = areas.hypermedia
        .operationLinks(object, softType, view)
        .filter(({ rel }) => rel === 'promote' || rel === 'demote');
      return [...links, ...moves];
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document');
      return listAt(await rita.read(made), '/links').some((each) => at(each, '/rel') === 'promote');
    },
  },
  'links.rights-forgotten-under-a-filter': {
    source: 'core: What the service does, hypermedia conventions',
    breaks: 'The links are those of what the user may do, also in a read with a filter.',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) => {
      if (filter === undefined) return right(areas, call, object, view, slices);
      const softType = areas.objects.softTypeOf(call.space, object.softType);
      const pages = slices.flatMap((slice) => areas.hypermedia.pageLinksOf(object, view, slice, filter));
      return [...areas.hypermedia.operationLinks(object, softType, view), ...pages];
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document');
      const links = listAt(await rita.read(made, '?softTypeFilterId=drawings'), '/links');
      return links.some((link) => at(link, '/method') !== 'GET');
    },
  },
  'links.of-a-node': {
    source: 'core: What the service does',
    breaks: 'Clients talk to the gateway only, so that no link sends an administrator to a node behind it.',
    variant: changes('hypermedia', 'linksOf', (links, areas, call) => {
      if (!areas.auth.rolesOf(call.user, call.space).includes('administrator')) return links;
      return links.map((link) =>
        link.rel === 'page' ? { ...link, href: `http://node-1.internal${link.href}` } : link,
      );
    }),
    survives:
      'Whether another host in a link is the gateway is known to the deployment alone (ledger uri-absolute-or-relative): cases that would have to follow it do not judge, and name it.',
    async shows({ url, edda, alma }) {
      const made = await edda.make('Document', { files: named(11) });
      const links = listAt(await alma.read(made), '/links');
      return links.some((link) => new URL(String(at(link, '/href')), url).origin !== new URL(url).origin);
    },
  },
  'links.way-back-below-no-root': {
    source: 'core: What the service does, the API root',
    breaks: 'A link leads below the API root, that of a step back too, which is there after a promote.',
    variant: replaces('hypermedia', 'operationLinks', (right, areas, ...args) =>
      right(areas, ...args).map((link) =>
        link.rel === 'demote' ? { ...link, href: link.href.replace(/^\/api/, '') } : link,
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.move(made, 1);
      const link = listAt(await edda.read(made), '/links').find((each) => at(each, '/rel') === 'demote');
      return (await edda.put(String(at(link, '/href')), 2)).status === 404;
    },
  },
  'links.regardless-of-role': {
    source: 'core: What the service does (hypermedia conventions)',
    breaks: 'Links describe what the user who asks may do, not what anybody may.',
    museum: true,
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) => {
      const softType = areas.objects.softTypeOf(call.space, object.softType);
      const paged = right(areas, call, object, view, slices, filter).filter(({ rel }) => rel === 'page');
      return [...areas.hypermedia.operationLinks(object, softType, view), ...paged];
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document');
      return listAt(await rita.read(made), '/links').some((link) => at(link, '/method') === 'PATCH');
    },
  },
  'paging.name-of-the-first-array': {
    source: 'core: Link object',
    breaks: 'A page link names the array that it belongs to, also where another one is long too.',
    variant: changes('hypermedia', 'linksOf', (links) => {
      const first = links.find(({ rel }) => rel === 'page');
      return links.map((link) => (link.rel === 'page' ? { ...link, sectionPath: first?.sectionPath ?? '' } : link));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(11), contacts: named(11) });
      const links = listAt(await edda.read(made), '/links');
      return !links.some((link) => at(link, '/sectionPath') === 'contacts');
    },
  },
  'paging.total-never-falls': {
    source: 'core: Link object',
    breaks: 'The totals of a page link are those of the array as it is now, also after it became shorter.',
    variant: breaks('hypermedia', 'pageLink', (right) => {
      const most = new Map<string, number>();
      return (areas, object, view, section, total, filter) => {
        const key = `${object.oid} ${section.path} ${filter?.value ?? ''}`;
        most.set(key, Math.max(total, most.get(key) ?? 0));
        return right(areas, object, view, section, most.get(key) ?? total, filter);
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: filesOf(21) });
      const before = await edda.read(made);
      const paths = [4, 7].map((id) => ({ op: 'remove', path: `/files/${id}/` }));
      await edda.operate(made, 1, paths);
      return (
        at(pageLinkIn(before, 'files'), '/pages') === 3 &&
        at(pageLinkIn(await edda.read(made), 'files'), '/pages') === 3
      );
    },
  },
  'paging.another-kind-behind-a-value': {
    source: 'core: Link object, rel',
    breaks: 'A link to pages has page as its rel, whatever the filter takes its value from.',
    variant: changes('hypermedia', 'pageLink', (link, _areas, _object, _view, _section, _total, filter) =>
      filter !== undefined && filter.filter.equals === undefined ? { ...link, rel: 'filteredPage' } : link,
    ),
    async shows({ edda }) {
      const files = named(11).map((file) => ({ ...file, category: 'c' }));
      const made = await edda.make('Document', { files });
      const read = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=c');
      return !listAt(read, '/links').some((link) => at(link, '/rel') === 'page');
    },
  },
  'links.inner-pages-have-no-method': {
    source: 'core: Link object, method',
    breaks: 'A page link names its method, that of an array inside an entry too.',
    variant: replaces('hypermedia', 'pageLinksOf', (right, areas, ...args) =>
      right(areas, ...args).map((link) =>
        link.sectionPath?.includes('/') ? (Object.assign({ ...link }, { method: undefined }) as never) : link,
      ),
    ),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `l${number}` }));
      const read = await edda.read(await edda.make('Document', { files: [{ name: 'n', revisions }] }));
      return listAt(read, '/links').some((link) => at(link, '/rel') === 'page' && at(link, '/method') !== 'GET');
    },
  },
  'reading.template-is-encoded-from-memory': {
    source: 'core: Link object, href',
    breaks: 'A page link has the template of its number, in the second read of a version as well.',
    variant: breaks('memory', 'rememberedRead', (right) => {
      const seen = new Set<string>();
      return async (areas, call, reading, object, view, assemble) => {
        const answer = await right(areas, call, reading, object, view, assemble);
        const key = `${object.oid} ${object.version} ${view.id}`;
        if (seen.has(key) && typeof answer.raw === 'string')
          return { ...answer, raw: answer.raw.replaceAll('{pageNumber}', '%7BpageNumber%7D') };
        seen.add(key);
        return answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(11) });
      await edda.get(made.path);
      return !(await edda.get(made.path)).text.includes('{pageNumber}');
    },
  },
  'links.page-of-a-later-version': {
    source: 'core: Link object',
    breaks: 'A page link is of the kind page, however often the object was read before at another version.',
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
      const made = await edda.make('Document', { files: named(11) });
      await edda.read(made);
      await edda.merge(made, 1, { note: 'n' });
      const links = listAt(await edda.read(made), '/links');
      return !links.some((link) => at(link, '/rel') === 'page');
    },
  },
  'links.demote-at-the-end-is-a-post': {
    source: 'core: Link object, row method',
    breaks: 'A link names the method of its operation, also the one by which an object leaves its last state.',
    variant: changes('hypermedia', 'operationLinks', (links) => {
      const canPromote = (href: string) =>
        links.some((link) => link.rel === 'promote' && link.href === href.replace('/demote/', '/promote/'));
      return links.map((link) =>
        link.rel === 'demote' && !canPromote(link.href) ? { ...link, method: 'POST' as const } : link,
      ) as typeof links;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.move(made, 1);
      await edda.move(made, 2);
      return listAt(await edda.read(made), '/links').some(
        (link) => at(link, '/rel') === 'demote' && at(link, '/method') !== 'PUT',
      );
    },
  },
  'paging.rel-after-a-promote': {
    source: 'core: Link object, rel',
    breaks: 'The link to the pages of an array has the rel page, whatever state the object has reached.',
    variant: changes('hypermedia', 'pageLink', (link, _areas, object) =>
      storedStates(object)['engineering']?.state === 'reviewed' ? { ...link, rel: 'pages' } : link,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(11) });
      await edda.move(made, 1);
      return pageLinks(await edda.read(made)).length === 0;
    },
  },
  'links.pages-of-inner-arrays-are-posted': {
    source: 'core: Link object, method',
    breaks: 'The method of a link is that by which it is followed, for an array inside an entry too.',
    variant: changes('hypermedia', 'pageLink', (link, _areas, _object, _view, section) =>
      section.items === undefined ? link : { ...link, method: 'POST' },
    ),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `t${number}` }));
      const made = await edda.make('Document', { files: [{ name: 'n', revisions }] });
      const links = listAt(await edda.read(made), '/links');
      return links.some((link) => at(link, '/rel') === 'page' && at(link, '/method') !== 'GET');
    },
  },
  'batch.page-number-filled-in': {
    source: 'core: Link object, row href',
    breaks: 'The link to the pages of an array holds the template for the number, also in a read inside a batch.',
    variant: changes('batch', 'operationResult', ({ body, ...result }) => {
      const filled = mapped(body, (object) =>
        object['rel'] === 'page' ? { ...object, href: String(object['href']).replace('{pageNumber}', '0') } : object,
      );
      return body === undefined ? result : { ...result, body: filled };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(11) });
      const results = await edda.batch([readOf(made)]);
      return !results.text.includes('{pageNumber}');
    },
  },
  'links.method-of-inner-pages': {
    source: 'core: Link object',
    breaks: 'The method of a link is the one of HTTP, in its letters, for an array inside an entry as well.',
    variant: changes('hypermedia', 'pageLink', (link, _areas, _object, _view, section) =>
      section.items === undefined ? link : { ...link, method: link.method.toLowerCase() },
    ),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `r${number}` }));
      const made = await edda.make('Document', { title: 'links', files: [{ name: 'one', revisions }] });
      return listAt(await edda.read(made), '/links').some((link) => at(link, '/method') === 'get');
    },
  },
  'links.of-who-reads-at-the-same-time': {
    source: 'core: What the service does',
    breaks: 'Links are those of the current user, whoever reads the object at the same moment.',
    variant: sharesReads((route, { url }) => (isInstanceRead(route) ? url : undefined)),
    async shows({ edda, rita }) {
      const made = await edda.make('Document');
      const [, read] = await Promise.all([edda.read(made), rita.read(made)]);
      return listAt(read, '/links').some((link) => at(link, '/method') === 'PATCH');
    },
  },
  'links.promote-on-the-second-level-is-a-post': {
    source: 'core: Link object, method',
    breaks: 'A link has the method by which its address is used, that of a promote on another level too.',
    variant: withMethod(({ href }) => /\/promote\/.*\/approval$/.test(href), 'POST'),
    shows: ({ edda }) => isOffered(edda, 'promote', 'POST'),
  },
  'links.edit-is-a-post': {
    source: 'core: Link object, method',
    breaks: 'A link has the method by which its address is used, beside another one with that address too.',
    variant: withMethod(({ rel }) => rel === 'edit', 'POST'),
    shows: ({ edda }) => isOffered(edda, 'edit', 'POST'),
  },
  'links.edit-is-a-delete': {
    source: 'core: Link object, method',
    breaks: 'A link has a method that its address knows.',
    variant: withMethod(({ rel }) => rel === 'edit', 'DELETE'),
    shows: ({ edda }) => isOffered(edda, 'edit', 'DELETE'),
  },
  'links.edit-by-the-output-schema': {
    source: 'core: What the service does',
    breaks: 'Links of a read under another output schema lead to what they offer.',
    variant: changes('hypermedia', 'linksOf', (links, areas, { space }, object, view) => {
      if (view === areas.objects.outputViewOf(areas.objects.softTypeOf(space, object.softType), undefined))
        return links;
      return links.map((link) =>
        link.method === 'PATCH' || link.rel === 'replace'
          ? { ...link, href: link.href.replace(/[^/]+(\/[^/]+)$/, `${view.id}$1`) }
          : link,
      );
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const { json } = await edda.get(`/api/space/main/softtype/Document/documentSummary/${made.oid}`);
      const edit = listAt(json, '/links').find((link) => at(link, '/method') === 'PATCH');
      const headers = { 'Svc-UOIVersion': '1' };
      return (await edda.send('PATCH', String(at(edit, '/href')), { headers, body: { note: 'n' } })).status === 404;
    },
  },
  'links.of-a-read-in-a-batch-lead-below-it': {
    source: 'core: What the service does',
    breaks: 'Links of a read that is an operation of a batch lead to what they offer.',
    variant: changes('hypermedia', 'linksOf', (links, _areas, call) =>
      call.isSibling === undefined
        ? links
        : links.map((link) => ({ ...link, href: link.href.replace('/softtype/', '/batch/softtype/') })),
    ),
    async shows({ edda }) {
      const { json } = await edda.batch([readOf(await edda.make('Document'))]);
      return (await edda.get(String(at(json, '/0/body/links/0/href')))).status === 404;
    },
  },
};

/** Where a link of a relation leads. */
function linkHref(read: unknown, rel: string): unknown {
  return at(
    listAt(read, '/links').find((link) => at(link, '/rel') === rel),
    '/href',
  );
}

/** Some links of a read name that method. */
function withMethod(isMeant: (link: Link) => boolean, method: string): Variant {
  return changes('hypermedia', 'linksOf', (links) => links.map((link) => (isMeant(link) ? { ...link, method } : link)));
}

async function isOffered(client: Client, rel: string, method: string): Promise<boolean> {
  const links = listAt(await client.read(await client.make('Document')), '/links');
  return links.some((link) => at(link, '/rel') === rel && at(link, '/method') === method);
}
