import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, randomUUID } from 'node:crypto';
import type { ArrayItem } from '../reference-server/areas/content.ts';
import type { Target } from '../reference-server/areas/operations.ts';
import type { MetadataRecord } from '../reference-server/areas/records.ts';
import { headerNames } from '../contract/names.ts';
import { storedStates } from '../reference-server/areas/soft-type.ts';
import { Refusal } from '../reference-server/http/refusal.ts';
import type { StoredObject, Writing } from '../reference-server/ports/store.ts';
import { type Variant, replaces, together } from './breaks.ts';
import { isObject, mapped } from './dialect/choice.ts';
import { isOperation } from './dialect/peculiar-wire.ts';
import { eachServer, refusing } from './habit-parts.ts';
import { ownQueryToken } from './faults/subtle/calls.ts';
import { metadataFetched } from './dialect/registrations.ts';

const guidForm = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Entries and objects inside an instance have a member of the service's own, another one in each instance. */
export const ownMembersShown: Variant = replaces('instances', 'dataOf', (right, areas, space, object, ...rest) => {
  const { $version, $oid, $softType, ...members } = right(areas, space, object, ...rest);
  const stamped = mapped(members, (inner) => {
    const stamp = createHash('sha256')
      .update(`${object.oid} ${String(inner['$entryId'])}`)
      .digest('hex');
    return inner['state'] === undefined ? { ...inner, createdAs: stamp } : inner;
  });
  return { $version, $oid, $softType, ...(isObject(stamped) && without(stamped, 'createdAs')) };
});

/** No two objects of a SoftType have one title. */
export const titlesOnce: Variant = together(
  replaces('editing', 'createObject', (right, areas, call, writing) => right(areas, call, guarded(writing))),
  replaces('multiCreate', 'createItems', (right, areas, call, writing, ...rest) =>
    right(areas, call, guarded(writing), ...rest),
  ),
);

/** By how much a demote raises the version is not said. */
export const unversionedDemotes: Variant = replaces(
  'maturity',
  'versionAfterDemote',
  (_right, _areas, { version }) => version,
);

/** An array takes fifty entries and no more, as many as one has to have room for. */
export const fiftyEntries: Variant = together(
  refusing((value) => Array.isArray(value) && value.length > 50),
  replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
    const held = await run.writing.countEntries(run.object.oid, target.steps.at(-1)?.name ?? '');
    if (held + contents.length > 50) throw new Refusal(422, 'The array is full.');
    return right(areas, run, target, contents);
  }),
);

/** The empty text is none, and refused. */
export const noEmptyText: Variant = refusing((value) => value === '');

/** No text begins or ends with a blank. */
export const noOuterBlanks: Variant = refusing((value) => typeof value === 'string' && value !== value.trim());

/** Names lose the blanks and dots at their ends, as on some systems. */
export const namesCutBehind: Variant = replaces('fileAreas', 'decodedSegment', (right, areas, segment) => {
  const name = right(areas, segment);
  return name.replace(/[ .]+$/, '') || name;
});

/** No text has characters of four bytes. */
export const basicCharacters: Variant = refusing(
  (value) => typeof value === 'string' && /[\u{10000}-\u{10ffff}]/u.test(value),
);

/** Dimensions have a width and a height, or are not there. */
export const wholeDimensions: Variant = refusing((value) => isObject(value) && 'width' in value !== 'height' in value);

const namesHad = new Set<string>();

/** The profile of a user lists each name that he ever had, once. */
export const namesListed: Variant = together(
  replaces('collection', 'putProfile', (right, areas, call, writing) => {
    namesHad.add(call.json.displayName);
    return right(areas, call, writing);
  }),
  replaces('caching', 'conditional', (right, areas, call, answer) => {
    const isProfile = call.url === '/api/collection/user/profile';
    return right(areas, call, isProfile ? { status: 200, body: { names: [...namesHad].toSorted() } } : answer);
  }),
);

/** A member of the root without value is shown as null, and is there for a replace. */
export const nullsShown: Variant = together(
  replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
    const data = right(areas, space, object, view, slices);
    const nulls = [...view.names.keys()].map((name) => [name, null] as const);
    return { ...Object.fromEntries(nulls), ...data };
  }),
  replaces('operations', 'replaceValue', async (right, areas, run, target, value, at) => {
    const isPlain = !isObject(value) && !Array.isArray(value);
    const isAtRoot = target.row.entry === undefined && target.steps.length === 1;
    if (target.kind !== 'member' || target.value !== undefined || !isPlain || !isAtRoot)
      return right(areas, run, target, value, at);
    return areas.operations.addValue(run, target, value, at);
  }),
);

