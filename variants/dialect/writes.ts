import { headerNames, mediaTypes } from '../../contract/names.ts';
import { routes } from '../../contract/routes.ts';
import { type Areas, operationRouteOf } from '../../reference-server/areas.ts';
import type { Operation, OperationsRun } from '../../reference-server/areas/operations.ts';
import { isArrayMember, storedStates } from '../../reference-server/areas/soft-type.ts';
import type { Member, Members } from '../../reference-server/configuration.ts';
import type { Answer } from '../../reference-server/http/call.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import { together, replaces } from '../breaks.ts';
import { type Json, isObject, mediaTypeOf, restateRefusal, restateRefusalOf, type Choice } from './choice.ts';

const systemMembers = ['$oid', '$version', '$softType'];

export const writeChoices: readonly Choice[] = [
  /** Members that the input schema does not know are passed over, at any depth. */
  {
    meets: 'unknown members passed over',
    silences: ['unknown-member-status'],
    by: replaces('contents', 'inputFrom', (right, areas, rules, softType, view, body) => {
      if (!isObject(body)) return right(areas, rules, softType, view, body);
      const members = [...view.names].flatMap(([name, canonical]) => {
        const member = softType.members.get(canonical);
        return member === undefined ? [] : ([[name, member]] as const);
      });
      return right(areas, rules, softType, view, known(new Map(members), body));
    }),
  },
  {
    meets: 'system members refused',
    silences: ['client-supplied-oid', 'system-members-on-write'],
    by: replaces('contents', 'inputFrom', (right, areas, rules, softType, view, body) => {
      const stated = isObject(body) ? systemMembers.find((name) => name in body) : undefined;
      if (stated !== undefined) throw new Refusal(400, `${stated} belongs to the system; leave it out.`);
      return right(areas, rules, softType, view, body);
    }),
  },
  {
    meets: 'null refused in a merge',
    silences: ['merge-null'],
    by: replaces('contents', 'editsFrom', (right, areas, call, softType, view, body) => {
      if (holdsNull(body)) throw new Refusal(400, 'Null is no value; use an operation to remove one.');
      return right(areas, call, softType, view, body);
    }),
  },
  /** An object in a merge takes the place of the old one. */
  {
    meets: 'objects replaced by a merge',
    silences: ['merge-nested-objects'],
    by: replaces('editing', 'mergePatch', (_right, _areas, target, edits) => ({
      ...(isObject(target) ? target : {}),
      ...edits,
    })),
  },
  {
    meets: 'entries appended by a merge',
    silences: ['merge-arrays'],
    by: replaces('editing', 'replaceArrays', async (right, areas, call, writing, object, softType, arrays) => {
      if (call.method !== 'PATCH') return right(areas, call, writing, object, softType, arrays);
      await areas.contents.assertReferences(call, writing, softType, arrays);
      for (const [port, items] of arrays)
        await writing.appendEntries(object.oid, port, areas.contents.withEntryIds(items));
    }),
  },
  /** A replacement gives every entry a new id, whatever id it came with. */
  {
    meets: 'new entry ids after a PUT',
    silences: ['put-entry-ids'],
    by: replaces('editing', 'replaceArray', (right, areas, writing, oid, port, items) =>
      right(
        areas,
        writing,
        oid,
        port,
        items.map(({ content }) => ({ content })),
      ),
    ),
  },
  {
    meets: 'nothing removed without complaint',
    silences: ['remove-missing-target'],
    by: together(
      replaces('operations', 'removeTarget', async (right, areas, run, target) => {
        if (target.kind === 'array' || target.value !== undefined) return right(areas, run, target);
      }),
      replaces('operations', 'applyOperation', async (right, areas, run, operation, at) => {
        if (operation.op === 'remove' && (await isOfNoEntry(areas, run, operation))) return;
        return right(areas, run, operation, at);
      }),
    ),
  },
  /** An entry is removed by the path with the slash at its end only, and an array not at all. */
  {
    meets: 'entries removed with the slash only, arrays never',
    silences: ['remove-entry-without-trailing-slash', 'remove-whole-array'],
    by: replaces('operations', 'targetOf', async (right, areas, run, operation) => {
      const target = await right(areas, run, operation);
      if (operation.op !== 'remove') return target;
      if (target.kind === 'array') throw new Refusal(422, 'An array is no entry: remove its entries.');
      if (target.kind === 'entry' && operation.tokens.at(-1) !== '')
        throw new Refusal(422, 'The path of an entry that is removed ends with a slash.');
      return target;
    }),
  },
  /** The slash behind an array appends as the end marker does. */
  {
    meets: 'a slash that appends',
    silences: ['add-trailing-slash-on-array'],
    by: replaces('operations', 'targetOf', (right, areas, run, operation) => {
      const [first = '', ...rest] = operation.tokens;
      const appends = operation.op === 'add' && rest.length === 1 && rest[0] === '';
      return right(areas, run, appends ? { ...operation, tokens: [first, '-'] } : operation);
    }),
  },
  /** An array that is added to an array is added item by item. */
  {
    meets: 'an array added item by item',
    silences: ['add-array-onto-array'],
    by: replaces('operations', 'addValue', async (right, areas, run, target, value, at) => {
      if (target.kind !== 'array' || !Array.isArray(value)) return right(areas, run, target, value, at);
      for (const item of value) await right(areas, run, target, item, at);
    }),
  },
  {
    meets: 'pointers without their first slash',
    silences: ['pointer-oddities'],
    by: replaces('operations', 'pointerTokens', (right, areas, path) =>
      right(areas, path === '' || path.startsWith('/') ? path : `/${path}`),
    ),
  },
  /** A list without operations is refused, and so is an operation that says more than it has to. */
  {
    meets: 'empty lists and further members of operations refused',
    silences: ['operations-empty-list', 'operation-extra-members'],
    by: together(
      replaces('operations', 'operationsOf', (right, areas, body) => {
        const operations = right(areas, body);
        if (operations.length === 0) throw new Refusal(400, 'A list of operations holds at least one.');
        return operations;
      }),
      replaces('operations', 'operationOf', (right, areas, item, at) => {
        const stranger = isObject(item)
          ? Object.keys(item).find((name) => !['op', 'path', 'value'].includes(name))
          : undefined;
        if (stranger !== undefined) throw new Refusal(400, `An operation has no '${stranger}'.`, { pointer: at });
        return right(areas, item, at);
      }),
    ),
  },
  /** Wherever JSON is taken it may come as a merge patch, as plain text or without a type; other types are refused with 400. */
  {
    meets: 'JSON of looser media types',
    silences: ['unsupported-content-type-status'],
    by: replaces('messages', 'requireMediaType', (right, areas, call, accepted) => {
      const given = mediaTypeOf(call);
      const passes = given === undefined || given === 'text/plain' || given === 'application/merge-patch+json';
      if (passes && accepted.includes(mediaTypes.json)) return mediaTypes.json;
      return restateRefusalOf({ 415: 400 }, () => right(areas, call, accepted));
    }),
  },
  {
    meets: 'a PATCH that is what its media type says',
    silences: ['content-type-and-route-disagree'],
    by: replaces('dispatcher', 'carryOutWrite', (right, areas, route, call, writing) => {
      const type = route.method === 'PATCH' ? mediaTypeOf(call) : undefined;
      if (route.path === routes.merge && type === mediaTypes.operations)
        return right(areas, operationRouteOf(areas, 'PATCH', routes.operations), call, writing);
      if (route.path !== routes.operations || type !== mediaTypes.json) return right(areas, route, call, writing);
      const softType = areas.objects.softTypeOf(call.space, call.params['definitionId'] ?? '');
      const { id: inputSchemaId } = areas.operations.pathViewOf(softType);
      const asMerge = { ...call, params: { ...call.params, inputSchemaId } };
      return right(areas, operationRouteOf(areas, 'PATCH', routes.merge), asMerge, writing);
    }),
  },
  /** An integer may be spelled in any way; what is none does not equal the version of the server, hence 409. */
  {
    meets: 'integers in any spelling as version',
    silences: ['version-header-spellings', 'invalid-version-header-status'],
    by: replaces('versioning', 'versionHeaderOf', (right, areas, call) => {
      const text = call.headers[headerNames.version.toLowerCase()];
      if (text === undefined) return right(areas, call);
      const version = Number(text.replace(/^"(.*)"$/, '$1'));
      if (Number.isInteger(version)) return version;
      throw new Refusal(409, `The object is not at version ${text}.`);
    }),
  },
  /** A write that changes nothing makes no version, as far as that shows without a second look. */
  {
    meets: 'no version for an edit of nothing',
    silences: ['no-op-version'],
    by: together(
      replaces('versioning', 'versionAfterMerge', (right, areas, object, body) =>
        holds(object.content, body) ? object.version : right(areas, object, body),
      ),
      replaces('versioning', 'versionAfterOperations', (right, areas, object, operations) =>
        operations.length === 0 ? object.version : right(areas, object, operations),
      ),
    ),
  },
  {
    meets: 'DELETE with a version only',
    silences: ['delete-version-header'],
    by: replaces('versioning', 'assertVersionWhenGiven', (_right, areas, call, object) => {
      areas.versioning.assertVersion(call, object);
    }),
  },
  /** 200, the objects inside another object, and Location for the first of them. */
  {
    meets: '200 for a multi-create, and its objects in an object',
    silences: ['multi-create-success-status', 'multi-create-response-body', 'multi-create-location-header'],
    by: replaces('multiCreate', 'multiCreateAnswer', (right, areas, call, items) => {
      const answer = right(areas, call, items);
      const [first] = items;
      const location = first && { Location: areas.objects.locationOf(call.space.id, first.oid) };
      return {
        ...answer,
        status: 200,
        headers: { ...answer.headers, ...location },
        body: { created: answer.body, count: items.length },
      };
    }),
  },
  /** Too many items are too large, and whatever else is wrong with them is a bad request. */
  {
    meets: 'other statuses of items that do not fit',
    silences: [
      'multi-create-too-many-status',
      'multi-create-unknown-reference',
      'multi-create-duplicate-id',
      'multi-create-softtypeid-mismatch',
    ],
    by: together(
      replaces('multiCreate', 'withinLimit', (right, areas, items) =>
        restateRefusalOf({ 422: items.length === 0 ? 400 : 413 }, () => right(areas, items)),
      ),
      replaces('multiCreate', 'multiCreate', (right, ...args) => right(...args).catch(restateRefusal({ 422: 400 }))),
    ),
  },
  {
    meets: 'a multi-create of nothing',
    silences: ['multi-create-empty-list'],
    by: replaces('multiCreate', 'withinLimit', (right, areas, items) =>
      items.length === 0 ? items : right(areas, items),
    ),
  },
  /** 200 with the state of things; promote, for which the document has a status, keeps it. */
  {
    meets: '200 with a body for demote',
    silences: ['demote-success-status'],
    by: replaces('maturity', 'demoteObject', async (right, areas, call, writing) => ({
      ...(await right(areas, call, writing)),
      status: 200,
      body: { outcome: 'demoted', links: null },
    })),
  },
  /** Where a level ends, the state is in conflict with the move. */
  {
    meets: '409 where a level ends',
    silences: ['promote-in-last-state'],
    by: together(
      replaces('maturity', 'promoteObject', (right, ...args) => right(...args).catch(restateRefusal({ 422: 409 }))),
      replaces('maturity', 'demoteObject', (right, ...args) => right(...args).catch(restateRefusal({ 422: 409 }))),
    ),
  },
  {
    meets: '400 for an unknown level',
    silences: ['promote-unknown-process-or-level'],
    by: replaces('maturity', 'levelOf', (right, ...args) => restateRefusalOf({ 404: 400 }, () => right(...args))),
  },
  {
    meets: 'no promote with a body',
    silences: ['promote-with-body'],
    by: replaces('maturity', 'promoteObject', async (right, areas, call, writing) => {
      if (call.body !== undefined && call.body.length > 0) throw new Refusal(400, 'A promote takes no body.');
      return right(areas, call, writing);
    }),
  },
  /** What has come to the end of a level is not edited any more; to lock it, or to move it, is no edit. */
  {
    meets: 'last states that take no edits',
    silences: ['state-and-edits'],
    by: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const version = right(areas, call, object);
      if (!call.url.includes('/softtype/')) return version;
      const softTypes = areas.configuration.spaces.get(object.spaceId)?.template.softTypes;
      const maturity = softTypes?.get(object.softType)?.maturity;
      const atEnd = ([level, { state }]: readonly [string, { readonly state: string }]) =>
        maturity?.levels.get(level)?.at(-1) === state;
      if (Object.entries(storedStates(object)).some(atEnd))
        throw new Refusal(423, 'The state of the object takes no edits.');
      return version;
    }),
  },
  /** A lock that is taken is a thing that was made, and one that is freed comes back with a body. */
  {
    meets: 'locks that tell of themselves',
    silences: ['lock-object-routes'],
    by: together(
      replaces('locks', 'lockObject', async (right, areas, call, writing) => {
        const answer = await right(areas, call, writing);
        const headers = { ...answer.headers, Location: call.url };
        return { ...answer, status: 201, headers, body: { lock: call.params.objectId, until: null } };
      }),
      replaces('locks', 'unlockObject', async (right, areas, call, writing) => ({
        ...(await right(areas, call, writing)),
        status: 200,
        body: { lock: null },
      })),
    ),
  },
  {
    meets: '409 for the lock of somebody else',
    silences: ['lock-object-routes'],
    by: replaces('locks', 'assertUnlocked', (right, ...args) => restateRefusalOf({ 423: 409 }, () => right(...args))),
  },
  /** Where the document names no status of success, it is 200 and comes with a body. A merge, for which it does, stays 204. */
  {
    meets: '200 with a body where the document names no status',
    silences: ['put-success-status', 'operations-patch-success-status', 'delete-success-status'],
    by: together(
      replaces('editing', 'putObject', async (right, areas, call, writing) =>
        ok(await right(areas, call, writing), 'replaced'),
      ),
      replaces('operations', 'operateObject', async (right, areas, call, writing) =>
        ok(await right(areas, call, writing), 'edited'),
      ),
      replaces('editing', 'deleteObject', async (right, areas, call, writing) =>
        ok(await right(areas, call, writing), 'deleted'),
      ),
      replaces('collection', 'putProfile', async (right, areas, call, writing) =>
        ok(await right(areas, call, writing), 'replaced'),
      ),
    ),
  },
  {
    meets: 'creates that bring the instance along',
    silences: ['create-response-body'],
    by: replaces('editing', 'createObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const oid = decodeURIComponent(answer.headers?.['Location']?.split('/').at(-1) ?? '');
      const object = await writing.object(call.space.id, oid);
      if (object === undefined) return answer;
      const softType = areas.objects.softTypeOf(call.space, object.softType);
      const view = areas.objects.outputViewOf(softType, undefined);
      return { ...answer, body: await areas.instances.assembleInstance(call, writing, object, view) };
    }),
  },
];

