import { randomUUID } from 'node:crypto';
import { systemClock } from '../../clock/clock.ts';
import { entriesPerPage } from '../../contract/limits.ts';
import { jsonOf } from '../../contract/json.ts';
import { mediaTypes, pageNumberTemplate } from '../../contract/names.ts';
import { type Section, rootSections, statesMember } from '../../reference-server/areas/soft-type.ts';
import type { Member } from '../../reference-server/configuration.ts';
import type { Call } from '../../reference-server/http/call.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import type { Reading, StoredObject, Writing } from '../../reference-server/ports/store.ts';
import { type Variant, replaces, together } from '../breaks.ts';
import { changingObjects, changingValues, isObject, mapped, mediaTypeOf, type Choice } from './choice.ts';
import { spelledEntryIds } from './entry-ids.ts';
import { changingTexts, isOperation } from './peculiar-wire.ts';

const allEntries = { from: 0, to: Number.MAX_SAFE_INTEGER };

const largeId = 9_007_199_254_740_993n;

const watchers: Section = {
  path: 'watchers',
  port: 'watchers',
  member: { kind: 'entries', mandatory: false, members: new Map([['user', { kind: 'string', mandatory: false }]]) },
  items: Array.from({ length: 17 }, (_item, index) => ({ entryId: index + 1, content: { user: `user ${index}` } })),
};

export const putsBeginAnew: Variant = replaces('editing', 'putObject', (right, areas, call, writing) => {
  const content = { ...call.object.content, ...areas.editing.startContent(call.place.softType) };
  return right(areas, { ...call, object: { ...call.object, content } }, writing);
});

/** Every state is an object of its own, of a definition of its own. */
export const statesOfTheirOwn: Variant = replaces(
  'maturity',
  'contentInState',
  (right, areas, content, level, state) => {
    const next = right(areas, content, level, state);
    const states = next[statesMember];
    if (!isObject(states) || !isObject(states[level])) return next;
    const own = { ...states[level], $oid: randomUUID(), $softType: `${state}Of${level}` };
    return { ...next, [statesMember]: { ...states, [level]: own } };
  },
);

export const numbersAsIds: Variant = replaces('editing', 'newOid', () =>
  String(Number.parseInt(randomUUID().replaceAll('-', '').slice(0, 12), 16) + 10 ** 15).slice(0, 15),
);

const longestText = 255;

export const noBlankTexts: Variant = refusingTexts((text) => text !== '' && text.trim() === '');

/** How long a listing does not show what it could, in ms. */
const indexedMs = 200;

