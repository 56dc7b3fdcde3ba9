import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, encoded, listAt, pagePath } from '../service.ts';

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
};
