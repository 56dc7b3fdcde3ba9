import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { reached } from '../proofs.ts';
import { at, listAt, many } from '../service.ts';
import { append, events, filesOf, linkHref, membersAt, pageLinkOf, sendEvent } from './proofs.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { deliveries } from './deliveries.ts';
import { files } from './files.ts';
import { manyAtOnce } from './many.ts';
import { registered } from './registered.ts';

const profile = '/api/collection/user/profile';

const access: Batch = {
  'filter.that-of-the-request-before': {
    source: 'core: Common request headers',
    breaks: 'The information filter is required of every request, also of one that follows another.',
    kind: 'copy',
    variant: breaks('messages', 'informationFilterOf', (right) => {
      const known = new Map<string, string>();
      return (areas, call) => {
        const who = call.headers['authorization'] ?? '';
        const given = call.headers['svc-informationfilter'] ?? known.get(who);
        const filter = right(
          areas,
          given === undefined ? call : { ...call, headers: { ...call.headers, 'svc-informationfilter': given } },
        );
        if (given !== undefined) known.set(who, given);
        return filter;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.get(made.path, { 'Svc-InformationFilter': '' })).status === 200;
    },
  },
  'etag.counts-from-the-start': {
    source: 'core: Versioning 4',
    breaks: 'Changed data gives 200, also where the service was started again after the tag was given.',
    kind: 'copy',
    variant: breaks('caching', 'etagOf', () => {
      const known = new Map<string, number>();
      return (_areas, representation) => {
        const text = representation.toString();
        known.set(text, known.get(text) ?? known.size + 1);
        return `"${known.get(text)}"`;
      };
    }),
    async shows({ cora, restart }) {
      const etag = (await cora.get(profile)).headers.get('etag') ?? '';
      await cora.put(profile, undefined, { displayName: 'Another' });
      await restart();
      return (await cora.get(profile, { 'If-None-Match': etag })).status === 304;
    },
  },
  'correlation.of-the-request-before': {
    source: 'core: Common request headers',
    breaks: 'A request without a correlation id has one of its own, whatever its user sent before.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'envelopeIdOf', (right) => {
      const last = new Map<string, string>();
      return (areas, call) => {
        if (call.correlationGiven) last.set(call.user.name, call.correlationId);
        return last.get(call.user.name) ?? right(areas, call);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [events()]);
      const { edda } = service;
      const headers = { 'X-Correlation-Id': '5ad6c4c6-35a3-4a7a-9c25-5b6d0f6f0a11' };
      await sendEvent(edda, { recordId: 'e' }, { headers });
      await sendEvent(edda, { recordId: 'e' });
      const [one, other] = await reached(host, 2);
      return at(one, '/envelope/id') === at(other, '/envelope/id');
    },
  },
};

