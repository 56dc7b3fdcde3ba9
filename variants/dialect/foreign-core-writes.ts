import { AsyncLocalStorage } from 'node:async_hooks';
import { mediaTypes } from '../../contract/names.ts';
import { routes } from '../../contract/routes.ts';
import type { OperationsRun } from '../../reference-server/areas/operations.ts';
import type { Answer } from '../../reference-server/http/call.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import type { Content } from '../../reference-server/ports/store.ts';
import { type Variant, together, replaces } from '../breaks.ts';
import { isObject, mapped, restateRefusal, restateRefusalOf } from './choice.ts';

/** Members that the input schema does not know are kept, and shown. */
export const unknownMembersKept: Variant = together(
  replaces('contents', 'inputFrom', (right, areas, rules, softType, view, body) => {
    if (!isObject(body)) return right(areas, rules, softType, view, body);
    const isKnown = (name: string): boolean =>
      view.names.has(name) || name.startsWith('$') || (softType.maturity?.levels.has(name) ?? false);
    // what the definition has and this schema leaves out is no member of its own
    const isForeign = (name: string): boolean => !isKnown(name) && !softType.members.has(name);
    const pairs = Object.entries(body);
    const { content, arrays } = right(
      areas,
      rules,
      softType,
      view,
      Object.fromEntries(pairs.filter(([name]) => !isForeign(name))),
    );
    return { content: { ...Object.fromEntries(pairs.filter(([name]) => isForeign(name))), ...content }, arrays };
  }),
  replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
    const { members } = areas.objects.softTypeOf(space, object.softType);
    const kept = Object.entries(object.content).filter(([name]) => !members.has(name) && !name.startsWith('$'));
    return { ...Object.fromEntries(kept), ...right(areas, space, object, view, slices) };
  }),
);

/** Null in a merge is stored and shown, as a value that says that there is none. */
export const nullStored: Variant = replaces('editing', 'mergePatch', (_right, areas, target, edits) => ({
  ...(isObject(target) ? target : {}),
  ...Object.fromEntries(
    Object.entries(edits).map(([name, edit]) => [
      name,
      isObject(edit) ? areas.editing.mergePatch(isObject(target) ? target[name] : undefined, edit) : edit,
    ]),
  ),
}));

/** A merge edits the entries whose ids it names, and appends the others. */
export const entriesMerged: Variant = replaces(
  'editing',
  'replaceArrays',
  async (right, areas, call, writing, object, softType, arrays) => {
    if (call.method !== 'PATCH') return right(areas, call, writing, object, softType, arrays);
    await areas.contents.assertReferences(call, writing, softType, arrays);
    for (const [port, items] of arrays)
      for (const item of items) {
        const [content = {}] = areas.contents.withEntryIds([item]);
        const known = item.entryId === undefined ? undefined : await writing.entry(object.oid, port, item.entryId);
        if (known === undefined) await writing.appendEntries(object.oid, port, [content]);
        else await writing.updateEntry(object.oid, port, known.entryId, { ...known.content, ...content });
      }
  },
);

/** Clients may choose ids: by $oid in a create, or by a PUT to where nothing is. What another object has or had is not theirs. */
export const idsOfClients: Variant = (classes) => {
  const chosen = new AsyncLocalStorage<string[]>();
  const had = new Set<string>();
  return together(
    replaces('editing', 'newOid', (right, areas) => chosen.getStore()?.shift() ?? right(areas)),
    replaces('editing', 'eraseObject', async (right, areas, writing, object) => {
      had.add(object.oid);
      return right(areas, writing, object);
    }),
    replaces('editing', 'createObject', async (right, areas, call, writing) => {
      const oid = isObject(call.json) ? call.json['$oid'] : undefined;
      const isFree =
        typeof oid === 'string' &&
        /^[\w-]+$/.test(oid) &&
        !had.has(oid) &&
        (await writing.object(call.space.id, oid)) === undefined;
      return chosen.run(isFree ? [oid] : [], () => right(areas, call, writing));
    }),
    replaces('dispatcher', 'carryOutWrite', async (right, areas, route, call, writing) => {
      const { objectId = '' } = call.params;
      const isPut = route.method === 'PUT' && route.path === routes.merge;
      if (!isPut || had.has(objectId) || (await writing.object(call.space.id, objectId)) !== undefined)
        return right(areas, route, call, writing);
      const place = areas.editing.createViewOf(call);
      areas.messages.requireMediaType(call, [mediaTypes.json]);
      areas.messages.informationFilterOf(call);
      const body = areas.messages.jsonBodyOf(call);
      areas.versioning.versionHeaderOf(call);
      const json = isObject(body) ? { ...body, $oid: objectId } : body;
      return chosen.run([objectId], () => areas.editing.createObject({ ...call, place, json }, writing));
    }),
  )(classes);
};

