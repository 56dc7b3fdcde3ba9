import { nameOf } from '../../../reference-server/areas/operations.ts';
import { AsyncLocalStorage } from 'node:async_hooks';
import { type ArrayItem, isContent } from '../../../reference-server/areas/content.ts';
import type { Areas } from '../../../reference-server/areas.ts';
import type { SoftType } from '../../../reference-server/configuration.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, together, type Variant } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { documentOf, multiCreateOf, named, namesOn, pair, part, readCreated, reference } from '../proofs.ts';
import { at, listAt, type Made, many } from '../service.ts';
import { changes, keeps, mapEntries, mapTexts } from '../variant-parts.ts';

const request = new AsyncLocalStorage<string>();

/** Objects of a multi-create, by the store that has them. */
const fresh = new WeakMap<object, Set<string>>();

const referredPart = part('part', 'referred to');

export const multiCreateItemsMistakes: Mistakes = {
  'multi-create.one-item-without-an-id': {
    source: 'core: Endpoint table, POST softtype list',
    breaks: 'All instances are created, also those of items without $id.',
    variant: replaces('multiCreate', 'identifyItems', (right, areas, items) =>
      right(areas, [...new Map(items.map((item) => [item.$id, item])).values()]),
    ),
    async shows({ edda }) {
      const items = many(2, (number) => ({ $softType: 'Part', data: { name: `p${number}` } }));
      const answer = await edda.multiCreate(items);
      return answer.status === 201 && listAt(answer.json, '').length === 1;
    },
  },
  'multi-create.equal-items-share-content': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'An edit changes the object that its path names, and none that was created with it from equal data.',
    variant: sharesWithTwins(
      breaks('versioning', 'storeEdit', (right) => async (areas, writing, object, version, content) => {
        await right(areas, writing, object, version, content);
        for (const oid of twinsOf(areas, object.oid)) {
          const twin = await writing.object(object.spaceId, oid);
          if (twin === undefined) continue;
          await writing.updateObject(object.spaceId, oid, twin.version, content);
          areas.memory.forgetReads(object.spaceId, oid);
        }
      }),
    ),
    async shows({ edda }) {
      const { json } = await edda.multiCreate([part('one', 'same'), part('other', 'same')]);
      await edda.merge(madePart(json, 0), 1, { note: 'of the one' });
      return at(await readCreated(edda, json, 1), '/data/note') === 'of the one';
    },
  },
  'multi-create.equal-items-share-an-array': {
    source: 'core: Operations-based PATCH rules 5',
    breaks:
      'An add appends to the array of the object that its path names, and of none that was created with it from equal data.',
    variant: sharesWithTwins(
      breaks('operations', 'appendToPort', (right) => async (areas, run, target, contents) => {
        await right(areas, run, target, contents);
        for (const oid of twinsOf(areas, run.object.oid)) {
          await run.writing.appendEntries(oid, nameOf(target), contents);
          areas.memory.forgetReads(run.object.spaceId, oid);
        }
      }),
    ),
    async shows({ edda }) {
      const { json } = await edda.multiCreate([part('one', 'same'), part('other', 'same')]);
      await edda.operate(madePart(json, 0), 1, [{ op: 'add', path: '/usages', value: { name: 'u' } }]);
      return listAt(await readCreated(edda, json, 1), '/data/usages').length === 1;
    },
  },
  'multi-create.template-of-the-first-space': {
    source: 'core: Multi-create item',
    breaks: 'An item is of a definition of the space that the request is for.',
    variant: replaces('multiCreate', 'itemTypeOf', (right, areas, call, ...args) => {
      const [space = call.space] = areas.configuration.spaces.values();
      return right(areas, { ...call, space }, ...args);
    }),
    shows: async ({ edda }) =>
      (await edda.multiCreate([{ $id: 'd', $softType: 'Dossier', data: { title: 't' } }], 'depot')).status >= 400,
  },
  'multi-create.content-of-the-item-before': {
    source: 'core: Multi-create item',
    breaks: 'An instance has the content of its own item, and nothing that the one before it had.',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const mixed = inputs.map((input, index) => {
        const isAlike = items[index - 1]?.softType === items[index]?.softType;
        return { ...input, content: { ...(isAlike && inputs[index - 1]?.content), ...input.content } };
      });
      return right(areas, call, writing, items, mixed);
    }),
    async shows({ edda }) {
      const all = [{ title: 'one', note: 'of one' }, { title: 'two' }];
      const { json } = await edda.multiCreate(all.map((data) => ({ $id: data.title, $softType: 'Document', data })));
      return at((await edda.get(String(at(json, '/1/href')))).json, '/data/note') !== undefined;
    },
  },
  'multi-create.ids-as-numbers': {
    source: 'core: Multi-create item',
    breaks: 'An instance is referred to by the text of its id: 1 is another one than 01.',
    variant: replaces('multiCreate', 'findItem', (right, areas, items, id, referrer) =>
      Number.isNaN(Number(id))
        ? right(areas, items, id, referrer)
        : items.find(({ $id }) => Number($id) === Number(id)),
    ),
    async shows({ edda }) {
      const { json } = await edda.multiCreate([
        part('01', 'zero one'),
        part('1', 'one'),
        { $id: 'd', $softType: 'Document', data: { title: 't', describes: [reference('1', 'Part')] } },
      ]);
      const read = await edda.get(String(at(json, '/2/href')));
      return at(read.json, '/data/describes/0/value/$oid') !== String(at(json, '/1/href')).split('/').at(-1);
    },
  },
  'many.ids-are-remembered-from-request-to-request': {
    source: 'core: Multi-create item',
    breaks: 'A temporary id means an item of its own request, whatever had it before.',
    variant: breaks('multiCreate', 'storedTarget', (right) => {
      const known = new Map<string, string>();
      return (areas, item) => {
        const oid = right(areas, item);
        const first = known.get(item.$id ?? oid) ?? oid;
        known.set(item.$id ?? oid, first);
        return first;
      };
    }),
    async shows({ edda }) {
      await edda.multiCreate([part('p', 'first'), documentOf('d', ['p'])]);
      const answer = await edda.multiCreate([part('p', 'second'), documentOf('d', ['p'])]);
      const [target, source] = listAt(answer.json, '').map((item) => String(at(item, '/href')));
      const read = (await edda.get(source ?? '')).json;
      return !target?.endsWith(String(at(read, '/data/describes/0/value/$oid')));
    },
  },
  'multi-create.ids-that-begin-alike': {
    source: 'core: Multi-create item',
    breaks: 'A reference names the item with that $id, and none whose $id begins like it.',
    variant: replaces('multiCreate', 'findItem', (_right, _areas, items, $id) =>
      items.find((item) => item.$id?.startsWith($id) ?? false),
    ),
    async shows({ edda }) {
      const { json } = await edda.multiCreate([
        part('part-12', 'twelve'),
        part('part-1', 'one'),
        { $id: 'd', $softType: 'Document', data: { title: 't', describes: [reference('part-1', 'Part')] } },
      ]);
      const document = await edda.get(String(at(json, '/2/href')));
      const target = await edda.get(String(at(document.json, '/data/describes/0/value/href')));
      return at(target.json, '/data/name') === 'twelve';
    },
  },
  'multi-create.ids-of-the-request-before': {
    source: 'core: Multi-create item',
    breaks: 'An $id is known inside its request only, and not in the next one.',
    variant: breaks('multiCreate', 'findItem', (right) => {
      const former = new Map<string, ReturnType<typeof right>>();
      return (areas, items, $id, referrer) => {
        const found = right(areas, items, $id, referrer) ?? former.get($id);
        for (const item of items) if (item.$id !== undefined) former.set(item.$id, item);
        return found;
      };
    }),
    async shows({ edda }) {
      const document = documentOf('d', ['p']);
      await edda.multiCreate([part('p'), document]);
      return (await edda.multiCreate([document])).status === 201;
    },
  },
  'multi-create.last-of-fifty-has-no-entries': {
    source: 'core: Multi-create item, data',
    breaks: 'An item has all of its data, the last of the most that there may be as well.',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) =>
      right(
        areas,
        call,
        writing,
        items,
        inputs.map((input, index) => (index < 49 ? input : { ...input, arrays: new Map() })),
      ),
    ),
    async shows({ edda }) {
      const items = many(50, (number) => ({ $softType: 'Part', data: { name: `n${number}`, usages: named(1) } }));
      const made = await edda.multiCreate(items);
      const read = await edda.get(String(at(made.json, '/49/href')));
      return read.status === 200 && listAt(read.json, '/data/usages').length === 0;
    },
  },
  'multi-create.guid-becomes-the-identifier': {
    source: 'core: Multi-create item, $id',
    breaks: 'A $id means something inside its request only, one that is a GUID too.',
    variant: replaces('multiCreate', 'identifyItems', (right, areas, items) =>
      right(areas, items).map((item) =>
        /^[0-9a-f-]{36}$/i.test(item.$id ?? '') ? { ...item, oid: item.$id ?? '' } : item,
      ),
    ),
    async shows({ edda }) {
      const items = [part('0f8fad5b-d9cb-469f-a165-70867728950e', 'n')];
      await edda.multiCreate(items);
      return (await edda.multiCreate(items)).status >= 400;
    },
  },
  'multi-create.texts-that-are-ids': {
    source: 'core: Multi-create item, data',
    breaks: 'The data are the content of the instance, a text that is the $id of an item too.',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const oids = new Map(items.map(({ $id, oid }) => [$id, oid] as const));
      const resolved = inputs.map(({ content, arrays }) => ({
        content: Object.fromEntries(
          Object.entries(content).map(([name, value]) => [
            name,
            typeof value === 'string' ? (oids.get(value) ?? value) : value,
          ]),
        ),
        arrays,
      }));
      return right(areas, call, writing, items, resolved);
    }),
    async shows({ edda }) {
      const made = await edda.multiCreate([{ $id: 'p', $softType: 'Part', data: { name: 'n', note: 'p' } }]);
      const read = await edda.get(String(at(made.json, '/0/href')));
      return at(read.json, '/data/note') !== 'p';
    },
  },
  'multi-create.inner-object-of-the-item-before': {
    source: 'core: Multi-create item, row data',
    breaks: 'An instance holds its own data, also in an object that the item before it has as well.',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const mixed = inputs.map((input, index) => {
        const before = inputs[index - 1]?.content['dimensions'];
        const own = input.content['dimensions'];
        if (!isContent(before) || !isContent(own)) return input;
        return { ...input, content: { ...input.content, dimensions: { ...before, ...own } } };
      });
      return right(areas, call, writing, items, mixed);
    }),
    async shows({ edda }) {
      const part = (name: string, dimensions: object) => ({ $softType: 'Part', data: { name, dimensions } });
      const made = await edda.multiCreate([part('one', { width: 'w', height: 'h' }), part('two', { width: 'x' })]);
      const read = await edda.get(String(at(made.json, '/1/href')));
      return at(read.json, '/data/dimensions/height') === 'h';
    },
  },
  'multi-create.one-reference-to-each': {
    source: 'core: Multi-create item, text below on references',
    breaks: 'A port holds the references that it is given, two to one item too.',
    survives: 'Whether a port holds two references to one object, or one is enough, is not said: recorded.',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const deduped = inputs.map((input) => mapEntries(input, withoutRepeats));
      return right(areas, call, writing, items, deduped);
    }),
    async shows({ edda }) {
      const describes = ['a', 'b'].map((id) => ({ id, value: { instanceRef: 'p', softTypeId: 'Part' } }));
      const made = await edda.multiCreate([
        part('p', 'n'),
        { $id: 'd', $softType: 'Document', data: { title: 't', describes } },
      ]);
      const read = await edda.get(String(at(made.json, '/1/href')));
      return listAt(read.json, '/data/describes').length === 1;
    },
  },
  'multi-create.references-once-for-each-role': {
    source: 'core: Multi-create item',
    breaks: 'A reference is stored once, however many roles its sender has.',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const roles = areas.auth.rolesOf(call.user, call.space);
      const isReferring = (index: number, port: string) =>
        items[index]?.softType.members.get(port)?.kind === 'references';
      const joined = inputs.map((input, index) =>
        mapEntries(input, (entries, port) =>
          isReferring(index, port) ? entries.flatMap((entry) => roles.map(() => entry)) : entries,
        ),
      );
      return right(areas, call, writing, items, joined);
    }),
    async shows({ emil }) {
      const made = await emil.multiCreate([part('p', 'n'), documentOf('d', ['p'])]);
      const read = await emil.get(String(at(made.json, '/1/href')));
      return listAt(read.json, '/data/describes').length !== 1;
    },
  },
  'multi-create.arrays-inside-entries': {
    source: 'core: Multi-create item',
    breaks: 'An instance is created with all of its data, arrays inside entries included.',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const shallow = inputs.map((input) =>
        mapEntries(input, (entries) => entries.map((entry) => ({ ...entry, content: withoutArrays(entry.content) }))),
      );
      return right(areas, call, writing, items, shallow);
    }),
    async shows({ edda }) {
      const files = [{ name: 'file', revisions: [{ text: 'first' }] }];
      const { json } = await edda.multiCreate([{ $id: 'd', $softType: 'Document', data: { title: 'nested', files } }]);
      const read = await edda.get(String(at(json, '/0/href')));
      return listAt(read.json, '/data/files/0/revisions').length !== 1;
    },
  },
  'many.multi-create-stores-ten-entries': {
    source: 'core: Multi-create item',
    breaks: 'The content of an item is stored whole, arrays beyond ten entries included.',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const cut = inputs.map((input) => mapEntries(input, (entries) => entries.slice(0, 10)));
      return right(areas, call, writing, items, cut);
    }),
    async shows({ edda }) {
      const data = { title: 't', contacts: many(11, (number) => ({ name: `c${number}` })) };
      const { json } = await edda.multiCreate([{ $id: 'd', $softType: 'Document', data }]);
      const oid = String(at(json, '/0/href')).split('/').at(-1) ?? '';
      const page = await edda.page({ definition: 'Document', oid, path: '' }, 'contacts', 1);
      return namesOn(page.json) !== 'c11';
    },
  },
  'multi-create.empty-text': {
    source: 'core: Multi-create item (array item of the multi-create request)',
    breaks: 'The data of an item is the content of its object, a text of no characters included.',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const emptied = inputs.map((input) => {
        const filled = Object.entries(input.content).filter(([, value]) => value !== '');
        return { ...input, content: Object.fromEntries(filled) };
      });
      return right(areas, call, writing, items, emptied);
    }),
    async shows({ edda }) {
      const data = { title: 'empty', note: '' };
      const { json } = await edda.multiCreate([{ $id: 'a', $softType: 'Document', data }]);
      return at((await edda.get(String(at(json, '/0/href')))).json, '/data/note') !== '';
    },
  },
  'multi-create.id-like-a-definition': {
    source: 'core: Multi-create item, $softType',
    breaks: 'The definition that is instantiated is the one in $softType, whatever the item is called.',
    survives:
      'What text a $id may have is not said: an item that is refused for it is recorded, and one that is created is looked at.',
    variant: replaces('multiCreate', 'identifyItems', (right, areas, items) => {
      const templates = [...areas.configuration.templates.values()];
      const named = (id = '') =>
        templates.map(({ softTypes }) => softTypes.get(id)).find((found) => found !== undefined);
      return right(
        areas,
        items.map((item) => ({ ...item, softType: named(item.$id) ?? item.softType })),
      );
    }),
    async shows({ edda }) {
      const made = await edda.multiCreate([{ $id: 'Part', $softType: 'Requirement', data: { text: 't' } }]);
      return made.status >= 300;
    },
  },
  'writing.first-merge-after-a-multi-create': {
    source: 'core: Multi-create item',
    breaks: 'The data of an item is the content of its instance, of which a merge leaves what it does not name.',
    variant: together(
      replaces('multiCreate', 'multiCreateAnswer', (right, areas, call, items) => {
        const oids = fresh.get(areas.store) ?? new Set();
        for (const { oid } of items) oids.add(oid);
        fresh.set(areas.store, oids);
        return right(areas, call, items);
      }),
      replaces('editing', 'mergeObject', (right, areas, call, writing) => {
        const { object } = call;
        const { note: _lost, ...content } = object.content;
        const isFresh = fresh.get(areas.store)?.delete(object.oid) ?? false;
        return right(areas, isFresh ? { ...call, object: { ...object, content } } : call, writing);
      }),
    ),
    async shows({ edda }) {
      const data = { name: 'part', note: 'kept' };
      const answer = await edda.multiCreate([{ $id: 'one', $softType: 'Part', data }]);
      const path = String(at(answer.json, '/0/href'));
      const made = { definition: 'Part', oid: path.split('/').at(-1) ?? '', path } as const;
      await edda.merge(made, 1, { remark: 'edited' });
      return at(await edda.read(made), '/data/note') !== 'kept';
    },
  },
  'many.unknown-definition-in-a-batch': {
    source: 'core: Multi-create item',
    breaks:
      'An item names the definition that is instantiated; one that there is not fails the request, in a batch too.',
    variant: replaces('multiCreate', 'multiCreate', (right, areas, call, writing) => {
      const { softTypes } = call.space.template;
      if (call.isSibling === undefined || !Array.isArray(call.json)) return right(areas, call, writing);
      const json = call.json.filter((item) => softTypes.has(String(at(item, '/$softType'))));
      return right(areas, { ...call, json }, writing);
    }),
    async shows({ edda }) {
      const items = [part('one', 'part'), { $id: 'two', $softType: 'Nothing', data: { name: 'none' } }];
      const batch = await edda.batch([multiCreateOf(items)]);
      return batch.status === 200;
    },
  },
  'multi-create.type-of-a-namesake': {
    source: 'core: Multi-create item, row $softType',
    breaks: 'An item becomes what its own $softType says, also where another request of the batch has its $id.',
    variant: breaks('multiCreate', 'createItems', (right) => {
      const known = new Map<string, Parameters<typeof right>[3][number]['softType']>();
      return (areas, call, writing, items, inputs) => {
        const typed = items.map((item) => {
          const key = `${call.correlationId} ${item.$id ?? item.oid}`;
          const softType = known.get(key) ?? item.softType;
          known.set(key, softType);
          return { ...item, softType };
        });
        return right(areas, call, writing, typed, inputs);
      };
    }),
    async shows({ edda }) {
      const { json } = await edda.batch([
        multiCreateOf([part('a', 'n')]),
        multiCreateOf([{ $id: 'a', $softType: 'Requirement', data: { text: 't' } }]),
      ]);
      const { json: read } = await edda.get(String(at(json, '/1/body/0/href')));
      return at(read, '/data/$softType') === 'Part';
    },
  },
  'multi-create.known-from-before': {
    source: 'core: Multi-create item',
    breaks: 'The $id of an item means nothing beyond its request: the same list sent twice makes instances twice.',
    variant: keeps('multiCreate', 'multiCreate', (call) => [call.user.name, call.url, call.body?.toString()].join(' ')),
    async shows({ edda }) {
      const [one, other] = [await edda.multiCreate([referredPart]), await edda.multiCreate([referredPart])];
      return at(one.json, '/0/href') === at(other.json, '/0/href');
    },
  },
  'multi-create.type-of-an-id-before': {
    source: 'core: Multi-create item, $softType',
    breaks: 'An item is of the SoftType that it names, whatever had its id in an earlier request.',
    variant: breaks('multiCreate', 'identifyItems', (right) => {
      const types = new Map<string, SoftType>();
      return (areas, items) =>
        right(
          areas,
          items.map((item) => {
            const softType = types.get(item.$id ?? '') ?? item.softType;
            if (item.$id !== undefined) types.set(item.$id, softType);
            return { ...item, softType };
          }),
        );
    }),
    async shows({ edda }) {
      await edda.multiCreate([part('a', 'part')]);
      return (await edda.multiCreate([{ $id: 'a', $softType: 'Document', data: { title: 't' } }])).status >= 400;
    },
  },
  'multi-create.ids-of-what-failed': {
    source: 'core: Multi-create item, $id; Multi-create rules 1',
    breaks: 'A $id means something inside its request only, also after one that failed.',
    variant: breaks('multiCreate', 'multiCreate', (right) => {
      const left = new Set<unknown>();
      return async (areas, call, writing) => {
        const ids = listAt(call.json, '').flatMap((item) => at(item, '/$id') ?? []);
        if (ids.some(($id) => left.has($id))) throw new Refusal(422, 'An item has this $id already.');
        try {
          return await right(areas, call, writing);
        } catch (error) {
          for (const $id of ids) left.add($id);
          throw error;
        }
      };
    }),
    async shows({ edda }) {
      const items = (name: unknown) => named(2).map((_each, index) => part(`i${index}`, index === 1 ? name : 'p'));
      await edda.multiCreate(items(7));
      return (await edda.multiCreate(items('p'))).status >= 400;
    },
  },
  'multi-create.two-in-a-batch-share-their-ids': {
    source: 'core: Multi-create item, $id; Batch rules 4',
    breaks: 'A $id counts inside its own multi-create, also where a batch holds two of them.',
    variant: together(
      replaces('multiCreate', 'multiCreate', (right, areas, call, writing) =>
        request.run(call.correlationId, () => right(areas, call, writing)),
      ),
      breaks('multiCreate', 'findItem', (right) => {
        const known = new Map<string, ReturnType<typeof right>>();
        return (areas, items, $id, referrer) => {
          const key = `${request.getStore()} ${$id}`;
          const found = known.get(key) ?? right(areas, items, $id, referrer);
          known.set(key, found);
          return found;
        };
      }),
    ),
    shows: async ({ edda }) => {
      const operation = { method: 'POST', href: '/api/space/main/softtype', body: pair('same') };
      return (await edda.batch([operation, operation])).status !== 200;
    },
  },
  'multi-create.note-of-the-item-before': {
    source: 'core: Multi-create item, row data',
    breaks: 'An item that says nothing of a member takes nothing over from the item of its SoftType before it.',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const notes = new Map<SoftType, unknown>();
      const filled = inputs.map((input, index) => {
        const softType = items[index]?.softType;
        if (softType === undefined) return input;
        const former = notes.get(softType);
        notes.set(softType, input.content['note']);
        return former === undefined ? input : { ...input, content: { note: former, ...input.content } };
      });
      return right(areas, call, writing, items, filled);
    }),
    async shows({ edda }) {
      const items = [{ name: 'a', note: 'n' }, { name: 'b' }].map((data) => ({ $softType: 'Part', data }));
      const { json } = await edda.multiCreate(items);
      return at((await edda.get(String(at(json, '/1/href')))).json, '/data/note') === 'n';
    },
  },
  'multi-create.text-column-of-64k': {
    source: 'core: Multi-create item, data',
    breaks: 'A text of an item is stored to its end.',
    variant: changes('contents', 'inputFrom', (input, _areas, { itemOf }) => {
      if (itemOf === undefined) return input;
      return { ...input, content: mapTexts(input.content, (text) => text.slice(0, 65_535)) as typeof input.content };
    }),
    async shows({ edda }) {
      const data = { title: 't', note: 'n'.repeat(70_000) };
      const made = await edda.multiCreate([{ $id: 'd', $softType: 'Document', data }]);
      return at((await edda.get(String(at(made.json, '/0/href')))).json, '/data/note') !== data.note;
    },
  },
};