function known(members: Members, body: Json): Json {
  const pairs = Object.entries(body).flatMap(([name, value]) => {
    const member = members.get(name);
    if (member === undefined) return name.startsWith('$') ? [[name, value]] : [];
    return [[name, knownIn(member, value)]];
  });
  return Object.fromEntries(pairs);
}

function knownIn(member: Member, value: unknown): unknown {
  if (member.kind === 'object' && isObject(value)) return known(member.members, value);
  if (member.kind === 'entries' && Array.isArray(value))
    return value.map((item: unknown) => (isObject(item) ? known(member.members, item) : item));
  return value;
}

function holdsNull(value: unknown): boolean {
  if (value === null) return true;
  return typeof value === 'object' && Object.values(value).some(holdsNull);
}

async function isOfNoEntry(areas: Areas, run: OperationsRun, { tokens }: Operation): Promise<boolean> {
  const [first = '', second = '', ...rest] = tokens;
  const port = run.view.names.get(first) ?? '';
  if (!isArrayMember(run.softType.members.get(port)) || rest.length !== 1 || rest[0] !== '' || second === '')
    return false;
  return areas.operations.targetOf(run, { op: 'remove', path: '', tokens: [first, second, ''] }).then(
    () => false,
    (error: unknown) => error instanceof Refusal,
  );
}

function holds(content: Readonly<Record<string, unknown>>, body: unknown): boolean {
  return (
    isObject(body) &&
    Object.entries(body).every(([name, value]) => typeof value !== 'object' && content[name] === value)
  );
}

function ok(answer: Answer, outcome: string): Answer {
  return answer.status === 204 ? { ...answer, status: 200, body: { outcome, links: null } } : answer;
}