const reading: Batch = {
  'paging.total-never-falls': {
    source: 'core: Link object',
    breaks: 'The totals of a page link are those of the array as it is now, also after it became shorter.',
    kind: 'copy',
    variant: breaks('hypermedia', 'pageLink', (right) => {
      const most = new Map<string, number>();
      return (areas, object, view, section, total, filter) => {
        const key = `${object.oid} ${section.path} ${filter?.value ?? ''}`;
        most.set(key, Math.max(total, most.get(key) ?? 0));
        return right(areas, object, view, section, most.get(key) ?? total, filter);
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: filesOf(21) });
      const before = await edda.read(made);
      const paths = [4, 7].map((id) => ({ op: 'remove', path: `/files/${id}/` }));
      await edda.operate(made, 1, paths);
      return (
        at(pageLinkOf(before, 'files'), '/pages') === 3 &&
        at(pageLinkOf(await edda.read(made), 'files'), '/pages') === 3
      );
    },
  },
  'links.first-read-after-an-edit-has-those-of-the-editor': {
    source: 'core: What the service does',
    breaks: 'Links tell what the user who reads may do, whoever has written just before.',
    kind: 'role',
    variant: (() => {
      const editors = new Map<string, string>();
      return together(
        replaces('editing', 'mergeObject', async (right, areas, call, writing) => {
          const answer = await right(areas, call, writing);
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
      const made = await edda.make('Document', { title: 't' });
      await rita.read(made);
      await edda.merge(made, 1, { title: 'u' });
      return linkHref(await rita.read(made), 'edit') !== undefined;
    },
  },
  'filter.ends-behind-page-one': {
    source: 'core: Server side paging 5',
    breaks: 'A filter applies to every page, the third as well.',
    kind: 'place',
    variant: replaces('paging', 'assemblePage', (right, areas, call, reading, object, view, section, page, filter) =>
      right(areas, call, reading, object, view, section, page, page >= 2 ? undefined : filter),
    ),
    async shows({ edda }) {
      const files = many(50, (number) => ({ name: `f${number}`, category: number % 2 === 0 ? 'drawing' : 'model' }));
      const made = await edda.make('Document', { title: 't', files });
      const { json } = await edda.page(made, 'files', 2, '?softTypeFilter=drawings');
      return membersAt(json, '/data', 'category').includes('model');
    },
  },
  'links.of-the-object-read-before': {
    source: 'core: What the service does',
    breaks:
      'Links describe operations on the resource that was requested, also when another one of its kind was read before.',
    kind: 'copy',
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
      const one = await edda.make('Document', { title: 't' });
      const other = await edda.make('Document', { title: 'u' });
      await edda.read(one);
      return String(linkHref(await edda.read(other), 'edit')).includes(one.oid);
    },
  },
  'page.ten-is-page-zero': {
    source: 'core: Server side paging 3',
    breaks: 'The number that a client puts in may have two digits.',
    kind: 'value',
    variant: replaces('paging', 'pageNumberOf', (right, areas, call) => right(areas, call) % 10),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: filesOf(103) });
      const { json } = await edda.page(made, 'files', 10);
      return membersAt(json, '/data', 'name')[0] === 'f1';
    },
  },
  'paging.link-is-forgotten-when-the-array-grows-again': {
    source: 'core: Server side paging 2',
    breaks: 'An array that fell to ten entries and grew again has its page link again.',
    kind: 'moment',
    variant: breaks('hypermedia', 'pageLinksOf', (right) => {
      const seen = new Map<string, { wasLong: boolean; fell: boolean }>();
      return (areas, object, view, slice, filter) => {
        const key = `${object.oid} ${slice.section.path}`;
        const state = seen.get(key) ?? { wasLong: false, fell: false };
        seen.set(key, state);
        if (slice.total > 10) state.wasLong = true;
        else if (state.wasLong) state.fell = true;
        const links = right(areas, object, view, slice, filter);
        return state.fell ? links.filter((link) => link.sectionPath !== slice.section.path) : links;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: filesOf(11) });
      await edda.read(made);
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/3/' }]);
      await edda.read(made);
      await append(edda, made, 2, filesOf(2, 'model', 'again'));
      return pageLinkOf(await edda.read(made), 'files') === undefined;
    },
  },
};