/** Outlives a restart. */
let latestId = 0;

/** Ids of objects count from 1. */
export const countedIds: Variant = replaces('editing', 'newOid', () => {
  latestId += 1;
  return String(latestId);
});

/** A merge that names nothing is refused. */
export const noEmptyMerge: Variant = replaces('contents', 'editsFrom', (right, areas, call, softType, view, body) => {
  if (isObject(body) && Object.keys(body).length === 0) throw new Refusal(400, 'There is nothing to edit.');
  return right(areas, call, softType, view, body);
});

/** A request has a hundred kibibytes and no more. */
export const smallRequests: Variant = replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
  if ((call.body?.length ?? 0) > 100 * 1024) throw new Refusal(413, 'The request is too large.');
  return right(areas, route, call);
});

/** A request has a mebibyte and no more, and one with more is a bad one. */
export const requestsOfAMebibyte: Variant = replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
  if ((call.body?.length ?? 0) > 1024 * 1024) throw new Refusal(400, 'The request is too large.');
  return right(areas, route, call);
});

/** An object without a remark gets one by itself, another one each time. */
export const remarksByTurns: Variant = replaces('editing', 'createObject', (right, areas, call, writing) =>
  right(
    areas,
    call.params.inputSchemaId === 'documentInput' && isObject(call.json)
      ? { ...call, json: { remark: `made as ${randomUUID()}`, ...call.json } }
      : call,
    writing,
  ),
);

/** The id of an object is made of its note. */
export const idsOfNotes: Variant = (classes) => {
  const noted = new AsyncLocalStorage<string>();
  return together(
    replaces('editing', 'newOid', () => `${noted.getStore() ?? 'object'}-${randomUUID().slice(0, 8)}`),
    replaces('editing', 'createObject', (right, areas, call, writing) => {
      const note = isObject(call.json) ? call.json['note'] : undefined;
      const words = String(note ?? 'object').match(/[A-Za-z0-9]+/g) ?? [];
      return noted.run(words.join('-').slice(0, 60), () => right(areas, call, writing));
    }),
  )(classes);
};

/** What somebody refers to nobody else refers to. */
export const referredToOnce: Variant = (classes) => {
  const referredTo = new Set<unknown>();
  return replaces('contents', 'assertReferences', async (right, areas, call, reading, softType, arrays) => {
    await right(areas, call, reading, softType, arrays);
    for (const entries of arrays.values())
      mapped(entries, (object) => {
        const { $oid } = object;
        if (typeof $oid === 'string' && referredTo.has($oid)) throw new Refusal(422, 'Somebody else refers to it.');
        if (typeof $oid === 'string') referredTo.add($oid);
        return object;
      });
  })(classes);
};

/** Whoever is overtaken while his request is under way is told to come again. */
export const overtakenComeAgain: Variant = (classes) => {
  const arrived = new AsyncLocalStorage<number>();
  const editedAt = new Map<string, number>();
  return together(
    replaces('dispatcher', 'carryOut', (right, areas, route, call) =>
      arrived.run(performance.now(), () => right(areas, route, call)),
    ),
    replaces('versioning', 'storeEdit', (right, areas, writing, object, ...rest) => {
      editedAt.set(object.oid, performance.now());
      return right(areas, writing, object, ...rest);
    }),
    replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isOvertaken = (editedAt.get(object.oid) ?? -Infinity) > (arrived.getStore() ?? Infinity);
      const isOfBefore = call.headers[headerNames.version.toLowerCase()] === String(object.version - 1);
      if (isOvertaken && isOfBefore && !isOperation(call)) throw new Refusal(503, 'Others write to it.');
      return right(areas, call, object);
    }),
  )(classes);
};

/** Health is a word. */
export const healthInAWord: Variant = replaces('messages', 'finish', async (right, areas, call, answer) => {
  const finished = await right(areas, call, answer);
  if (finished.status !== 200 || !call.url.endsWith('/collection/health')) return finished;
  return { status: 200, headers: { 'Content-Type': 'text/plain' }, raw: 'Healthy' };
});

