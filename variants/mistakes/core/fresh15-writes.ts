import { setTimeout as sleep } from 'node:timers/promises';
import { headerNames } from '../../../contract/names.ts';
import { routes } from '../../../contract/routes.ts';
import { isContent, itemsOf } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces, together } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { documentOf, multiCreateOf, named, pair, part, readCreated, withFiles, withRevisions } from '../proofs.ts';
import { at, listAt, many, versionHeader } from '../service.ts';
import { changes, during, leadsTo, mapEntries, mapTexts, perServer, whole } from '../variant-parts.ts';

const version = headerNames.version.toLowerCase();

function bodyOf({ body }: { readonly body: Buffer | undefined }): unknown {
  return JSON.parse(body?.toString() ?? 'null');
}

const mergesOf = perServer(() => new Map<string, readonly string[]>());
const deletedOf = perServer(() => new Set<string>());
const underWay = perServer(() => new Set<string>());

export const fresh15WritesMistakes: Mistakes = {
  'fresh15a.put-keeps-dated': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A dated member that a PUT does not name is gone.',
    variant: replaces('editing', 'replaceContent', (right, areas, old, given) => {
      const dated = Object.entries(old).filter(([, value]) => isContent(value) && 'effectivity' in value);
      return { ...Object.fromEntries(dated), ...right(areas, old, given) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { price: '1' });
      await edda.replace(made, 1, { title: 't' });
      return at(await edda.read(made), '/data/price') !== undefined;
    },
  },
  'fresh15a.put-keeps-references': {
    source: 'core: Endpoint table, PUT',
    breaks: 'References that a PUT does not name are gone.',
    variant: replaces(
      'editing',
      'arraysAfterPut',
      (right, areas, softType, given) =>
        new Map(
          [...right(areas, softType, given)].filter(
            ([port]) => given.has(port) || softType.members.get(port)?.kind !== 'references',
          ),
        ),
    ),
    async shows({ edda }) {
      const { oid } = await edda.make('Part');
      const made = await edda.make('Document', { describes: [{ value: { $oid: oid } }] });
      await edda.replace(made, 1, { title: 't' });
      return listAt(await edda.read(made), '/data/describes').length > 0;
    },
  },
  'fresh15a.merge-by-a-narrow-schema-drops-the-rest': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge under an input schema of few members leaves the members alone that it does not have.',
    variant: replaces('editing', 'mergeObject', (right, areas, call, writing) => {
      const shown = new Set(call.place.view.names.values());
      const content = Object.fromEntries(
        Object.entries(call.object.content).filter(([name]) => name.startsWith('$') || shown.has(name)),
      );
      return right(areas, { ...call, object: { ...call.object, content } }, writing);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { weight: 5 });
      const path = `/api/space/main/softtype/Document/documentBrief/${made.oid}`;
      await edda.send('PATCH', path, { headers: versionHeader(1), body: { note: 'n' } });
      return at(await edda.read(made), '/data/weight') === undefined;
    },
  },
  'fresh15a.merge-dates-anew': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge leaves the date of a dated member alone that it does not name.',
    variant: replaces('editing', 'mergeObject', (right, areas, call, writing) => {
      const effectivity = areas.contents.effectivityOf(call);
      const content = Object.fromEntries(
        Object.entries(call.object.content).map(([name, value]) => [
          name,
          isContent(value) && 'effectivity' in value ? { ...value, effectivity } : value,
        ]),
      );
      return right(areas, { ...call, object: { ...call.object, content } }, writing);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { price: { value: '1', effectivity: '2020-01-01T00:00:00Z' } });
      await edda.merge(made, 1, { note: 'n' });
      return at(await edda.read(made), '/data/price/effectivity') !== '2020-01-01T00:00:00Z';
    },
  },
  'fresh15a.merge-passes-over-false-inside': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A member inside an object that the body says is false is edited.',
    variant: replaces('editing', 'mergePatch', (right, areas, target, edits) => {
      const inside = (value: unknown) =>
        isContent(value) ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== false)) : value;
      return right(
        areas,
        target,
        Object.fromEntries(Object.entries(edits).map(([name, value]) => [name, inside(value)])),
      );
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { dimensions: { width: '1', nominal: true } });
      await edda.merge(made, 1, { dimensions: { width: '1', nominal: false } });
      return at(await edda.read(made), '/data/dimensions/nominal') === true;
    },
  },
  'fresh15a.merges-of-other-members-may-be-stale': {
    source: 'core: Errors 1',
    breaks: 'A merge for an older version is refused, also where nobody has edited its members meanwhile.',
    variant: together(
      replaces('editing', 'mergeObject', async (right, areas, call, writing) => {
        const answer = await right(areas, call, writing);
        mergesOf(areas).set(
          `${call.object.oid} ${answer.headers?.[headerNames.version]}`,
          isContent(call.json) ? Object.keys(call.json) : [],
        );
        return answer;
      }),
      replaces('versioning', 'assertVersion', (right, areas, call, object) => {
        const sent = Number(call.headers[version]);
        if (call.method !== 'PATCH' || !(sent < object.version)) return right(areas, call, object);
        const body = bodyOf(call);
        for (let later = sent + 1; later <= object.version; later += 1) {
          const names = mergesOf(areas).get(`${object.oid} ${later}`);
          if (!isContent(body) || names === undefined || names.some((name) => name in body))
            return right(areas, call, object);
        }
        return object.version;
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.merge(made, 1, { note: 'n' });
      return (await edda.merge(made, 1, { remark: 'r' })).status === 204;
    },
  },
  'fresh15a.appends-may-be-stale': {
    source: 'core: Errors 1',
    breaks: 'Operations for an older version are refused, also where they only append.',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const sent = Number(call.headers[version]);
      const operations = call.method === 'PATCH' && sent < object.version ? listAt(bodyOf(call), '') : [];
      const append = (operation: unknown) =>
        at(operation, '/op') === 'add' && String(at(operation, '/path')).endsWith('/-');
      return operations.length > 0 && operations.every(append) ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.merge(made, 1, { note: 'n' });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/files/-', value: { name: 'f' } }])).status === 204;
    },
  },
  'fresh15a.stale-operations-append': {
    source: 'core: Errors 1',
    breaks: 'Operations for another version are refused, and append nothing.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      try {
        return await right(areas, route, call);
      } catch (error) {
        if (!(error instanceof Refusal) || error.status !== 409 || route.path !== routes.operations) throw error;
        const { spaceId = '', objectId = '' } = call.params;
        await areas.store.change(async (writing) => {
          const object = await writing.object(spaceId, objectId);
          for (const operation of listAt(bodyOf(call), '')) {
            const [, port = '', rest = '-'] = String(at(operation, '/path')).split('/');
            const value = at(operation, '/value');
            const template = areas.configuration.spaces.get(spaceId)?.template;
            const member = template?.softTypes.get(object?.softType ?? '')?.members.get(port);
            if (at(operation, '/op') === 'add' && rest === '-' && member?.kind === 'entries' && isContent(value))
              await writing.appendEntries(objectId, port, [value]);
          }
        });
        throw error;
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.operate(made, 9, [{ op: 'add', path: '/files/-', value: { name: 'f' } }]);
      return listAt(await edda.read(made), '/data/files').length > 0;
    },
  },
  'fresh15a.promote-beside-another-write': {
    source: 'core: Errors 1',
    breaks: 'Of a promote and a merge for one version that are sent at the same time, one is refused.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      if (route.path !== routes.promote) return right(areas, route, call);
      const { spaceId = '', objectId = '' } = call.params;
      const current = async () => (await areas.store.read((reading) => reading.object(spaceId, objectId)))?.version;
      if (call.headers[version] !== String(await current())) return right(areas, route, call);
      await sleep(15);
      return right(areas, route, { ...call, headers: { ...call.headers, [version]: String(await current()) } });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const answers = await Promise.all([edda.move(made, 1), edda.merge(made, 1, { note: 'n' })]);
      return answers.every(({ status }) => status === 204);
    },
  },
  'fresh15a.promote-of-what-was-deleted': {
    source: 'core: Errors 404',
    breaks: 'A promote of an object that was deleted finds nothing.',
    variant: together(
      changes('editing', 'deleteObject', (answer, areas, { object }) => {
        deletedOf(areas).add(object.oid);
        return answer;
      }),
      replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
        try {
          return await right(areas, route, call);
        } catch (error) {
          const isMeant = route.path === routes.promote && deletedOf(areas).has(call.params['objectId'] ?? '');
          if (!(error instanceof Refusal) || error.status !== 404 || !isMeant) throw error;
          return areas.versioning.editedAnswer(Number(call.headers[version]) + 1);
        }
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.delete(made.path);
      return (await edda.move(made, 1)).status === 204;
    },
  },
  'fresh15a.promote-keeps-ten-inside-entries': {
    source: 'core: States and transitions',
    breaks: 'A promote leaves all entries of an array inside an entry.',
    variant: changes('maturity', 'promoteObject', async (answer, areas, { space, object }, writing) => {
      for (const [port, member] of areas.objects.softTypeOf(space, object.softType).members) {
        if (member.kind !== 'entries') continue;
        for (const { entryId, content } of await writing.entries(object.oid, port, whole)) {
          const cut = Object.entries(content).map(([name, value]) => [
            name,
            Array.isArray(value) ? value.slice(0, 10) : value,
          ]);
          await writing.updateEntry(object.oid, port, entryId, Object.fromEntries(cut));
        }
      }
      return answer;
    }),
    async shows(service) {
      const { made, port } = await withRevisions(service, 12);
      await service.edda.move(made, 1);
      return (await service.edda.page(made, port, 1)).status !== 200;
    },
  },
  'fresh15a.entry-inside-by-its-id-alone': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'An entry of an array inside an entry is that of the entry before it in the path.',
    variant: replaces('operations', 'targetOf', async (right, areas, run, operation) => {
      const [port = '', holderId, array = '', id, ...rest] = operation.tokens;
      if (id === undefined || holderId === undefined || run.softType.members.get(port)?.kind !== 'entries')
        return right(areas, run, operation);
      const entries = await run.writing.entries(run.object.oid, port, whole);
      const holder = entries.find(({ content }) =>
        itemsOf(content, array).some((item) => String(item['$entryId']) === id),
      );
      if (holder === undefined) return right(areas, run, operation);
      return right(areas, run, { ...operation, tokens: [port, String(holder.entryId), array, id, ...rest] });
    }),
    async shows({ edda }) {
      const files = named(2).map((file) => ({ ...file, revisions: [{ text: 'old' }] }));
      const made = await edda.make('Document', { files });
      await edda.operate(made, 1, [{ op: 'replace', path: '/files/2/revisions/1/text', value: 'new' }]);
      return at(await edda.read(made), '/data/files/1/revisions/0/text') !== 'new';
    },
  },
  'fresh15a.add-over-what-is-false-or-zero': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'An add fails on a member inside an object or entry that is false, zero or an empty text.',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, where) => {
      const isInside = target.steps.length > 1 || target.row.entry !== undefined;
      return target.kind === 'member' && isInside && !target.value
        ? right(areas, run, { ...target, value: undefined }, value, where)
        : right(areas, run, target, value, where);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { dimensions: { nominal: false } });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/dimensions/nominal', value: true }])).status === 204;
    },
  },
  'fresh15a.add-inside-entry-goes-first': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'What is added to an array inside an entry without the end marker becomes the last one.',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, value, where) => {
      await right(areas, run, target, value, where);
      const { entry } = target.row;
      const name = target.steps.at(-1)?.name ?? '';
      if (target.kind !== 'array' || target.marker || entry === undefined || target.steps.length !== 1) return;
      const stored = await run.writing.entry(run.object.oid, entry.port, entry.entryId);
      if (stored === undefined) return;
      const items = itemsOf(stored.content, name);
      const content = { ...stored.content, [name]: [...items.slice(-1), ...items.slice(0, -1)] };
      await run.writing.updateEntry(run.object.oid, entry.port, entry.entryId, content);
    }),
    async shows(service) {
      const { made } = await withRevisions(service, 2);
      await service.edda.operate(made, 1, [{ op: 'add', path: '/files/1/revisions', value: { text: 'new' } }]);
      return at(await service.edda.read(made), '/data/files/0/revisions/0/text') === 'new';
    },
  },
  'fresh15a.slash-at-the-end-inside-entry': {
    source: 'core: Operations-based PATCH rules 9',
    breaks: 'An entry of an array inside an entry is removed by its path with a slash at the end.',
    variant: replaces('operations', 'targetOf', (right, areas, run, operation) => {
      if (operation.tokens.length === 5 && operation.tokens[4] === '') throw new Refusal(422, 'There is nothing.');
      return right(areas, run, operation);
    }),
    async shows(service) {
      const { made } = await withRevisions(service, 2);
      return (await service.edda.operate(made, 1, [{ op: 'remove', path: '/files/1/revisions/1/' }])).status >= 400;
    },
  },
  'fresh15a.no-objects-into-entries': {
    source: 'core: Operations-based PATCH rules 6',
    breaks: 'An add of an object to a member of an entry is supported.',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, where) => {
      if (target.kind === 'member' && target.row.entry !== undefined && isContent(value))
        throw new Refusal(422, 'Objects are added to the root alone.');
      return right(areas, run, target, value, where);
    }),
    async shows({ edda }) {
      const made = await withFiles(edda, 1);
      const add = { op: 'add', path: '/files/1/origin', value: { place: 'p' } };
      return (await edda.operate(made, 1, [add])).status >= 400;
    },
  },
  'fresh15a.delete-takes-what-is-referred-to': {
    source: 'core: Batch rules 5',
    breaks: 'A delete deletes its target, and no object that the target refers to.',
    variant: replaces('editing', 'eraseObject', async (right, areas, writing, object) => {
      const softType = areas.configuration.spaces.get(object.spaceId)?.template.softTypes.get(object.softType);
      for (const [port, member] of softType?.members ?? []) {
        if (member.kind !== 'references') continue;
        for (const entry of await writing.entries(object.oid, port, whole)) {
          const target = leadsTo(entry);
          if (typeof target === 'string' && (await writing.object(object.spaceId, target)) !== undefined)
            await writing.deleteObject(object.spaceId, target);
        }
      }
      return right(areas, writing, object);
    }),
    async shows({ edda }) {
      const target = await edda.make('Part');
      const made = await edda.make('Document', { describes: [{ value: { $oid: target.oid } }] });
      await edda.delete(made.path);
      return (await edda.get(target.path)).status === 404;
    },
  },
  'fresh15a.delete-through-another-space': {
    source: 'core: Errors 404',
    breaks: 'An object is not found below another space, by a delete either.',
    variant: replaces('objects', 'locateObject', async (right, areas, call, reading) => {
      try {
        return await right(areas, call, reading);
      } catch (error) {
        if (call.method !== 'DELETE') throw error;
        for (const spaceId of areas.configuration.spaces.keys()) {
          const object = await reading.object(spaceId, call.params['objectId'] ?? '');
          if (object !== undefined) return object;
        }
        throw error;
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.delete(`/api/space/depot/softtype/${made.oid}`);
      return (await edda.get(made.path)).status === 404;
    },
  },
  'fresh15a.reference-edits-its-target': {
    source: 'core: Versioning 2',
    breaks: 'A reference that is added edits the object that has it, and not the one that it leads to.',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, value, where) => {
      await right(areas, run, target, value, where);
      if (target.kind !== 'array' || target.member.kind !== 'references') return;
      const oid = at(value, '/value/$oid');
      const other = typeof oid === 'string' ? await run.writing.object(run.object.spaceId, oid) : undefined;
      if (other !== undefined && other.oid !== run.object.oid)
        await areas.versioning.storeEdit(run.writing, other, other.version + 1, other.content);
    }),
    async shows({ edda }) {
      const target = await edda.make('Part');
      const made = await edda.make('Document');
      const value = { id: 'r', value: { $oid: target.oid } };
      await edda.operate(made, 1, [{ op: 'add', path: '/describes/-', value }]);
      return at(await edda.read(target), '/version') === 2;
    },
  },
  'fresh15a.items-inside-entries-without-ids': {
    source: 'core: System properties',
    breaks: 'Objects in arrays inside the entries that a multi-create makes have an entry id.',
    variant: during('multiCreate', 'createItems', (step) =>
      replaces('contents', 'withEntryIds', (right, areas, items) =>
        step.isOn() ? items.map(({ content }) => content) : right(areas, items),
      ),
    ),
    async shows({ edda }) {
      const files = [{ name: 'f', revisions: [{ text: 'r' }] }];
      const { json } = await edda.multiCreate([{ $softType: 'Document', data: { title: 't', files } }]);
      return at(await readCreated(edda, json, 0), '/data/files/0/revisions/0/$entryId') === undefined;
    },
  },
  'fresh15a.multi-create-without-states': {
    source: 'core: States and transitions',
    breaks: 'What a multi-create makes has its current states.',
    variant: during('multiCreate', 'createItems', (step) =>
      replaces('editing', 'startContent', (right, areas, softType) => (step.isOn() ? {} : right(areas, softType))),
    ),
    async shows({ edda }) {
      const { json } = await edda.multiCreate([{ $softType: 'Document', data: { title: 't' } }]);
      return at(await readCreated(edda, json, 0), '/data/engineering') === undefined;
    },
  },
  'fresh15a.multi-create-trims': {
    source: 'core: Multi-create item',
    breaks: 'Texts of the items are kept with the spaces around them.',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) =>
      right(
        areas,
        call,
        writing,
        items,
        inputs.map((input) => ({
          ...input,
          content: Object.fromEntries(
            Object.entries(input.content).map(([name, value]) => [name, mapTexts(value, (text) => text.trim())]),
          ),
        })),
      ),
    ),
    async shows({ edda }) {
      const { json } = await edda.multiCreate([part('p', ' a ')]);
      return at(await readCreated(edda, json, 0), '/data/name') === 'a';
    },
  },
  'fresh15a.item-taken-for-an-object': {
    source: 'core: Multi-create rules 2',
    breaks: 'A reference leads to the item with the $id, also where an object has that as its identifier.',
    variant: replaces('multiCreate', 'createItems', async (right, areas, call, writing, items, inputs) => {
      const taken = new Map<unknown, string>();
      for (const { $id = '', oid, softType } of items)
        if ((await writing.object(call.space.id, $id))?.softType === softType.id) taken.set(oid, $id);
      const leading = inputs.map((input) =>
        mapEntries(input, (entries) =>
          entries.map((entry) => {
            const $oid = taken.get(leadsTo(entry));
            return $oid === undefined ? entry : { ...entry, content: { ...entry.content, value: { $oid } } };
          }),
        ),
      );
      return right(areas, call, writing, items, leading);
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Part');
      const { json } = await edda.multiCreate([part(oid), documentOf('d', [oid])]);
      return at(await readCreated(edda, json, 1), '/data/describes/0/value/$oid') === oid;
    },
  },
  'fresh15a.one-id-at-a-time': {
    source: 'core: Multi-create item, $id',
    breaks: 'A $id counts inside its request alone, also where two requests with one $id are sent at the same time.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      if (route.path !== routes.multiCreate) return right(areas, route, call);
      const pending = underWay(areas);
      const ids = listAt(bodyOf(call), '').flatMap((item) => {
        const id = at(item, '/$id');
        return typeof id === 'string' ? [id] : [];
      });
      if (ids.some((id) => pending.has(id))) throw new Refusal(422, 'There is such an $id.');
      for (const id of ids) pending.add(id);
      try {
        await sleep(5);
        return await right(areas, route, call);
      } finally {
        for (const id of ids) pending.delete(id);
      }
    }),
    async shows({ edda }) {
      const answers = await Promise.all([edda.multiCreate(pair('a')), edda.multiCreate(pair('a'))]);
      return answers.some(({ status }) => status >= 400);
    },
  },
  'fresh15a.fifty-and-more-inside-a-batch': {
    source: 'core: Multi-create rules 3',
    breaks: 'A multi-create of more than fifty is refused, also where it is an operation of a batch.',
    variant: during('batch', 'runBatch', (step) =>
      replaces('multiCreate', 'withinLimit', (right, areas, items) => (step.isOn() ? items : right(areas, items))),
    ),
    async shows({ edda }) {
      const items = many(51, (number) => part(`p${number}`));
      return (await edda.batch([multiCreateOf(items)])).status === 200;
    },
  },
};
