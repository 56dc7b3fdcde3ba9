import { randomUUID } from 'node:crypto';
import { entriesPerPage } from '../../contract/limits.ts';
import { pageNumberTemplate } from '../../contract/names.ts';
import { type Section, rootSections, statesMember } from '../../reference-server/areas/soft-type.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import { type Variant, replaces, together } from '../breaks.ts';
import { changingObjects, isObject, mapped } from './choice.ts';
import { spelledEntryIds } from './entry-ids.ts';
import { changingTexts } from './peculiar-wire.ts';

/** Content tells of the last edit, beside what was sent. */
export const lastEditTold: Variant = replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => ({
  editNumber: object.version,
  ...right(areas, space, object, view, slices),
  lastEdit: { name: `edit ${object.version}`, of: object.softType },
}));

/** Objects inside an object have members of the system as well. */
export const innerSystemMembers: Variant = replaces(
  'instances',
  'dataOf',
  (right, areas, space, object, view, slices) => {
    const data = right(areas, space, object, view, slices);
    const { members } = areas.objects.softTypeOf(space, object.softType);
    const inner = [...view.names].flatMap(([name, canonical]) =>
      members.get(canonical)?.kind === 'object' && isObject(data[name])
        ? [[name, { $softType: canonical, $oid: `${object.oid}.${canonical}`, ...data[name] }] as const]
        : [],
    );
    return { ...data, ...Object.fromEntries(inner) };
  },
);

/** Entries tell their place among the others, and which edit made the object what it is. */
export const placesTold: Variant = together(
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
);

/** What is read says of its URI what it was asked by, query and all. */
export const hrefsAsAsked: Variant = together(
  replaces('instances', 'assembleInstance', async (right, areas, call, ...rest) => ({
    ...(await right(areas, call, ...rest)),
    href: call.url,
  })),
  replaces('paging', 'assemblePage', async (right, areas, call, ...rest) => ({
    ...(await right(areas, call, ...rest)),
    href: call.url,
  })),
);

/** Ids of objects are known in capitals, too. */
export const idsInAnyCase: Variant = replaces('objects', 'locateObject', (right, areas, call, reading) => {
  const { objectId = '' } = call.params;
  return right(areas, { ...call, params: { ...call.params, objectId: objectId.toLowerCase() } }, reading);
});

const largeId = 9_007_199_254_740_993n;

/** Entry ids are integers of 64 bits, more than a double can tell apart. */
export const longEntryIds: Variant = together(
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
);

/** Entry ids hold what a pointer and a URI have to escape. */
export const escapedEntryIds: Variant = spelledEntryIds({
  spell: (entryId) => `~1 ${entryId}%20#`,
  // a number by itself is the id of nothing
  read: (token) => /^~1 (\d+)%20#$/.exec(token)?.[1] ?? (/^\d+$/.test(token) ? `no id: ${token}` : token),
});

/** Page links say for which version they are. */
export const linksOfVersions: Variant = replaces(
  'entries',
  'pageHref',
  (right, areas, object, view, section, page, filter) => {
    const href = right(areas, object, view, section, page, filter);
    if (page !== pageNumberTemplate) return href;
    return `${href}${href.includes('?') ? '&' : '?'}version=${object.version}`;
  },
);

/** Times are told to a tenth of a microsecond, with their offset. */
export const finerTimes: Variant = changingObjects((object) => {
  const { effectivity } = object;
  if (typeof effectivity !== 'string') return object;
  return {
    ...object,
    effectivity: effectivity.replace(/(\.\d+)?Z$/, (_end, part = '.') => `${String(part).padEnd(8, '0')}+00:00`),
  };
});

/** The schema tells of arrays alone, which are what is special. */
export const schemaOfArrays: Variant = replaces('instances', 'schemaOf', (_right, _areas, softType, view) => {
  const arrays = rootSections(softType, view).map(({ path }) => [path, { pageSize: entriesPerPage }] as const);
  return { id: view.id, arrays: Object.fromEntries(arrays) };
});

const watchers: Section = {
  path: 'watchers',
  port: 'watchers',
  member: { kind: 'entries', mandatory: false, members: new Map([['user', { kind: 'string', mandatory: false }]]) },
  items: Array.from({ length: 17 }, (_item, index) => ({ entryId: index + 1, content: { user: `user ${index}` } })),
};

/** Whoever may edit an object is shown a long array that nobody sent, whose page link stands first. */
export const watchersListed: Variant = together(
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
);

/** Page links name their array below the object that it belongs to. */
export const sectionsOfObjects: Variant = replaces('hypermedia', 'pageLink', (right, areas, object, ...rest) => {
  const link = right(areas, object, ...rest);
  return { ...link, sectionPath: `${object.oid}/${link.sectionPath}` };
});

/** Links to moves are templates: for a level of the client's choice. */
export const movesByTemplate: Variant = replaces('hypermedia', 'operationLinks', (right, ...args) =>
  right(...args).map((link) =>
    link.href.includes('/maturityAction/')
      ? { ...link, href: link.href.replace(/[^/]+\/[^/]+$/, '{processId}/{levelId}') }
      : link,
  ),
);

/** A PUT puts an object back to where it began. */
export const putsBeginAnew: Variant = replaces('editing', 'putObject', (right, areas, call, writing) => {
  const content = { ...call.object.content, ...areas.editing.startContent(call.place.softType) };
  return right(areas, { ...call, object: { ...call.object, content } }, writing);
});

/** Ids of objects are texts in Base64, read as leniently as most programs do. */
export const idsInBase64: Variant = together(
  replaces('editing', 'newOid', () => Buffer.from(`Object:${randomUUID()}`).toString('base64url')),
  replaces('objects', 'locateObject', (right, areas, call, reading) => {
    const objectId = Buffer.from(call.params['objectId'] ?? '', 'base64url').toString('base64url');
    return right(areas, { ...call, params: { ...call.params, objectId } }, reading);
  }),
);

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

/** Ids of objects are numbers of fifteen digits. */
export const numbersAsIds: Variant = replaces('editing', 'newOid', () =>
  String(Number.parseInt(randomUUID().replaceAll('-', '').slice(0, 12), 16) + 10 ** 15).slice(0, 15),
);

const longestText = 255;

/** No text is longer than 255 characters. */
export const shortTexts: Variant = refusingTexts((text) => text.length > longestText);

/** No text holds blanks alone. */
export const noBlankTexts: Variant = refusingTexts((text) => text !== '' && text.trim() === '');

/** No two objects of a definition are created with one title, or what the first member of their input schema is. */
export const titlesOfTheirOwn: Variant = (classes) => {
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
};

/** What others have referred to is kept. */
export const referencedKept: Variant = (classes) => {
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
};

/** Whoever made an object may delete it, and nobody else. */
export const deletedByTheirMakers: Variant = (classes) => {
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
};

/** What was deleted is known to have been there. */
export const goneIsGone: Variant = (classes) => {
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
};

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