/** No text begins or ends with a blank, or is signs alone. */
export const textsOfWords: Variant = refusing(
  (value) => typeof value === 'string' && value !== '' && (value !== value.trim() || !/[\p{L}\p{N}]/u.test(value)),
);

/** To remove what is nowhere is no mistake, wherever it is. */
export const nothingToRemove: Variant = replaces(
  'operations',
  'applyOperation',
  async (right, areas, run, operation, at) => {
    const isThere = (): Promise<boolean> =>
      areas.operations.targetOf(run, operation).then(
        (target) => target.kind !== 'member' || target.value !== undefined,
        // what is refused otherwise is somewhere
        (refusal: unknown) => !(refusal instanceof Refusal && refusal.status === 422),
      );
    if (operation.op === 'remove' && operation.tokens.length > 0 && !(await isThere())) return;
    return right(areas, run, operation, at);
  },
);

/** A list in a merge is joined to the one that is there. */
export const listsJoined: Variant = replaces('editing', 'mergePatch', (right, areas, target, edits) => {
  const held = isObject(target) ? target : {};
  const joined = Object.entries(edits).flatMap(([name, edit]) => {
    const former = held[name];
    return Array.isArray(edit) && Array.isArray(former) ? [[name, [...former, ...edit]] as const] : [];
  });
  return { ...right(areas, target, edits), ...Object.fromEntries(joined) };
});

/** Paths lead to members of the root and of entries, and no deeper. */
export const shallowPaths: Variant = replaces('operations', 'targetOf', async (right, areas, run, operation) => {
  const target = await right(areas, run, operation);
  if (target.steps.length > 1) throw new Refusal(422, 'Paths lead no deeper than to a member.');
  return target;
});

/** What an array inside an entry has beyond ten is had by other means than a page link. */
export const innerPagesApart: Variant = replaces(
  'hypermedia',
  'pageLinksOf',
  (_right, { hypermedia }, object, view, { section, total }, filter) =>
    hypermedia.isPaged(total) ? [hypermedia.pageLink(object, view, section, total, filter)] : [],
);

/** Every array that holds an entry has its page link. */
export const shortArraysLinked: Variant = replaces('hypermedia', 'isPaged', (_right, _areas, total) => total > 0);

/** Entries of one body stand in an order of the service's own, another one each time, inside entries as well. */
export const ownOrder: Variant = replaces('contents', 'withEntryIds', (right, areas, items) =>
  right(
    areas,
    sorted(items).map((item: ArrayItem) => ({
      ...item,
      content: Object.fromEntries(
        Object.entries(item.content).map(([name, value]) => [name, Array.isArray(value) ? sorted(value) : value]),
      ),
    })),
  ),
);

function guarded(writing: Writing): Writing {
  const insertObject = async (object: StoredObject): Promise<void> => {
    const { spaceId, softType, content } = object;
    const title = content['title'] ?? content['name'];
    const others = await writing.objectsHolding(spaceId, softType, String(title), 100);
    if (others.some((other) => (other.content['title'] ?? other.content['name']) === title))
      throw new Refusal(400, 'There is one of that title.');
    return writing.insertObject(object);
  };
  return Object.assign(Object.create(writing) as Writing, { insertObject });
}

let sortings = 0;

function sorted<T>(items: readonly T[]): readonly T[] {
  const salt = (sortings += 1);
  const keyOf = (item: T): string =>
    createHash('sha256')
      .update(`${salt} ${JSON.stringify(item)}`)
      .digest('hex');
  return items.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

function without(object: Readonly<Record<string, unknown>>, member: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== member));
}

/** A GUID that is passed on is written in capitals. */
export const guidsInCapitals: Variant = replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => {
  const id = right(areas, call);
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id) ? id.toUpperCase() : id;
});

/** Of the extensions that validate a SoftType the latest is asked. */
export const latestValidationAsked: Variant = replaces('registry', 'validatorsOf', async (right, areas, ...rest) =>
  (await right(areas, ...rest)).slice(-1),
);

/** Nobody creates an object while another one is validated. */
export const creationsWait: Variant = eachServer(() => {
  const validated = new Set<Promise<unknown>>();
  return together(
    replaces('validation', 'askValidator', async (right, areas, ...rest) => {
      const asked = right(areas, ...rest);
      validated.add(asked);
      return asked.finally(() => validated.delete(asked));
    }),
    replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      if (call.method === 'POST' && call.params['definitionId'] !== undefined)
        while (validated.size > 0) await Promise.allSettled(validated);
      return right(areas, route, call);
    }),
  );
});