/** One item for each object that is referred to. */
function withoutRepeats(items: readonly ArrayItem[]): readonly ArrayItem[] {
  const oid = ({ content }: ArrayItem): unknown => at(content, '/value/$oid');
  return items.filter(
    (item, index) => oid(item) === undefined || items.findIndex((other) => oid(other) === oid(item)) === index,
  );
}

function withoutArrays(content: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(content).filter(([, value]) => !Array.isArray(value)));
}

/** Of each server, objects that one multi-create made from equal data, by id. */
const twins = new WeakMap<object, Map<string, readonly string[]>>();

function twinsOf({ store }: Areas, oid: string): readonly string[] {
  return twins.get(store)?.get(oid) ?? [];
}

/** What is wrong about objects that a multi-create has made from equal data, and the note of which these are. */
function sharesWithTwins(wrong: Variant): Variant {
  const noting = replaces('multiCreate', 'createItems', async (right, areas, call, writing, items, inputs) => {
    await right(areas, call, writing, items, inputs);
    const known = twins.get(areas.store) ?? new Map<string, readonly string[]>();
    twins.set(areas.store, known);
    for (const { oid, data } of items) {
      const equal = items.filter((item) => item.oid !== oid && JSON.stringify(item.data) === JSON.stringify(data));
      known.set(
        oid,
        equal.map((item) => item.oid),
      );
    }
  });
  return together(noting, wrong);
}

function madePart(answer: unknown, index: number): Made {
  const path = String(at(answer, `/${index}/href`));
  return { definition: 'Part', oid: path.split('/').at(-1) ?? '', path };
}