/** Each operation of a list is measured by what the object was before the list. */
export const operationsSideBySide: Variant = (classes) => {
  const before = new WeakMap<OperationsRun, Content>();
  return replaces('operations', 'applyOperation', async (right, areas, run, operation, at) => {
    const root = before.get(run) ?? run.root;
    before.set(run, root);
    const target = await areas.operations.targetOf({ ...run, root }, operation);
    const wanted = operation.op !== 'add';
    if (target.kind === 'member' && (target.value !== undefined) !== wanted)
      throw new Refusal(422, 'The object was in no state for this operation when the list began.');
    return right(areas, run, operation, at);
  })(classes);
};

export const nullAddsNothing: Variant = replaces(
  'operations',
  'addValue',
  async (right, areas, run, target, value, at) => {
    if (value === null && target.kind === 'member' && target.value === undefined) return;
    return right(areas, run, target, value, at);
  },
);

export const parentsMade: Variant = replaces('operations', 'targetOf', async (right, areas, run, operation) => {
  const [first = '', ...rest] = operation.tokens;
  const name = run.view.names.get(first) ?? '';
  if (operation.op === 'add' && rest.length > 0 && run.softType.members.get(name)?.kind === 'object')
    run.root = { ...run.root, [name]: run.root[name] ?? {} };
  return right(areas, run, operation);
});

/** The object is no entry and loses what an operation removes, be it mandatory or not. */
export const mandatoryRemoved: Variant = replaces('operations', 'removeTarget', async (right, areas, run, target) => {
  const isAtRoot = target.kind === 'member' && target.row.entry === undefined && target.steps.length === 1;
  if (!isAtRoot || !target.member.mandatory || target.value === undefined) return right(areas, run, target);
  const { [target.steps[0]?.name ?? '']: _gone, ...rest } = run.root;
  run.root = rest;
});

export const percentInPointers: Variant = replaces('operations', 'pointerTokens', (right, areas, path) => {
  const tokens = right(areas, path);
  return tokens?.map((token) => (/^(?:[^%]|%[2-7][0-9A-Fa-f])*$/.test(token) ? decodeURIComponent(token) : token));
});

export const deleteAtAnyVersion: Variant = replaces('versioning', 'assertVersionWhenGiven', () => undefined);

/** 200 without a body for a PUT and a DELETE, with one for operations and a demote; a create tells id and version. */
export const otherSuccesses: Variant = together(
  replaces('editing', 'putObject', async (right, ...args) => ok(await right(...args))),
  replaces('editing', 'deleteObject', async (right, ...args) => ok(await right(...args))),
  replaces('operations', 'operateObject', async (right, areas, call, writing) => {
    const answer = await right(areas, call, writing);
    return answer.status === 204 ? { ...answer, status: 200, body: { $oid: call.object.oid } } : answer;
  }),
  replaces('maturity', 'demoteObject', async (right, areas, call, writing) => {
    const answer = await right(areas, call, writing);
    return { ...answer, status: 200, body: { $oid: call.object.oid, state: null } };
  }),
  replaces('editing', 'createObject', async (right, areas, call, writing) => {
    const answer = await right(areas, call, writing);
    return { ...answer, body: { id: answer.headers?.['Location']?.split('/').at(-1), version: 1 } };
  }),
);