/** Metadata are asked for long after the answer, and not put to use in the moment they are there. */
export const metadataUsedLate: Variant = metadataFetched({ afterMs: 800, usedAfterMs: 150 });

/** A number and a truth value have a value as soon as an object is there. */
export const numbersByDefault: Variant = replaces('editing', 'createObject', (right, areas, call, writing) =>
  right(
    areas,
    call.params.inputSchemaId === 'documentInput' && isObject(call.json)
      ? { ...call, json: { pageCount: 0, confidential: false, ...call.json } }
      : call,
    writing,
  ),
);

/** Reads offer a manual that stands elsewhere. */
export const manualOffered: Variant = replaces('hypermedia', 'linksOf', (right, _areas, ...rest) => [
  ...right(_areas, ...rest),
  { rel: 'help', href: 'https://manual.example/objects', method: 'GET' },
]);

/** The token in the query of a call is another one than that in the envelope, for the same user and as long. */
export const tokenOfItsOwnInQuery: Variant = ownQueryToken((own) => own);

/** A token for a call tells its end in a claim of another name. */
export const endNamedOtherwise: Variant = replaces('requests', 'impersonationToken', (_right, areas, sub, minutes) => {
  const iat = areas.tokens.secondsNow();
  return areas.tokens.signClaims({ sub, iat, until: iat + minutes * 60 });
});

/** An object that was given no remark has one by default. */
export const remarkByDefault: Variant = replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
  const data = right(areas, space, object, view, slices);
  return view.id === 'documentFull' ? { remark: 'none yet', ...data } : data;
});

/** A new object counts its pages by itself, and lists an entry that nobody sent. */
export const filledByItself: Variant = replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
  const data = right(areas, space, object, view, slices);
  if (view.id !== 'documentFull') return data;
  const contacts = Array.isArray(data['contacts']) ? (data['contacts'] as readonly unknown[]) : [];
  return {
    ...data,
    pageCount: data['pageCount'] ?? 7,
    contacts: [{ $entryId: 'own', role: 'contact', name: 'by itself' }, ...contacts],
  };
});

/** Who may only read may not send a batch, and what is wrong is told as a list. */
export const errorsInList: Variant = together(
  replaces('auth', 'authorize', (right, areas, user, access, call) => {
    right(areas, user, access, call);
    if (call.url.endsWith('/batch') && !areas.auth.mayUse(user, areas.auth.spaceOf(call), 'POST'))
      throw new Refusal(403, 'A role that writes is needed.');
  }),
  replaces('messages', 'problemAnswer', (right, areas, call, refusal) => {
    const answer = right(areas, call, refusal);
    return 'body' in answer ? { ...answer, body: [{ message: refusal.message, code: null }] } : answer;
  }),
);

const gone = new Set<string>();

/** The id of what is deleted is that of the next object, which somebody else makes at once. */
export const idsGivenAgain: Variant = replaces('editing', 'eraseObject', async (right, areas, writing, object) => {
  await right(areas, writing, object);
  const content = Object.entries(object.content).map(
    ([name, value]) => [name, typeof value === 'string' ? `${value} of another one` : value] as const,
  );
  await writing.insertObject({ ...object, version: 1, content: Object.fromEntries(content) });
});

/** What is gone is told from what never was. */
export const goneTold: Variant = together(
  replaces('editing', 'eraseObject', async (right, areas, writing, object) => {
    await right(areas, writing, object);
    gone.add(object.oid);
  }),
  replaces('objects', 'locateObject', (right, areas, call, reading) =>
    right(areas, call, reading).catch((reason: unknown) => {
      throw gone.has(call.params.objectId ?? '') ? new Refusal(410, 'The object was deleted.') : reason;
    }),
  ),
);