const writing: Batch = {
  'merge.brings-back-what-a-put-removed': {
    source: 'core: Endpoint table, PUT',
    breaks: 'What a PUT removed stays removed when a merge comes behind it.',
    kind: 'copy',
    variant: breaks('editing', 'mergeObject', (right) => {
      const kept = new Map<string, object>();
      return async (areas, call, writing) => {
        const { object } = call;
        const content = { ...kept.get(object.oid), ...object.content };
        const answer = await right(areas, { ...call, object: { ...object, content } }, writing);
        const stored = await writing.object(object.spaceId, object.oid);
        kept.set(object.oid, stored?.content ?? {});
        return answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n' });
      await edda.merge(made, 1, { remark: 'r' });
      await edda.replace(made, 2, { title: 'u' });
      await edda.merge(made, 3, { remark: 's' });
      return at(await edda.read(made), '/data/note') === 'n';
    },
  },
  'put.empties-the-first-page-only': {
    source: 'core: Endpoint table, PUT',
    breaks: 'An array that a PUT leaves out is removed with all its entries, those of later pages too.',
    kind: 'place',
    variant: replaces('editing', 'replaceArray', async (right, areas, writing, oid, port, items) => {
      if (items.length > 0) return right(areas, writing, oid, port, items);
      for (const { entryId } of await writing.entries(oid, port, { from: 0, to: 10 }))
        await writing.removeEntry(oid, port, entryId);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: filesOf(12) });
      await edda.replace(made, 1, { title: 'u' });
      return listAt(await edda.read(made), '/data/files').length === 2;
    },
  },
  'states.second-promote-drops-the-definition': {
    source: 'core: States and transitions',
    breaks: 'A current state has all its members in the last state as well.',
    kind: 'moment',
    variant: replaces('maturity', 'contentInState', (right, areas, content, level, state) => {
      const next = right(areas, content, level, state);
      const states: unknown = next['$states'];
      if (at(content, `/$states/${level}/state`) === 'draft' || level !== 'engineering' || !isRecord(states))
        return next;
      const { $softType: _definition, ...rest } = Object(states[level]);
      return { ...next, $states: { ...states, [level]: rest } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      await edda.move(made, 2);
      const state = at(await edda.read(made), '/data/engineering');
      return at(state, '/state') === 'released' && at(state, '/$softType') === undefined;
    },
  },
  'operations.add-fills-the-gap': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'What is added to an array is its last entry, also after another entry was removed.',
    kind: 'moment',
    variant: (() => {
      const gaps = new Map<string, number>();
      return together(
        replaces('operations', 'removeTarget', async (right, areas, run, target) => {
          const { entry } = target.row;
          if (target.kind === 'entry' && entry !== undefined) {
            const entries = await run.writing.entries(run.object.oid, entry.port, { from: 0, to: 1000 });
            gaps.set(
              `${run.object.oid} ${entry.port}`,
              entries.findIndex(({ entryId }) => entryId === entry.entryId),
            );
          }
          return right(areas, run, target);
        }),
        replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
          await right(areas, run, target, contents);
          const port = target.steps.at(-1)?.name ?? '';
          const gap = gaps.get(`${run.object.oid} ${port}`);
          gaps.delete(`${run.object.oid} ${port}`);
          const entries = await run.writing.entries(run.object.oid, port, { from: 0, to: 1000 });
          const last = entries.at(-1);
          if (gap === undefined || last === undefined) return;
          await run.writing.replaceEntries(run.object.oid, port, entries.slice(0, -1).toSpliced(gap, 0, last));
        }),
      );
    })(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: filesOf(3) });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/2/' }]);
      await append(edda, made, 2, [{ name: 'new' }]);
      return membersAt(await edda.read(made), '/data/files', 'name')[2] !== 'new';
    },
  },
  'operations.cascade-takes-the-entry-at-that-place': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'The entry that does not comply any more is removed, whatever was removed before it.',
    kind: 'combination',
    variant: replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
      const range = { from: entry.entryId - 1, to: entry.entryId };
      const [found] = await run.writing.entries(run.object.oid, entry.port, range);
      return right(areas, run, { ...entry, entryId: found?.entryId ?? entry.entryId });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: filesOf(3) });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/1/' }]);
      await edda.operate(made, 2, [{ op: 'remove', path: '/files/2/name' }]);
      return membersAt(await edda.read(made), '/data/files', 'name').includes('f2');
    },
  },
  'operations.effectivity-never-goes-back': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'The effectivity date is that of the filter, also where the one before it was later.',
    kind: 'value',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, pointer) => {
      const former = at(target.value, '/effectivity') ?? at(target.row.content, '/price/effectivity');
      const effectivity = () => {
        const next = run.rules.effectivity();
        return typeof former === 'string' && former > next ? former : next;
      };
      const own = { ...run, rules: { ...run.rules, effectivity } };
      await right(areas, own, target, value, pointer);
      run.root = own.root;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', price: '1' });
      const replace = (version: number, time: string) =>
        edda.operate(made, version, [{ op: 'replace', path: '/price/value', value: `${version}` }], { time });
      await replace(1, '2031-01-01T00:00:00Z');
      await replace(2, '2021-01-01T00:00:00Z');
      const price = at(await edda.read(made), '/data/price');
      return at(price, '/value') === '2' && String(at(price, '/effectivity')).startsWith('2031');
    },
  },
  'operations.entry-is-known-as-it-was-first': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A member of an entry that was removed is not there any more, so that it can be added.',
    kind: 'copy',
    variant: breaks('operations', 'addValue', (right) => {
      const added = new Set<string>();
      return async (areas, run, target, value, pointer) => {
        const { entry } = target.row;
        if (target.kind !== 'member' || entry === undefined) return right(areas, run, target, value, pointer);
        const key = JSON.stringify([run.object.oid, entry.port, entry.entryId, target.steps]);
        if (added.has(key)) throw new Refusal(422, 'The member has a value already.');
        await right(areas, run, target, value, pointer);
        added.add(key);
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: filesOf(1) });
      const add = { op: 'add', path: '/files/1/comment', value: 'c' };
      await edda.operate(made, 1, [add]);
      await edda.operate(made, 2, [{ op: 'remove', path: '/files/1/comment' }]);
      return (await edda.operate(made, 3, [add])).status >= 400;
    },
  },
};

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Thought of with the documents alone in view: what several requests in a row make of a service, and what it keeps between them. */
export const eleventh: Batch = {
  ...reading,
  ...writing,
  ...manyAtOnce,
  ...access,
  ...files,
  ...registered,
  ...deliveries,
};