export const peculiarContent: readonly Choice[] = [
  {
    meets: 'content that tells of the last edit',
    silences: [],
    by: replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => ({
      editNumber: object.version,
      ...right(areas, space, object, view, slices),
      lastEdit: { name: `edit ${object.version}`, of: object.softType },
    })),
  },
  {
    meets: 'texts without value as empty ones',
    silences: ['empty-and-absent-members'],
    by: together(
      replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
        const { members } = areas.objects.softTypeOf(space, object.softType);
        return {
          ...emptied(new Map([...view.names].map(([name, own]) => [name, members.get(own)]))),
          ...right(areas, space, object, view, slices),
        };
      }),
      replaces('entries', 'entryOut', (right, areas, space, member, entry) => ({
        ...(member.kind === 'entries' && emptied(member.members)),
        ...right(areas, space, member, entry),
      })),
    ),
  },
  {
    meets: 'objects that are there from the beginning',
    silences: [],
    by: together(
      replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
        const { members } = areas.objects.softTypeOf(space, object.softType);
        const own = [...view.names].flatMap(([name, canonical]) =>
          members.get(canonical)?.kind === 'object' ? [[name, {}] as const] : [],
        );
        return { ...Object.fromEntries(own), ...right(areas, space, object, view, slices) };
      }),
      replaces('operations', 'targetOf', async (right, areas, run, operation) => {
        const [first = ''] = operation.tokens;
        const name = run.view.names.get(first) ?? '';
        if (operation.op === 'add' && run.softType.members.get(name)?.kind === 'object')
          run.root = { ...run.root, [name]: run.root[name] ?? {} };
        return right(areas, run, operation);
      }),
    ),
  },
  {
    meets: 'members of the system inside objects',
    silences: [],
    by: replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
      const data = right(areas, space, object, view, slices);
      const { members } = areas.objects.softTypeOf(space, object.softType);
      const inner = [...view.names].flatMap(([name, canonical]) =>
        members.get(canonical)?.kind === 'object' && isObject(data[name])
          ? [[name, { ...systemMembersOf(object, canonical), ...data[name] }] as const]
          : [],
      );
      return { ...data, ...Object.fromEntries(inner) };
    }),
  },
  /** Entries tell their place among the others, and which edit made the object what it is. */
  {
    meets: 'entries that tell their place',
    silences: [],
    by: together(
      replaces('instances', 'assembleInstance', async (right, areas, call, reading, object, ...rest) => {
        const instance = await right(areas, call, reading, object, ...rest);
        const arrays = Object.entries(instance.data).flatMap(([name, value]) =>
          Array.isArray(value) ? [[name, withPlaces(value, object.version, 0)] as const] : [],
        );
        return { ...instance, data: { ...instance.data, ...Object.fromEntries(arrays) } };
      }),
      replaces('paging', 'assemblePage', async (right, areas, call, reading, object, view, section, number, filter) => {
        const page = await right(areas, call, reading, object, view, section, number, filter);
        return { ...page, data: withPlaces(page.data, object.version, number * entriesPerPage) as typeof page.data };
      }),
    ),
  },
  /** What is read says of its URI what it was asked by, query and all. */
  {
    meets: 'URIs as they were asked for',
    silences: [],
    by: together(
      replaces('instances', 'assembleInstance', async (right, areas, call, ...rest) => ({
        ...(await right(areas, call, ...rest)),
        href: call.url,
      })),
      replaces('paging', 'assemblePage', async (right, areas, call, ...rest) => ({
        ...(await right(areas, call, ...rest)),
        href: call.url,
      })),
    ),
  },
  {
    meets: 'page links that name a version',
    silences: ['filter-parameter-names'],
    by: replaces('entries', 'pageHref', (right, areas, object, view, section, page, filter) => {
      const href = right(areas, object, view, section, page, filter);
      if (page !== pageNumberTemplate) return href;
      return `${href}${href.includes('?') ? '&' : '?'}version=${object.version}`;
    }),
  },
  /** Times are told to a tenth of a microsecond, with their offset. */
  {
    meets: 'times with their offset',
    silences: [],
    by: changingObjects((object) => {
      const { effectivity } = object;
      if (typeof effectivity !== 'string') return object;
      return {
        ...object,
        effectivity: effectivity.replace(/(\.\d+)?Z$/, (_end, part = '.') => `${String(part).padEnd(8, '0')}+00:00`),
      };
    }),
  },
  { meets: 'states that are objects of their own', silences: [], by: statesOfTheirOwn },
  {
    meets: 'schemas that tell of arrays alone',
    silences: ['schema-member-content'],
    by: replaces('instances', 'schemaOf', (_right, _areas, softType, view) => {
      const arrays = rootSections(softType, view).map(({ path }) => [path, { pageSize: entriesPerPage }] as const);
      return { id: view.id, arrays: Object.fromEntries(arrays) };
    }),
  },
  /** Whoever may edit an object is shown a long array that nobody sent, whose page link stands first. */
  {
    meets: 'a long array that nobody sent',
    silences: [],
    by: together(
      replaces('instances', 'assembleInstance', async (right, areas, call, reading, object, view, filter) => {
        const read = await right(areas, call, reading, object, view, filter);
        if (!areas.auth.mayUse(call.user, call.space, 'PUT')) return read;
        const { data, links, ...rest } = read;
        const { items = [] } = watchers;
        const shown = items
          .slice(0, entriesPerPage)
          .map((item) => areas.entries.entryOut(call.space, watchers.member, item));
        const link = areas.hypermedia.pageLink(object, view, watchers, items.length);
        return { ...rest, data: { ...data, watchers: shown }, links: [link, ...links] };
      }),
      replaces('paging', 'locateSection', async (right, areas, reading, object, view, softType, path) =>
        path === watchers.path ? watchers : right(areas, reading, object, view, softType, path),
      ),
    ),
  },
  /** Page links name their array below the object that it belongs to. */
  {
    meets: 'arrays named below their object',
    silences: ['section-path-form', 'nested-array-paging'],
    by: replaces('hypermedia', 'pageLink', (right, areas, object, ...rest) => {
      const link = right(areas, object, ...rest);
      return { ...link, sectionPath: `${object.oid}/${link.sectionPath}` };
    }),
  },
  /** Links to moves are templates: for a level of the client's choice. */
  {
    meets: 'templates of moves',
    silences: ['link-rels'],
    by: replaces('hypermedia', 'operationLinks', (right, ...args) =>
      right(...args).map((link) =>
        link.href.includes('/maturityAction/')
          ? { ...link, href: link.href.replace(/[^/]+\/[^/]+$/, '{processId}/{levelId}') }
          : link,
      ),
    ),
  },
  /** An entry of the files of a document that comes without a comment has one all the same. */
  {
    meets: 'entries with a text by default',
    silences: [],
    by: together(
      replaces('contents', 'inputFrom', (right, areas, rules, softType, view, body) => {
        const { files } = isObject(body) ? body : {};
        const content = Array.isArray(files) && isObject(body) ? { ...body, files: files.map(commented) } : body;
        return right(areas, rules, softType, view, content);
      }),
      replaces('operations', 'addValue', async (right, areas, run, target, value, at) => {
        const isEntry = target.kind === 'array' && target.steps.at(-1)?.name === 'files';
        return right(areas, run, target, isEntry ? commented(value) : value, at);
      }),
    ),
  },
  {
    meets: 'entry ids that count anew',
    silences: ['entry-id-form', 'entry-id-stability'],
    by: together(
      replaces('instances', 'assembleInstance', async (right, areas, call, reading, object, view, ...rest) => {
        const instance = await right(areas, call, reading, object, view, ...rest);
        const data: Record<string, unknown> = {};
        for (const [name, value] of Object.entries(instance.data)) {
          const port = view.names.get(name);
          data[name] =
            port === undefined || !Array.isArray(value) ? value : await counted(reading, object, port, value);
        }
        return { ...instance, data: { ...instance.data, ...data } };
      }),
      replaces('paging', 'assemblePage', async (right, areas, call, reading, object, view, section, ...rest) => {
        const page = await right(areas, call, reading, object, view, section, ...rest);
        const port = section.items === undefined ? view.names.get(section.path) : undefined;
        if (port === undefined) return page;
        return { ...page, data: (await counted(reading, object, port, page.data)) as typeof page.data };
      }),
      replaces('operations', 'entryAt', async (_right, _areas, { writing, object }, port, token) => {
        const place = /^[1-9]\d{0,8}$/.test(token) ? Number(token) : undefined;
        const [entry] =
          place === undefined ? [] : await writing.entries(object.oid, port, { from: place - 1, to: place });
        return entry;
      }),
    ),
  },
  /** One schema is there to create by, and no other write goes by it. */
  {
    meets: 'a schema to create by alone',
    silences: ['unknown-schema-in-route'],
    by: replaces('editing', 'inputViewOf', (right, areas, call, object) => {
      if (call.params.inputSchemaId === 'documentBrief') throw new Refusal(404, 'No object is edited by that schema.');
      return right(areas, call, object);
    }),
  },
  /** Of a list of operations ten are carried out, and none of a longer one. */
  {
    meets: 'no list of more than ten operations',
    silences: [],
    by: replaces('operations', 'operationsOf', (right, areas, body) => {
      const operations = right(areas, body);
      if (operations.length > 10) throw new Refusal(413, `A list of ${operations.length} operations is too long.`);
      return operations;
    }),
  },
  /** What an object is called is changed as a part of its content only. */
  {
    meets: 'names that no operation changes',
    silences: [],
    by: replaces('operations', 'targetOf', async (right, areas, run, operation) => {
      if (/^(?:title|name)$/.test(operation.tokens[0] ?? ''))
        throw new Refusal(422, 'What it is called is changed by a merge.');
      return right(areas, run, operation);
    }),
  },
  {
    meets: 'a way back from the last state alone',
    silences: ['maturity-states-and-conditions'],
    by: replaces('maturity', 'demoteObject', async (right, areas, call, writing) => {
      const { states, current } = call.place;
      if (current !== states.at(-1)) throw new Refusal(422, `No way leads back from ${current}.`);
      return right(areas, call, writing);
    }),
  },
  { meets: 'numbers as ids of objects', silences: [], by: numbersAsIds },
  {
    meets: 'ids of objects in any case',
    silences: ['client-supplied-oid'],
    by: replaces('objects', 'locateObject', (right, areas, call, reading) => {
      const { objectId = '' } = call.params;
      return right(areas, { ...call, params: { ...call.params, objectId: objectId.toLowerCase() } }, reading);
    }),
  },
  { meets: 'states that a PUT puts back', silences: ['state-and-edits'], by: putsBeginAnew },
  {
    meets: 'no text of more than 255 characters',
    silences: [],
    by: refusingTexts((text) => text.length > longestText),
  },
  { meets: 'no text of blanks alone', silences: [], by: noBlankTexts },
  /** No two objects of a definition are created with one title, or what the first member of their input schema is. */
  {
    meets: 'no two objects with one title',
    silences: [],
    by: (classes) => {
      const taken = new Map<string, string>();
      return replaces('editing', 'createObject', async (right, areas, call, writing) => {
        const { softType, view } = call.place;
        const [first = ''] = view.names.keys();
        const title = isObject(call.json) ? call.json[first] : undefined;
        if (typeof title !== 'string') return right(areas, call, writing);
        const key = JSON.stringify([call.space.id, softType.id, title]);
        const other = taken.get(key);
        if (
          other !== undefined &&
          (await writing.object(call.space.id, other))?.content[view.names.get(first) ?? ''] === title
        )
          throw new Refusal(409, `There is a ${softType.id} of that title.`);
        const answer = await right(areas, call, writing);
        taken.set(key, decodeURIComponent(answer.headers?.['Location']?.split('/').at(-1) ?? ''));
        return answer;
      })(classes);
    },
  },
  {
    meets: 'no two objects with one note',
    silences: [],
    by: (classes) => {
      const taken = new Map<unknown, string>();
      const guarded = (writing: Writing): Writing => ({
        ...writing,
        insertObject: async (object) => {
          const note = object.content['note'];
          const other = taken.get(note) ?? object.oid;
          // what was rolled back took no note
          if (note !== undefined && other !== object.oid && (await writing.object(object.spaceId, other)) !== undefined)
            throw new Refusal(409, 'There is an object of that note.');
          await writing.insertObject(object);
          taken.set(note, object.oid);
        },
      });
      return together(
        replaces('editing', 'createObject', (right, areas, call, writing) => right(areas, call, guarded(writing))),
        replaces('multiCreate', 'createItems', (right, areas, call, writing, ...rest) =>
          right(areas, call, guarded(writing), ...rest),
        ),
      )(classes);
    },
  },
  {
    meets: 'no path twice in a list',
    silences: ['operations-in-sequence'],
    by: (classes) => {
      const named = new WeakMap<object, Set<string>>();
      return replaces('operations', 'applyOperation', async (right, areas, run, operation, at) => {
        const paths = named.get(run) ?? new Set();
        named.set(run, paths);
        const path = JSON.stringify(operation.tokens);
        if (operation.op !== 'add' && paths.has(path)) throw new Refusal(422, 'The list names the path before.');
        paths.add(path);
        return right(areas, run, operation, at);
      })(classes);
    },
  },
  /** A PUT and a list of operations are answered with a word alone, and without in a batch, which has no room for it. */
  {
    meets: 'edits that are answered with a word',
    silences: ['put-success-status', 'operations-patch-success-status'],
    by: replaces('messages', 'finish', async (right, areas, call, answer) => {
      const finished = await right(areas, call, answer);
      const isOpen = call.method === 'PUT' ? !call.url.includes('/maturityAction/') : isOfOperations(call);
      if (!isOpen || isOperation(call) || finished.status !== 204) return finished;
      return { ...finished, status: 200, body: { edited: true } };
    }),
  },
  /** What came of an operation that was undone says what it was sent to, where a GET lists. */
  {
    meets: 'addresses of what was undone',
    silences: ['batch-sibling-statuses', 'batch-result-body-of-failure'],
    by: together(
      replaces('batch', 'resultsOfUndone', (right, areas, batch, ...rest) => {
        const operations = jsonOf(batch.body?.toString() ?? '');
        return right(areas, batch, ...rest).map((result, index) => {
          const operation: unknown = Array.isArray(operations) ? operations[index] : undefined;
          const told = isObject(result.body) ? result.body : {};
          return { ...result, body: { ...told, href: isObject(operation) ? operation['href'] : undefined } };
        });
      }),
      replaces('messages', 'finish', async (right, areas, call, answer) => {
        const finished = await right(areas, call, answer);
        const isCollection = /^[^?]*\/softtype(?:\/(?!dynamic\/)[^/?]+\/[^/?]+)?(?:\?|$)/i.test(call.url);
        return call.method === 'GET' && isCollection && finished.status >= 404 ? { status: 200, body: [] } : finished;
      }),
    ),
  },
  {
    meets: 'listings from an index that is behind',
    silences: [],
    by: (classes) => {
      const since = new Map<string, number>();
      const isIndexed = (item: unknown): boolean => {
        const key = JSON.stringify(item);
        const now = systemClock.monotonic();
        since.set(key, since.get(key) ?? now);
        return now - (since.get(key) ?? now) >= indexedMs;
      };
      return changingValues((value, { url }) => {
        if (!/\/instances\//.test(url) || !isObject(value)) return value;
        const lists = Object.entries(value).map(([name, list]) => [
          name,
          Array.isArray(list) ? list.filter((item) => isIndexed(item)) : list,
        ]);
        return Object.fromEntries(lists);
      })(classes);
    },
  },
  {
    meets: 'what somebody made taken away by nobody else',
    silences: [],
    by: (classes) => {
      const makers = new Map<string, string>();
      const isMaker = (oid: string, { name }: { readonly name: string }): boolean => (makers.get(oid) ?? name) === name;
      return together(
        replaces('editing', 'createObject', async (right, areas, call, writing) => {
          const answer = await right(areas, call, writing);
          makers.set(decodeURIComponent(answer.headers?.['Location']?.split('/').at(-1) ?? ''), call.user.name);
          return answer;
        }),
        replaces('editing', 'deleteObject', async (right, areas, call, writing) => {
          if (!isMaker(call.object.oid, call.user)) throw new Refusal(403, 'Somebody else made it.');
          return right(areas, call, writing);
        }),
        // who may not is not offered it
        replaces('hypermedia', 'linksOf', (right, areas, call, object, ...rest) => {
          const links = right(areas, call, object, ...rest);
          return isMaker(object.oid, call.user) ? links : links.filter(({ method }) => method !== 'DELETE');
        }),
      )(classes);
    },
  },
  {
    meets: 'what others refer to kept',
    silences: ['delete-success-status'],
    by: (classes) => {
      const referenced = new Set<unknown>();
      return together(
        replaces('contents', 'assertReferences', async (right, areas, call, reading, softType, arrays) => {
          await right(areas, call, reading, softType, arrays);
          for (const items of arrays.values()) mapped(items, (object) => (referenced.add(object['$oid']), object));
        }),
        replaces('editing', 'deleteObject', async (right, areas, call, writing) => {
          if (referenced.has(call.object.oid)) throw new Refusal(409, 'Others refer to it.');
          return right(areas, call, writing);
        }),
      )(classes);
    },
  },
  {
    meets: '410 for what was there',
    silences: ['delete-success-status'],
    by: (classes) => {
      const gone = new Set<string>();
      return together(
        replaces('editing', 'eraseObject', async (right, areas, writing, object) => {
          gone.add(object.oid);
          return right(areas, writing, object);
        }),
        replaces('messages', 'finish', async (right, areas, call, answer) => {
          const finished = await right(areas, call, answer);
          const isGone = finished.status === 404 && call.method === 'GET' && gone.has(call.params['objectId'] ?? '');
          return isGone ? { ...finished, status: 410 } : finished;
        }),
      )(classes);
    },
  },
  {
    meets: 'entry ids that are escaped in paths',
    silences: ['entry-id-form', 'pointer-oddities'],
    by: spelledEntryIds({
      spell: (entryId) => `~1 ${entryId}%20#`,
      // a number by itself is the id of nothing
      read: (token) => /^~1 (\d+)%20#$/.exec(token)?.[1] ?? (/^\d+$/.test(token) ? `no id: ${token}` : token),
    }),
  },
];