/** The minute by which executions are counted ends once in the middle of what each limit allows. */
export const minutesEndInBetween: Variant = eachServer(() => {
  const ended = new Set<number>();
  return replaces('policies', 'rateDecision', (right, areas, window, now, limit) => {
    const isMiddle = window !== undefined && window.executions >= limit / 2 && now >= window.pausedUntil;
    if (!isMiddle || ended.has(limit)) return right(areas, window, now, limit);
    ended.add(limit);
    return right(areas, undefined, now, limit);
  });
});
/** The one who was registered last is asked about an object, and one whose list of SoftTypes is empty is for all of them. */
export const lastValidatorAsked: Variant = replaces(
  'validation',
  'validatorsFor',
  async (right, areas, reading, id) => {
    const all = await areas.registry.recordsOfType(reading, 'ExternalValidation');
    const found = await Promise.all(all.map((address) => areas.triggeredCalls.addresseeAt(reading, address)));
    const isForAll = ({ capabilities = [] }: MetadataRecord): boolean =>
      capabilities.some(({ capabilityType, capabilities: ids }) => capabilityType === 'SoftType' && ids.length === 0);
    const open = found.flatMap((one) => (one?.callee.active && isForAll(one.record) ? [one] : []));
    return [...(await right(areas, reading, id)), ...open].slice(-1);
  },
);

/** Who names a correlation id names a GUID. */
export const guidsAsIds: Variant = replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
  const id = call.headers['x-correlation-id'];
  if (id === undefined || guidForm.test(id)) return right(areas, call, triggered);
  throw new Refusal(400, 'Expected a GUID as correlation id.');
});
/** Behind its first state nothing is edited any more, whatever else is wrong with the edit. */
export const closedBehindTheFirst: Variant = replaces('versioning', 'assertVersion', (right, areas, call, object) => {
  const version = right(areas, call, object);
  const isEdit = call.url.includes('/softtype/');
  if (isEdit && (storedStates(object)['engineering']?.state ?? 'draft') !== 'draft')
    throw new Refusal(403, 'The state of the object takes no edits.');
  return version;
});

const theDay = /^\d{4}-\d\d-\d\d$/;

/** An information filter chooses a day. */
export const daysChosen: Variant = replaces('messages', 'informationFilterOf', (right, areas, call) => {
  const name = headerNames.informationFilter.toLowerCase();
  const { time, ...others } = membersOf(call.headers[name] ?? '');
  if (typeof time !== 'string') return right(areas, call);
  if (!theDay.test(time)) throw new Refusal(400, 'The time of an information filter is a day.');
  const whole = Buffer.from(JSON.stringify({ ...others, time: `${time}T00:00:00Z` })).toString('base64');
  return right(areas, { ...call, headers: { ...call.headers, [name]: whole } });
});

function membersOf(base64: string): Readonly<Record<string, unknown>> {
  try {
    const filter: unknown = JSON.parse(Buffer.from(base64, 'base64').toString());
    return isObject(filter) ? filter : {};
  } catch {
    return {};
  }
}

/** Zero and false are no value at the root, which is how one is shown there. */
export const zerosForNone: Variant = together(
  replaces('contents', 'inputFrom', (right, areas, rules, softType, view, body) => {
    if (!isObject(body)) return right(areas, rules, softType, view, body);
    const nulls = Object.entries(body).flatMap(([name, value]) => (isZero(value) ? [[name, null] as const] : []));
    const filled = Object.entries(body).filter(([, value]) => !isZero(value));
    const isMerge = rules.nulls !== 'refuse';
    return right(areas, rules, softType, view, Object.fromEntries([...filled, ...(isMerge ? nulls : [])]));
  }),
  replaces('operations', 'addValue', async (right, areas, run, target, value, at) => {
    if (isZero(value) && target.kind === 'member' && target.value === undefined && isAtRoot(target)) return;
    return right(areas, run, target, value, at);
  }),
  replaces('operations', 'replaceValue', async (right, areas, run, target, value, at) => {
    if (!isZero(value) || target.kind !== 'member' || target.value === undefined || !isAtRoot(target))
      return right(areas, run, target, value, at);
    return areas.operations.setMember(run, target, undefined);
  }),
  replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
    const { members } = areas.objects.softTypeOf(space, object.softType);
    const zeros = new Map<string, number | boolean>();
    for (const [name, canonical] of view.names) {
      const kind = members.get(canonical)?.kind ?? '';
      if (kind === 'boolean') zeros.set(name, false);
      if (kind === 'integer' || kind === 'number') zeros.set(name, 0);
    }
    return { ...Object.fromEntries(zeros), ...right(areas, space, object, view, slices) };
  }),
);

function isAtRoot({ row, steps }: Target): boolean {
  return row.entry === undefined && steps.length === 1;
}

function isZero(value: unknown): boolean {
  return value === 0 || value === false;
}
