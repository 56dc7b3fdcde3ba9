import { setTimeout } from 'node:timers/promises';
import { headerNames } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { within, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many } from '../service.ts';

export const editingMistakes: Batch = {
  'editing.location-of-second-schema': {
    source: 'core: Errors',
    breaks: 'The Location of a 201 is where the new object can be read, whichever input schema it was created under.',
    kind: 'place',
    variant: replaces('editing', 'createObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const { softType, view } = call.place;
      const oid = answer.headers?.['Location']?.split('/').at(-1);
      if (view === areas.objects.createViewOf(softType, undefined)) return answer;
      const Location = `/api/space/${call.space.id}/softtype/${softType.id}/${view.id}/${oid}`;
      return { ...answer, headers: { ...answer.headers, Location } };
    }),
    async shows({ edda }) {
      const created = await edda.post('/api/space/main/softtype/Document/documentBrief', { title: 'brief' });
      return (await edda.get(created.headers.get('location') ?? '')).status !== 200;
    },
  },

  'editing.references-outlive-put': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A PUT takes away every field that its body leaves out, references to other objects included.',
    kind: 'combination',
    variant: replaces('editing', 'arraysAfterPut', (right, areas, softType, given) => {
      const all = [...right(areas, softType, given)];
      return new Map(all.filter(([port]) => given.has(port) || softType.members.get(port)?.kind !== 'references'));
    }),
    async shows({ edda }) {
      const part = await edda.make('Part', { name: 'bolt' });
      const made = await edda.make('Document', { title: 'drawing', describes: [{ value: { $oid: part.oid } }] });
      await edda.replace(made, 1, { title: 'drawing of nothing' });
      return listAt(await edda.read(made), '/data/describes').length > 0;
    },
  },

  'editing.put-merges-entries': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A PUT takes away every field that its body leaves out, also inside an entry that stays.',
    kind: 'place',
    variant: replaces('editing', 'putObject', (right, areas, call, writing) => {
      const merging = within(areas, {
        editing: {
          async replaceArray(writing, oid, port, items) {
            const merged = items.map(async (item) => {
              const old = item.entryId === undefined ? undefined : await writing.entry(oid, port, item.entryId);
              return { ...item, content: { ...old?.content, ...item.content } };
            });
            await areas.editing.replaceArray(writing, oid, port, await Promise.all(merged));
          },
        },
      });
      return right(merging, call, writing);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'files', files: [{ name: 'a', comment: 'to go' }] });
      await edda.replace(made, 1, { title: 'files', files: [{ $entryId: 1, name: 'a' }] });
      return at(await edda.read(made), '/data/files/0/comment') !== undefined;
    },
  },

  'editing.merge-through-second-schema': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks:
      'A merge leaves alone the fields that its body does not name, those that its input schema does not have included.',
    kind: 'place',
    variant: replaces('editing', 'mergeObject', (right, areas, call, writing) => {
      const known = new Set(call.place.view.names.values());
      const forgetting = within(areas, {
        editing: {
          mergePatch(target, edits) {
            const merged = Object.entries(areas.editing.mergePatch(target, edits));
            const isRoot = target === call.object.content;
            return Object.fromEntries(merged.filter(([name]) => !isRoot || name.startsWith('$') || known.has(name)));
          },
        },
      });
      return right(forgetting, call, writing);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'book', pageCount: 300 });
      const path = `/api/space/main/softtype/Document/documentBrief/${made.oid}`;
      await edda.send('PATCH', path, { headers: { [headerNames.version]: '1' }, body: { note: 'read' } });
      return at(await edda.read(made), '/data/pageCount') === undefined;
    },
  },

  'editing.merge-restamps': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge leaves alone the fields that its body does not name, the date of a dated element included.',
    kind: 'combination',
    variant: replaces('editing', 'mergeObject', (right, areas, call, writing) => {
      const stamping = within(areas, {
        editing: {
          mergePatch(target, edits) {
            const merged = areas.editing.mergePatch(target, edits);
            const { price } = merged;
            if (!isContent(price) || target !== call.object.content || 'price' in edits) return merged;
            return { ...merged, price: { ...price, effectivity: areas.contents.effectivityOf(call) } };
          },
        },
      });
      return right(stamping, call, writing);
    }),
    async shows({ edda }) {
      const price = { value: '10', effectivity: '2020-02-02T00:00:00Z' };
      const made = await edda.make('Document', { title: 'offer', price });
      await edda.merge(made, 1, { note: 'sent' });
      const read = await edda.read(made);
      return at(read, '/data/note') === 'sent' && at(read, '/data/price/effectivity') !== price.effectivity;
    },
  },
};

export const versioningMistakes: Batch = {
  'versioning.puts-at-once': {
    source: 'core: Versioning 3',
    breaks:
      'Of several PUTs made for one version and sent at once, one is accepted: the others do not name the version of the server any more.',
    kind: 'moment',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const { spaceId = '', objectId } = call.params;
      if (call.method !== 'PUT' || objectId === undefined) return right(areas, route, call);
      const before = await areas.store.read((reading) => reading.object(spaceId, objectId));
      await setTimeout(50);
      const late = within(areas, { versioning: { sameVersion: (sent) => sent === before?.version } });
      return right(late, route, call);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'contested' });
      const answers = await Promise.all(many(6, (number) => edda.replace(made, 1, { title: `take ${number}` })));
      return answers.filter(({ status }) => status < 300).length > 1;
    },
  },

  'versioning.header-counts-operations': {
    source: 'core: Common request headers',
    breaks:
      'The version header of an accepted PATCH is the new version of the object, however many operations it listed.',
    kind: 'value',
    variant: replaces('operations', 'operateObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const more = Math.max(0, call.json.length - 2);
      const version = String(Number(answer.headers?.[headerNames.version]) + more);
      return { ...answer, headers: { ...answer.headers, [headerNames.version]: version } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'busy' });
      const names = ['note', 'remark', 'label'];
      const answer = await edda.operate(
        made,
        1,
        names.map((name) => ({ op: 'add', path: `/${name}`, value: name })),
      );
      return Number(answer.headers.get(headerNames.version)) !== at(await edda.read(made), '/version');
    },
  },
};