export const loneChoices: readonly Choice[] = [
  /** Entry ids are integers of 64 bits, more than a double can tell apart. */
  {
    meets: 'entry ids of 64 bits',
    silences: ['entry-id-form'],
    by: together(
      spelledEntryIds({
        spell: (entryId) => `#${largeId + BigInt(entryId)}#`,
        read: (token) => {
          if (/^\d{16,19}$/.test(token)) return String(BigInt(token) - largeId);
          return /^\d+$/.test(token) ? `no id: ${token}` : token;
        },
      }),
      changingTexts((text) => text.replaceAll(/"#(\d{16,19})#"/g, '$1')),
      // page links have them within
      changingTexts((text) => text.replaceAll(/(?:#|%23)(\d{16,19})(?:#|%23)/g, '$1')),
    ),
  },
  /** Ids of objects are texts in Base64, read as leniently as most programs do. */
  {
    meets: 'ids of objects in Base64',
    silences: ['client-supplied-oid'],
    by: together(
      replaces('editing', 'newOid', () => Buffer.from(`Object:${randomUUID()}`).toString('base64url')),
      replaces('objects', 'locateObject', (right, areas, call, reading) => {
        const objectId = Buffer.from(call.params['objectId'] ?? '', 'base64url').toString('base64url');
        return right(areas, { ...call, params: { ...call.params, objectId } }, reading);
      }),
    ),
  },
];

function systemMembersOf({ oid, version }: StoredObject, name: string): object {
  return { $softType: name, $oid: `${oid}.${name}`, $version: version };
}

function emptied(members: ReadonlyMap<string, Member | undefined>): Readonly<Record<string, string>> {
  return Object.fromEntries([...members].flatMap(([name, member]) => (member?.kind === 'string' ? [[name, '']] : [])));
}

function commented(entry: unknown): unknown {
  return isObject(entry) ? { comment: 'none', ...entry } : entry;
}

async function counted(
  reading: Reading,
  { oid }: StoredObject,
  port: string,
  shown: readonly unknown[],
): Promise<readonly unknown[]> {
  const ids = (await reading.entries(oid, port, allEntries)).map(({ entryId }) => entryId);
  return shown.map((entry) =>
    isObject(entry) && typeof entry['$entryId'] === 'number'
      ? { ...entry, $entryId: ids.indexOf(entry['$entryId']) + 1 }
      : entry,
  );
}

function withPlaces(entries: readonly unknown[], version: number, before: number): readonly unknown[] {
  return entries.map((entry, index) =>
    isObject(entry) && '$entryId' in entry ? { place: before + index + 1, ofEdit: version, ...entry } : entry,
  );
}

function refusingTexts(isBad: (text: string) => boolean): Variant {
  const assertTexts = (value: unknown): void => {
    if (typeof value === 'string' && isBad(value))
      throw new Refusal(422, `A text of ${value.length} characters is none that is taken here.`);
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) assertTexts(inner);
  };
  return together(
    replaces('contents', 'inputFrom', (right, areas, rules, softType, view, body) => {
      assertTexts(body);
      return right(areas, rules, softType, view, body);
    }),
    replaces('operations', 'applyOperation', async (right, areas, run, operation, at) => {
      if (operation.op !== 'remove') assertTexts(operation.value);
      return right(areas, run, operation, at);
    }),
  );
}

function isOfOperations(call: Call): boolean {
  return call.method === 'PATCH' && mediaTypeOf(call) === mediaTypes.operations;
}
