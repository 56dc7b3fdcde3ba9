import { isContent, itemsOf } from '../../../reference-server/areas/content.ts';
import { storedStates } from '../../../reference-server/areas/soft-type.ts';
import type { Areas } from '../../../reference-server/areas.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import { replaces, together, within } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { mergeOf, part, readOf } from '../proofs.ts';
import { at, listAt, many, movePath } from '../service.ts';
import { changes, during, type EntryOut, stampOf, stampsAllBut } from '../variant-parts.ts';

/** Where the levels of the seed begin. */
const firstStates = new Set(['draft', 'open']);

const edited = new Set<string>();

/** Objects that were edited since the server began. */
const editedSince = new WeakMap<object, Set<string>>();

export const systemPropertiesMistakes: Mistakes = {
  'reading.inner-version-counts-no-promotes': {
    source: 'core: System properties, $version',
    breaks: 'The version inside the data is the one beside it, also after a promote.',
    variant: replaces('instances', 'systemMembers', (right, areas, object) => ({
      ...right(areas, object),
      $version:
        object.version - Object.values(storedStates(object)).filter(({ state }) => !firstStates.has(state)).length,
    })),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'up' });
      await edda.move(made, 1);
      const read = await edda.read(made);
      return at(read, '/version') !== at(read, '/data/$version');
    },
  },
  'reading.version-before-the-batch': {
    source: 'core: System properties inside data',
    breaks: 'The version inside data is that beside it, also in a read behind an edit of its batch.',
    variant: changes('instances', 'assembleInstance', (body, _areas, call, _reading, object) => {
      const isChanged = call.isChangedHere?.(object.oid) === true;
      return isChanged ? { ...body, data: { ...body.data, $version: body.version - 1 } } : body;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const { json } = await edda.batch([mergeOf(made, 1, { note: 'n' }), readOf(made)]);
      return at(json, '/1/body/data/$version') !== at(json, '/1/body/version');
    },
  },
  'reading.ids-on-later-pages-are-positions': {
    source: 'core: System properties',
    breaks: 'On every page an entry has the id that identifies it, also when one before it has gone.',
    variant: changes('paging', 'assemblePage', (body, _areas, ...args) => {
      const page = args[5];
      if (page === 0) return body;
      return { ...body, data: body.data.map((entry, index) => ({ ...entry, $entryId: page * 10 + index + 1 })) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: many(14, (n) => ({ name: `f${n}` })) });
      const first = at((await edda.page(made, 'files', 0)).json, '/data/0/$entryId');
      const before = at((await edda.page(made, 'files', 1)).json, '/data/1/$entryId');
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${String(first)}/` }]);
      return at((await edda.page(made, 'files', 1)).json, '/data/0/$entryId') !== before;
    },
  },
  'reading.items-inside-paged-entries-are-anonymous': {
    source: 'core: System properties',
    breaks: 'Objects in an array inside an entry have their ids on a page as well.',
    variant: changes('paging', 'assemblePage', (body) => ({
      ...body,
      data: body.data.map((entry) => withAnonymousItems(entry)),
    })),
    async shows({ edda }) {
      const files = many(12, (n) => ({ name: `f${n}`, revisions: [{ text: 'r' }] }));
      const made = await edda.make('Document', { files });
      return at((await edda.page(made, 'files', 1)).json, '/data/0/revisions/0/$entryId') === undefined;
    },
  },
  'reading.filtered-data-has-no-definition': {
    source: 'core: System properties',
    breaks: 'A filtered read names the definition of the object in its data as well.',
    variant: changes('instances', 'assembleInstance', (body, _areas, ...args) => {
      if (args[4] === undefined) return body;
      const { $softType: _gone, ...data } = body.data;
      return { ...body, data: data as typeof body.data };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      return at(await edda.read(made, '?softTypeFilterId=drawings'), '/data/$softType') !== 'Document';
    },
  },
  'reading.nested-ids-are-positions': {
    source: 'core: System properties, $entryId',
    breaks: 'The id that a read shows of an entry inside an entry is the one by which a partial update finds it.',
    variant: changes('entries', 'entryOut', (out) => {
      const arrays = Object.entries(out).filter(([, value]) => Array.isArray(value));
      const numbered = arrays.map(([name]) => [
        name,
        listAt(out, `/${name}`).map((item, index) => (isContent(item) ? { ...item, $entryId: index + 1 } : item)),
      ]);
      return { ...out, ...Object.fromEntries(numbered) };
    }),
    shows: async ({ edda }) => {
      const revisions = ['one', 'two', 'three'].map((text) => ({ text }));
      const made = await edda.make('Document', { title: 'nested', files: [{ name: 'a', revisions }] });
      const before = await edda.read(made);
      const [entry, second] = ['/data/files/0/$entryId', '/data/files/0/revisions/1/$entryId'].map((path) =>
        String(at(before, path)),
      );
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${entry}/revisions/${second}/` }]);
      const last = String(at(await edda.read(made), '/data/files/0/revisions/1/$entryId'));
      const path = `/files/${entry}/revisions/${last}/text`;
      return (await edda.operate(made, 2, [{ op: 'replace', path, value: 'new' }])).status >= 400;
    },
  },
  'reading.inner-version-lags-after-demote': {
    source: 'core: System properties, $version',
    breaks: 'The version inside the data is the one beside it, whatever the last write was.',
    variant: together(
      stampsAllBut('demoteObject'),
      replaces('instances', 'systemMembers', (right, areas, object) => ({
        ...right(areas, object),
        $version: stampOf(object.content, object.version),
      })),
    ),
    shows: async ({ edda }) => {
      const made = await edda.make('Document', { title: 'down again' });
      await edda.move(made, 1);
      await edda.move(made, 2, 'demote');
      const read = await edda.read(made);
      return at(read, '/version') !== at(read, '/data/$version');
    },
  },
  'reading.type-with-its-template': {
    source: 'core: System properties, $softType',
    breaks: 'The system property is the identifier of the definition, in every space.',
    variant: replaces('instances', 'systemMembers', (right, areas, object) => {
      const [first] = areas.configuration.spaces.keys();
      const members = right(areas, object);
      if (object.spaceId === first) return members;
      const template = areas.configuration.spaces.get(object.spaceId)?.template.id ?? '';
      return { ...members, $softType: `${template}.${object.softType}` };
    }),
    async shows({ edda }) {
      const made = await edda.make('Dossier');
      return at(await edda.read(made), '/data/$softType') !== 'Dossier';
    },
  },
  'system.no-oid-in-a-narrow-view': {
    source: 'core: System properties inside data, $oid',
    breaks: 'The data hold the identifier of the object, under an output schema with few members too.',
    variant: changes('instances', 'dataOf', (data, _areas, space, object, view) => {
      const all = space.template.softTypes.get(object.softType)?.members.size ?? 0;
      if (view.names.size === all) return data;
      return Object.fromEntries(Object.entries(data).filter(([name]) => name !== '$oid')) as typeof data;
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document');
      const read = await edda.get(`/api/space/main/softtype/Document/documentSummary/${oid}`);
      return at(read.json, '/data/$oid') !== oid;
    },
  },
  'reading.no-ids-behind-a-write': {
    source: 'core: System properties inside data, $entryId',
    breaks: 'An entry that is read has its id, also by the batch that has just written its object.',
    variant: changes('instances', 'readInstance', (answer, _areas, call) => {
      const data = at(answer.body, '/data');
      if (call.isChangedHere?.(call.object.oid) !== true || typeof data !== 'object') return answer;
      return { ...answer, body: { ...(answer.body as object), data: withoutIds(data) } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'n' }] });
      const edit = mergeOf(made, 1, { note: 'n' });
      const answer = await edda.batch([edit, readOf(made)]);
      return answer.status === 200 && at(answer.json, '/1/body/data/files/0/$entryId') === undefined;
    },
  },
  'batch.object-id-of-the-read-before': {
    source: 'core: System properties inside `data`',
    breaks: 'Each of two reads in a batch has the id of its own object.',
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
      const made = [await edda.make('Document'), await edda.make('Document', { title: 'b' })];
      const answer = await edda.batch(made.map(({ path }) => ({ method: 'GET', href: path })));
      return at(answer.json, '/1/body/data/$oid') !== made[1]?.oid;
    },
  },
  'system.softtype-of-the-body': {
    source: 'core: System properties inside data, $softType',
    breaks: 'The SoftType of an object is that of its definition, whatever the body of a PUT says.',
    survives: 'What system properties in the body of an edit do is not said (system-members-on-write): recorded.',
    variant: (classes) => {
      const told = new Map<string, string>();
      return together(
        changes('editing', 'putObject', (answer, _areas, call) => {
          const softType = at(call.json, '/$softType');
          if (typeof softType === 'string') told.set(call.object.oid, softType);
          return answer;
        }),
        replaces('instances', 'systemMembers', (right, areas, object) => ({
          ...right(areas, object),
          $softType: told.get(object.oid) ?? object.softType,
        })),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.replace(made, 1, { title: 'u', $softType: 'Part' });
      return at(await edda.read(made), '/data/$softType') === 'Part';
    },
  },
  'batch.second-read-has-the-first-type': {
    source: 'core: System properties, $softType',
    breaks: 'What a read says of its definition is that of its object, also in a batch behind another read.',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => {
      const [first] = results.map(({ body }) => at(body, '/data/$softType')).filter((type) => type !== undefined);
      return right(
        areas,
        results.map((result) => {
          const { body } = result;
          if (!isContent(body) || !isContent(body['data'])) return result;
          return { ...result, body: { ...body, data: { ...body['data'], $softType: first } } };
        }),
      );
    }),
    async shows({ edda }) {
      const [document, part] = [await edda.make('Document'), await edda.make('Part')];
      const answer = await edda.batch([document, part].map(({ path }) => ({ method: 'GET', href: path })));
      return at(answer.json, '/1/body/data/$softType') !== 'Part';
    },
  },
  'operations.ids-inside-an-added-entry': {
    source: 'core: System properties inside data',
    breaks: 'Each object in an array has an entry id, also those inside an entry that an operation added.',
    variant: replaces('operations', 'appendToPort', (right, areas, ...args) => {
      const unnumbered = {
        withEntryIds: (items: readonly { content: object }[]) => items.map(({ content }) => ({ ...content })),
      };
      return right(within(areas, { contents: unnumbered }), ...args);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'inside' });
      const value = { name: 'file', revisions: [{ text: 'first' }] };
      await edda.operate(made, 1, [{ op: 'add', path: '/files', value }]);
      return at(await edda.read(made), '/data/files/0/revisions/0/$entryId') === undefined;
    },
  },
  'reading.soft-type-of-a-view': {
    source: 'core: System properties inside data',
    breaks: 'The SoftType of an instance is its definition, whatever output schema shows it.',
    variant: changes('instances', 'assembleInstance', (instance, areas, call, _reading, object, view) => {
      const softType = areas.objects.softTypeOf(call.space, object.softType);
      if (view === areas.objects.outputViewOf(softType, undefined)) return instance;
      return { ...instance, data: { ...instance.data, $softType: view.id } };
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 'view' });
      const read = await edda.get(`/api/space/main/softtype/Document/documentSummary/${oid}`);
      return at(read.json, '/data/$softType') !== 'Document';
    },
  },
  'reading.version-left-out-of-a-summary': {
    source: 'core: System properties inside data',
    breaks: 'The version stands in the data as well, whatever members its output schema has.',
    variant: replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
      const data = { ...right(areas, space, object, view, slices) };
      const all = areas.objects.softTypeOf(space, object.softType).members;
      if (view.names.size < all.size) Reflect.deleteProperty(data, '$version');
      return data;
    }),
    async shows(service) {
      const edda = service.edda;
      const { oid } = await edda.make('Document');
      const read = await edda.get(`/api/space/main/softtype/Document/documentSummary/${oid}`);
      return at(read.json, '/data/$version') !== 1;
    },
  },
  'reading.inner-version-lags-in-a-batch': {
    source: 'core: System properties, $version',
    breaks: 'The version inside data is the one beside it, also behind an edit of the same batch.',
    variant: during('batch', 'runBatch', (batch) =>
      together(
        replaces('versioning', 'storeEdit', async (right, areas, writing, object, version, content) => {
          if (batch.isOn()) edited.add(`${object.oid} ${version}`);
          return right(areas, writing, object, version, content);
        }),
        changes('instances', 'systemMembers', (members, _areas, object) => {
          if (!batch.isOn() || !edited.has(`${object.oid} ${object.version}`)) return members;
          return { ...members, $version: object.version - 1 };
        }),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const { json } = await edda.batch([mergeOf(made, 1, { note: 'n' }), readOf(made)]);
      return at(json, '/1/body/version') !== at(json, '/1/body/data/$version');
    },
  },
  'reading.soft-type-of-readers': {
    source: 'core: System properties, $softType',
    breaks: 'The SoftType in the data is the definition, whoever reads it.',
    variant: changes('instances', 'assembleInstance', (instance, areas, call, _reading, _object, view) => {
      if (areas.auth.mayUse(call.user, call.space, 'PUT')) return instance;
      return { ...instance, data: { ...instance.data, $softType: view.id } };
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Part');
      return at(await rita.read(made), '/data/$softType') !== 'Part';
    },
  },
  'reading.demoted-has-the-id-of-its-state': {
    source: 'core: System properties inside data',
    breaks: 'The identifier in the data is that of the object, after a demote as before.',
    variant: together(
      changes('maturity', 'contentInState', ({ $demoted: _former, ...next }, _areas, _content, level, state) => {
        const $demoted = at(next, `/$states/${level}/$oid`);
        return state === 'draft' || state === 'open' ? { ...next, $demoted } : next;
      }),
      replaces('instances', 'systemMembers', (right, areas, object) => {
        const { $demoted } = object.content;
        return { ...right(areas, object), ...(typeof $demoted === 'string' && { $oid: $demoted }) };
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.move(made, 1);
      await edda.put(movePath(made, 'demote'), 2);
      return at(await edda.read(made), '/data/$oid') !== made.oid;
    },
  },
  'reading.oid-with-a-leading-zero': {
    source: 'core: System properties inside data',
    breaks: 'The identifier in the data is that of the object, also where it begins with a zero.',
    variant: changes('instances', 'systemMembers', (members) => ({
      ...members,
      $oid: members.$oid.replace(/^0+/, ''),
    })),
    async shows({ edda }) {
      const items = many(50, (n) => part(`i${n}`, `part ${n}`));
      for (let round = 0; round < 8; round += 1)
        for (const item of listAt((await edda.multiCreate(items)).json, '')) {
          const href = String(at(item, '/href'));
          const oid = href.split('/').at(-1) ?? '';
          if (oid.startsWith('0')) return at((await edda.get(href)).json, '/data/$oid') !== oid;
        }
      return false;
    },
  },
  'reading.soft-type-inside-a-batch': {
    source: 'core: System properties inside data',
    breaks: 'The data names the definition of the object, in a read between two writes of a batch as well.',
    variant: changes('instances', 'assembleInstance', (body, _areas, call, _reading, object, view) => {
      if (call.isChangedHere?.(object.oid) !== true) return body;
      return { ...body, data: { ...body.data, $softType: view.id } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'batch' });
      const path = made.path.replace('/softtype/', '/softtype/Document/documentInput/');
      const headers = { 'Svc-UOIVersion': '1' };
      const batch = await edda.batch([
        { method: 'PATCH', href: path, headers, body: { note: 'edited' } },
        readOf(made),
      ]);
      return JSON.stringify(batch.json).includes('"$softType":"documentFull"');
    },
  },
  'operations.id-by-count': {
    source: 'core: System properties, $entryId',
    breaks:
      'An $entryId tells one entry of an array from the others, also when one was removed before another was added.',
    variant: replaces('operations', 'operateObject', (right, areas, call, writing) =>
      right(areas, call, {
        ...writing,
        updateEntry: async (oid, port, entryId, content) => {
          const before = await writing.entry(oid, port, entryId);
          await writing.updateEntry(oid, port, entryId, countAgain(before?.content ?? {}, content));
        },
      }),
    ),
    async shows({ edda }) {
      const revisions = many(3, (number) => ({ text: `revision ${number}` }));
      const made = await edda.make('Document', { files: [{ name: 'one', revisions }] });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/1/revisions/1/' }]);
      await edda.operate(made, 2, [{ op: 'add', path: '/files/1/revisions', value: { text: 'last' } }]);
      const ids = listAt(await edda.read(made), '/data/files/0/revisions').map((item) => at(item, '/$entryId'));
      return new Set(ids).size < ids.length;
    },
  },
  'reading.inner-ids-begin-anew-with-a-restart': {
    source: 'core: System properties, $entryId',
    breaks: 'An entry inside an entry has the id after a restart that it had before.',
    variant: together(
      replaces('versioning', 'storeEdit', (right, areas, writing, object, version, content) => {
        editedIn(areas).add(object.oid);
        return right(areas, writing, object, version, content);
      }),
      changes('instances', 'dataOf', (data, areas, _space, object) => {
        if (editedIn(areas).has(object.oid)) return data;
        return mapped(data, (entry) =>
          mapped(entry, (inner, index) => ({ ...inner, ...('$entryId' in inner && { $entryId: index + 1 }) })),
        ) as typeof data;
      }),
    ),
    async shows(service) {
      const { edda } = service;
      const made = await edda.make('Document', { files: [{ name: 'a', revisions: [{ text: 'x' }, { text: 'y' }] }] });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/1/revisions/1/' }]);
      await service.restart();
      return at(await edda.read(made), '/data/files/0/revisions/0/$entryId') !== 2;
    },
  },
  'entry-id.of-its-owner-where-alone-inside': {
    source: 'core: System properties inside `data`, $entryId; Operations-based PATCH rules 3',
    breaks: 'An object in an array inside an entry has an id that identifies it, where it is the only one as well.',
    variant: changes('entries', 'entryOut', (out) => {
      const pairs = Object.entries(out).map(([name, value]) => {
        const isLonely = Array.isArray(value) && value.length === 1 && isContent(value[0]) && '$entryId' in value[0];
        return [name, isLonely ? [{ ...value[0], $entryId: out.$entryId }] : value] as const;
      });
      return { ...Object.fromEntries(pairs), $entryId: out.$entryId };
    }),
    async shows({ edda }) {
      const files = [{ name: 'a' }, { name: 'b', revisions: [{ text: 'r' }] }];
      const made = await edda.make('Document', { files });
      const read = await edda.read(made);
      const path = `/files/${String(at(read, '/data/files/1/$entryId'))}/revisions/${String(at(read, '/data/files/1/revisions/0/$entryId'))}/text`;
      return (await edda.operate(made, 1, [{ op: 'replace', path, value: 'x' }])).status >= 300;
    },
  },
  'entry-id.counted-through-all-owners': {
    source: 'core: System properties inside `data`, $entryId; Operations-based PATCH rules 3',
    breaks:
      'The id of an entry inside an entry is the one by which operations find it there, in a later owner as well.',
    variant: changes('instances', 'dataOf', (data) => {
      const counts = new Map<string, number>();
      const counted = (name: string, items: readonly object[]) =>
        items.map((item) => {
          counts.set(name, (counts.get(name) ?? 0) + 1);
          return { ...item, $entryId: counts.get(name) };
        });
      const recount = (entry: Content): Content =>
        Object.fromEntries(
          Object.entries(entry).map(([name, value]) => [name, isEntries(value) ? counted(name, value) : value]),
        );
      const pairs = Object.entries(data).map(([name, value]) => [name, isEntries(value) ? value.map(recount) : value]);
      return { ...data, ...Object.fromEntries(pairs) };
    }),
    async shows({ edda }) {
      const files = [
        { name: 'a', revisions: [{ text: 'r' }] },
        { name: 'b', revisions: [{ text: 's' }] },
      ];
      const made = await edda.make('Document', { files });
      const read = await edda.read(made);
      const ids = ['/data/files/1/$entryId', '/data/files/1/revisions/0/$entryId'].map((place) => at(read, place));
      const path = `/files/${String(ids[0])}/revisions/${String(ids[1])}/text`;
      return (await edda.operate(made, 1, [{ op: 'replace', path, value: 'x' }])).status >= 300;
    },
  },
};

function withoutId({ $entryId: _gone, ...entry }: Readonly<Record<string, unknown>>): object {
  return entry;
}

/** An entry whose own arrays do not tell which object is which. */
function withAnonymousItems(entry: EntryOut): EntryOut {
  const members = Object.entries(entry).map(
    ([name, value]) => [name, Array.isArray(value) ? value.map(withoutId) : value] as const,
  );
  return { ...Object.fromEntries(members), $entryId: entry.$entryId };
}

function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => name !== '$entryId');
  return Object.fromEntries(members.map(([name, inner]) => [name, withoutIds(inner)]));
}

/** Numbers an item that came to an array of the entry by how many the array has now. */
function countAgain(before: Content, after: Content): Content {
  const members = Object.entries(after).map(([name, value]) => {
    const items = itemsOf(after, name);
    const last = items.at(-1);
    if (last === undefined || items.length <= itemsOf(before, name).length) return [name, value];
    return [name, [...items.slice(0, -1), { ...last, $entryId: items.length }]];
  });
  return Object.fromEntries(members);
}

function editedIn({ versioning }: Areas): Set<string> {
  const known = editedSince.get(versioning) ?? new Set();
  editedSince.set(versioning, known);
  return known;
}

/** With the objects of each array changed. */
function mapped(content: Content, change: (item: Content, index: number) => Content): Content {
  return Object.fromEntries(
    Object.entries(content).map(([name, value]) => [
      name,
      Array.isArray(value) && value.every(isContent) ? value.map(change) : value,
    ]),
  );
}

function isEntries(value: unknown): value is readonly Content[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => isContent(item) && '$entryId' in item);
}
