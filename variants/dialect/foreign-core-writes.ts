import { AsyncLocalStorage } from 'node:async_hooks';
import { mediaTypes, headerNames } from '../../contract/names.ts';
import { routes } from '../../contract/routes.ts';
import type { OperationsRun } from '../../reference-server/areas/operations.ts';
import type { Answer } from '../../reference-server/http/call.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import type { Content } from '../../reference-server/ports/store.ts';
import { together, replaces } from '../breaks.ts';
import { isObject, mapped, restateRefusal, restateRefusalOf, type Choice } from './choice.ts';
import { longHref } from '../../reference-server/areas/objects.ts';
import type { Member } from '../../reference-server/configuration.ts';

export const foreignWrites: readonly Choice[] = [
  /** Ids of objects are URNs, with letters that a URI has to encode. */
  {
    meets: 'URNs as ids',
    silences: [],
    by: replaces('editing', 'newOid', (right, areas) => `urn:svc:${right(areas)}~ä+"$&`),
  },
  {
    meets: 'no empty texts',
    silences: ['empty-and-absent-members'],
    by: together(
      replaces('contents', 'inputFrom', (right, areas, rules, softType, view, body) => {
        const filled = mapped(body, (object) =>
          Object.fromEntries(Object.entries(object).filter(([, value]) => value !== '')),
        );
        if (rules.nulls === 'refuse' || !isObject(filled) || !isObject(body))
          return right(areas, rules, softType, view, filled);
        const emptied = Object.entries(body).flatMap(([name, value]) => (value === '' ? [[name, null]] : []));
        return right(areas, rules, softType, view, { ...filled, ...Object.fromEntries(emptied) });
      }),
      replaces('operations', 'addValue', async (right, areas, run, target, value, at) => {
        if (value === '' && target.kind === 'member' && target.value === undefined) return;
        return right(areas, run, target, value, at);
      }),
      replaces('operations', 'replaceValue', async (right, areas, run, target, value, at) => {
        if (value !== '' || target.kind !== 'member' || target.value === undefined)
          return right(areas, run, target, value, at);
        if (target.member.mandatory) throw new Refusal(422, 'The empty text is no value.', { pointer: at });
        return areas.operations.setMember(run, target, undefined);
      }),
    ),
  },
  /** Members that the input schema does not know are kept, and shown. */
  {
    meets: 'unknown members kept',
    silences: ['unknown-member-status'],
    by: together(
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
    ),
  },
  /** Null in a merge is stored and shown, as a value that says that there is none. */
  {
    meets: 'null stored by a merge',
    silences: ['merge-null'],
    by: replaces('editing', 'mergePatch', (_right, areas, target, edits) => ({
      ...(isObject(target) ? target : {}),
      ...Object.fromEntries(
        Object.entries(edits).map(([name, edit]) => [
          name,
          isObject(edit) ? areas.editing.mergePatch(isObject(target) ? target[name] : undefined, edit) : edit,
        ]),
      ),
    })),
  },
  /** A merge edits the entries whose ids it names, and appends the others. */
  {
    meets: 'entries merged by their ids',
    silences: ['merge-arrays'],
    by: replaces('editing', 'replaceArrays', async (right, areas, call, writing, object, softType, arrays) => {
      if (call.method !== 'PATCH') return right(areas, call, writing, object, softType, arrays);
      await areas.contents.assertReferences(call, writing, softType, arrays);
      for (const [port, items] of arrays)
        for (const item of items) {
          const [content = {}] = areas.contents.withEntryIds([item]);
          const known = item.entryId === undefined ? undefined : await writing.entry(object.oid, port, item.entryId);
          if (known === undefined) await writing.appendEntries(object.oid, port, [content]);
          else await writing.updateEntry(object.oid, port, known.entryId, { ...known.content, ...content });
        }
    }),
  },
  {
    meets: 'objects that need not be complete',
    silences: ['put-mandatory-missing', 'invalid-content-status'],
    by: replaces('contents', 'assertComplete', () => undefined),
  },
  /** Numbers and truth values are taken for texts, and texts that spell a number for numbers. */
  {
    meets: 'values taken for those of another type',
    silences: ['invalid-content-status'],
    by: together(
      replaces('contents', 'inputFrom', (right, areas, rules, softType, view, body) => {
        if (!isObject(body)) return right(areas, rules, softType, view, body);
        const pairs = Object.entries(body).map(([name, value]) => {
          const member = softType.members.get(view.names.get(name) ?? '');
          return [name, coerced(member, value)] as const;
        });
        return right(areas, rules, softType, view, Object.fromEntries(pairs));
      }),
      replaces('operations', 'addValue', async (right, areas, run, target, value, at) =>
        right(areas, run, target, coerced(target.kind === 'array' ? undefined : target.member, value), at),
      ),
      replaces('operations', 'replaceValue', async (right, areas, run, target, value, at) =>
        right(areas, run, target, coerced(target.kind === 'array' ? undefined : target.member, value), at),
      ),
    ),
  },
  /** Where a reference leads is not looked at, but that a batch makes none from one of its operations to another. */
  {
    meets: 'references that lead nowhere',
    silences: [],
    by: replaces('contents', 'assertReference', async (right, areas, call, reading, to, reference, at) => {
      const oid = isObject(reference['value']) ? reference['value']['$oid'] : undefined;
      if (typeof oid !== 'string' || call.isSibling?.(oid)) return right(areas, call, reading, to, reference, at);
    }),
  },
  /** Clients may choose ids: by $oid in a create, or by a PUT to where nothing is. What another object has or had is not theirs. */
  {
    meets: 'ids that clients choose',
    silences: ['client-supplied-oid', 'put-unknown-object'],
    by: (classes) => {
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
    },
  },
  /** Each operation of a list is measured by what the object was before the list. */
  {
    meets: 'operations side by side',
    silences: ['operations-in-sequence'],
    by: (classes) => {
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
    },
  },
  {
    meets: 'null that adds nothing',
    silences: ['operation-null-value'],
    by: replaces('operations', 'addValue', async (right, areas, run, target, value, at) => {
      if (value === null && target.kind === 'member' && target.value === undefined) return;
      return right(areas, run, target, value, at);
    }),
  },
  {
    meets: 'objects made by what is added to them',
    silences: ['add-into-missing-parent'],
    by: replaces('operations', 'targetOf', async (right, areas, run, operation) => {
      const [first = '', ...rest] = operation.tokens;
      const name = run.view.names.get(first) ?? '';
      if (operation.op === 'add' && rest.length > 0 && run.softType.members.get(name)?.kind === 'object')
        run.root = { ...run.root, [name]: run.root[name] ?? {} };
      return right(areas, run, operation);
    }),
  },
  /** The object is no entry and loses what an operation removes, be it mandatory or not. */
  {
    meets: 'mandatory members removed',
    silences: ['remove-mandatory-root-member'],
    by: replaces('operations', 'removeTarget', async (right, areas, run, target) => {
      const isAtRoot = target.kind === 'member' && target.row.entry === undefined && target.steps.length === 1;
      if (!isAtRoot || !target.member.mandatory || target.value === undefined) return right(areas, run, target);
      const { [target.steps[0]?.name ?? '']: _gone, ...rest } = run.root;
      run.root = rest;
    }),
  },
  {
    meets: 'pointers with percent signs',
    silences: ['pointer-oddities'],
    by: replaces('operations', 'pointerTokens', (right, areas, path) => {
      const tokens = right(areas, path);
      return tokens?.map((token) => (/^(?:[^%]|%[2-7][0-9A-Fa-f])*$/.test(token) ? decodeURIComponent(token) : token));
    }),
  },
  {
    meets: 'DELETE at any version',
    silences: ['delete-version-header'],
    by: replaces('versioning', 'assertVersionWhenGiven', () => undefined),
  },
  /** 200 without a body for a PUT and a DELETE, with one for operations and a demote; a create tells id and version. */
  {
    meets: '200 without a body, or with another one',
    silences: [
      'put-success-status',
      'delete-success-status',
      'operations-patch-success-status',
      'demote-success-status',
      'create-response-body',
    ],
    by: together(
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
    ),
  },
  {
    meets: '204 for what was deleted before',
    silences: ['delete-success-status'],
    by: (classes) => {
      const gone = new Set<string>();
      return together(
        replaces('editing', 'deleteObject', async (right, areas, call, writing) => {
          gone.add(`${call.space.id} ${call.object.oid}`);
          return right(areas, call, writing);
        }),
        replaces('dispatcher', 'carryOutWrite', async (right, areas, route, call, writing) => {
          const { objectId = '' } = call.params;
          const isAgain =
            route.method === 'DELETE' &&
            route.path === routes.instanceShort &&
            gone.has(`${call.space.id} ${objectId}`);
          if (isAgain && (await writing.object(call.space.id, objectId)) === undefined) return { status: 204 };
          return right(areas, route, call, writing);
        }),
      )(classes);
    },
  },
  {
    meets: 'a demote to the first state',
    silences: ['demote-effect'],
    by: replaces('maturity', 'demoteObject', (right, areas, call, writing) => {
      const { states, current } = call.place;
      const [first = ''] = states;
      const ends = current === first ? [first] : [first, current];
      return right(areas, { ...call, place: { ...call.place, states: ends } }, writing);
    }),
  },
  /** Where a level ends there is nothing to ask for, and a level that is unknown cannot be processed. */
  {
    meets: '400 where a level ends and 422 for an unknown one',
    silences: ['promote-in-last-state', 'promote-unknown-process-or-level'],
    by: together(
      replaces('maturity', 'promoteObject', (right, ...args) => right(...args).catch(restateRefusal({ 422: 400 }))),
      replaces('maturity', 'demoteObject', (right, ...args) => right(...args).catch(restateRefusal({ 422: 400 }))),
      replaces('maturity', 'levelOf', (right, ...args) => restateRefusalOf({ 404: 422 }, () => right(...args))),
    ),
  },
  /** A lock is taken once and freed once; whoever else meets it is forbidden to write. */
  {
    meets: 'locks that are taken once, and forbid',
    silences: ['lock-object-routes'],
    by: together(
      replaces('locks', 'lockObject', async (right, areas, call, writing) => {
        if (call.object.content['$lockedBy'] !== undefined) throw new Refusal(409, 'You hold the lock already.');
        return right(areas, call, writing);
      }),
      replaces('locks', 'unlockObject', async (right, areas, call, writing) => {
        if (call.object.content['$lockedBy'] === undefined) throw new Refusal(404, 'There is no lock.');
        return right(areas, call, writing);
      }),
      replaces('locks', 'assertUnlocked', (right, ...args) => restateRefusalOf({ 423: 403 }, () => right(...args))),
    ),
  },
  /** To take a lock makes a version, and the next edit gives it back. */
  {
    meets: 'locks for one edit',
    silences: ['lock-object-routes'],
    by: together(
      replaces('locks', 'lockObject', async (right, areas, call, writing) => {
        const answer = await right(areas, call, writing);
        const { spaceId, oid } = call.object;
        const locked = await writing.object(spaceId, oid);
        if (locked === undefined) return answer;
        const version = areas.versioning.nextVersion(locked.version);
        await writing.updateObject(spaceId, oid, version, locked.content);
        return { ...answer, headers: { ...answer.headers, [headerNames.version]: String(version) } };
      }),
      replaces('versioning', 'storeEdit', async (right, areas, writing, object, version, content) => {
        const { $lockedBy: holder, ...free } = content;
        const isEdit = version > object.version && holder !== undefined;
        return right(areas, writing, object, version, isEdit ? free : content);
      }),
    ),
  },
  {
    meets: 'items with all their members',
    silences: ['multi-create-missing-id'],
    by: replaces('multiCreate', 'withinLimit', (right, areas, items) => {
      for (const item of items)
        if (isObject(item) && !('$id' in item && 'data' in item))
          throw new Refusal(400, 'An item has $id, $softType and data.');
      return right(areas, items);
    }),
  },
  {
    meets: 'references out of a multi-create',
    silences: ['multi-create-reference-to-existing-object', 'multi-create-unknown-reference'],
    by: replaces('multiCreate', 'multiCreate', async (right, areas, call, writing) => {
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
    }),
  },
  /** Too many items, or none, are a bad request; what else is wrong with them is in conflict. */
  {
    meets: '400 for too many items and 409 for those that do not fit',
    silences: [
      'multi-create-too-many-status',
      'multi-create-empty-list',
      'multi-create-unknown-reference',
      'multi-create-duplicate-id',
      'multi-create-softtypeid-mismatch',
    ],
    by: together(
      replaces('multiCreate', 'withinLimit', (right, ...args) => restateRefusalOf({ 422: 400 }, () => right(...args))),
      replaces('multiCreate', 'multiCreate', (right, ...args) => right(...args).catch(restateRefusal({ 422: 409 }))),
    ),
  },
  /** A reference that no item answers to is left out; of items that share an $id the last one is meant. */
  {
    meets: 'loose references and names of items',
    silences: ['multi-create-unknown-reference', 'multi-create-duplicate-id'],
    by: replaces('multiCreate', 'multiCreate', async (right, areas, call, writing) => {
      const items: readonly unknown[] = Array.isArray(call.json) ? call.json : [];
      const ids = items.map((item) => (isObject(item) ? item['$id'] : undefined));
      const own = new Set(ids);
      const json = items.map((item, index) => {
        const loose = withoutDangling(item, own);
        if (!isObject(loose) || ids[index] === undefined || !ids.includes(ids[index], index + 1)) return loose;
        const { $id: _taken, ...unnamed } = loose;
        return unnamed;
      });
      return right(areas, Array.isArray(call.json) ? { ...call, json } : call, writing);
    }),
  },
  /** An instance is where its definition and its output schema are named. */
  {
    meets: 'long URIs of instances',
    silences: [],
    by: together(
      replaces('objects', 'instanceHref', (_right, _areas, object, softType, view) => longHref(object, softType, view)),
      replaces('editing', 'createObject', async (right, areas, call, writing) => {
        const answer = await right(areas, call, writing);
        const { Location: short = '', ...headers } = answer.headers ?? {};
        const oid = decodeURIComponent(short.split('/').at(-1) ?? '');
        const { softType } = call.place;
        const view = areas.objects.outputViewOf(softType, undefined);
        return {
          ...answer,
          headers: { ...headers, Location: longHref({ spaceId: call.space.id, oid }, softType, view) },
        };
      }),
    ),
  },
];

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