export const deletesAgain: Variant = (classes) => {
  const gone = new Set<string>();
  return together(
    replaces('editing', 'deleteObject', async (right, areas, call, writing) => {
      gone.add(`${call.space.id} ${call.object.oid}`);
      return right(areas, call, writing);
    }),
    replaces('dispatcher', 'carryOutWrite', async (right, areas, route, call, writing) => {
      const { objectId = '' } = call.params;
      const isAgain =
        route.method === 'DELETE' && route.path === routes.instanceShort && gone.has(`${call.space.id} ${objectId}`);
      if (isAgain && (await writing.object(call.space.id, objectId)) === undefined) return { status: 204 };
      return right(areas, route, call, writing);
    }),
  )(classes);
};

export const demoteToTheFirst: Variant = replaces('maturity', 'demoteObject', (right, areas, call, writing) => {
  const { states, current } = call.place;
  const [first = ''] = states;
  const ends = current === first ? [first] : [first, current];
  return right(areas, { ...call, place: { ...call.place, states: ends } }, writing);
});

/** Where a level ends there is nothing to ask for, and a level that is unknown cannot be processed. */
export const otherMoveRefusals: Variant = together(
  replaces('maturity', 'promoteObject', (right, ...args) => right(...args).catch(restateRefusal({ 422: 400 }))),
  replaces('maturity', 'demoteObject', (right, ...args) => right(...args).catch(restateRefusal({ 422: 400 }))),
  replaces('maturity', 'levelOf', (right, ...args) => restateRefusalOf({ 404: 422 }, () => right(...args))),
);

/** A lock is taken once and freed once; whoever else meets it is forbidden to write. */
export const locksOnce: Variant = together(
  replaces('locks', 'lockObject', async (right, areas, call, writing) => {
    if (call.object.content['$lockedBy'] !== undefined) throw new Refusal(409, 'You hold the lock already.');
    return right(areas, call, writing);
  }),
  replaces('locks', 'unlockObject', async (right, areas, call, writing) => {
    if (call.object.content['$lockedBy'] === undefined) throw new Refusal(404, 'There is no lock.');
    return right(areas, call, writing);
  }),
  replaces('locks', 'assertUnlocked', (right, ...args) => restateRefusalOf({ 423: 403 }, () => right(...args))),
);

export const wholeItems: Variant = replaces('multiCreate', 'withinLimit', (right, areas, items) => {
  for (const item of items)
    if (isObject(item) && !('$id' in item && 'data' in item))
      throw new Refusal(400, 'An item has $id, $softType and data.');
  return right(areas, items);
});

export const refsToObjects: Variant = replaces('multiCreate', 'multiCreate', async (right, areas, call, writing) => {
  const items: readonly unknown[] = Array.isArray(call.json) ? call.json : [];
  const own = new Set(items.flatMap((item) => (isObject(item) ? [item['$id']] : [])));
  const there = new Set<unknown>();
  for (const ref of refsIn(items))
    if (!own.has(ref) && (await writing.object(call.space.id, ref)) !== undefined) there.add(ref);
  const json = mapped(call.json, ({ instanceRef, ...others }) =>
    there.has(instanceRef)
      ? { ...others, $oid: instanceRef }
      : { ...others, ...(instanceRef !== undefined && { instanceRef }) },
  );
  return right(areas, { ...call, json }, writing);
});

/** Too many items, or none, are a bad request; what else is wrong with them is in conflict. */
export const otherItemRefusals: Variant = together(
  replaces('multiCreate', 'withinLimit', (right, ...args) => restateRefusalOf({ 422: 400 }, () => right(...args))),
  replaces('multiCreate', 'multiCreate', (right, ...args) => right(...args).catch(restateRefusal({ 422: 409 }))),
);

function refsIn(value: unknown): readonly string[] {
  const refs: string[] = [];
  mapped(value, (object) => {
    if (typeof object['instanceRef'] === 'string') refs.push(object['instanceRef']);
    return object;
  });
  return refs;
}

function ok(answer: Answer): Answer {
  return answer.status === 204 ? { ...answer, status: 200 } : answer;
}