function withoutDangling(value: unknown, own: ReadonlySet<unknown>): unknown {
  if (Array.isArray(value))
    return value.filter((item) => !isDangling(item, own)).map((item) => withoutDangling(item, own));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutDangling(inner, own)]));
}

function isDangling(entry: unknown, own: ReadonlySet<unknown>): boolean {
  const value = isObject(entry) ? entry['value'] : undefined;
  return isObject(value) && value['instanceRef'] !== undefined && !own.has(value['instanceRef']);
}

function coerced(member: Member | undefined, value: unknown): unknown {
  switch (member?.kind) {
    case 'string':
      return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    case 'integer':
    case 'number':
      return typeof value === 'string' && /^-?\d{1,9}$/.test(value) ? Number(value) : value;
    case 'list':
      return Array.isArray(value) ? value.map((item) => coerced({ kind: member.of, mandatory: false }, item)) : value;
    case 'object':
      return isObject(value) ? coercedIn(member.members, value) : value;
    case 'entries':
      return Array.isArray(value)
        ? value.map((item: unknown) => (isObject(item) ? coercedIn(member.members, item) : item))
        : value;
    default:
      return value;
  }
}

function coercedIn(members: ReadonlyMap<string, Member>, value: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, coerced(members.get(name), inner)]));
}
