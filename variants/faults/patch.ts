import { entriesPerPage } from '../../contract/limits.ts';
import { mediaTypes } from '../../contract/names.ts';
import { routes } from '../../contract/routes.ts';
import { type Areas, operationRouteOf } from '../../reference-server/areas.ts';
import {
  arrayItem,
  entryIdFrom,
  hasValue,
  isContent,
  readEntry,
  readValue,
} from '../../reference-server/areas/content.ts';
import { type Operation, type OperationsRun, type Target, nameOf } from '../../reference-server/areas/operations.ts';
import { isArrayMember } from '../../reference-server/areas/soft-type.ts';
import type { SoftType } from '../../reference-server/configuration.ts';
import type { Call, SpaceCall } from '../../reference-server/http/call.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import type { Route } from '../../reference-server/http/route.ts';
import { isoTime } from '../../reference-server/rfc3339.ts';
import type { Content, StoredEntry, Writing } from '../../reference-server/ports/store.ts';
import { Step, type Variant, type Variants, type Wrong, breaks, together, replaces } from '../breaks.ts';

function isMergeRoute({ method, path }: Route): boolean {
  return method === 'PATCH' && path === routes.merge;
}

const bodyFaults = {
  'patch.content-type.selects-operations': replaces(
    'dispatcher',
    'carryOutWrite',
    (right, areas, route, call, writing) => {
      if (route.path !== routes.operations) return right(areas, route, call, writing);
      const asMerge = { ...call, headers: { ...call.headers, 'content-type': mediaTypes.json } };
      const { inputs } = areas.objects.softTypeOf(call.space, call.params.definitionId ?? '');
      const inputSchemaId = inputs.keys().next().value ?? '';
      const merge = operationRouteOf(areas, 'PATCH', routes.merge);
      return right(areas, merge, { ...asMerge, params: { ...call.params, inputSchemaId } }, writing);
    },
  ),

  'patch.content-type.plain-json-is-not-operations': together(
    replaces('messages', 'requireMediaType', (right, areas, call, accepted) =>
      right(areas, call, isArray(call) ? [...accepted, mediaTypes.json] : accepted),
    ),
    replaces('dispatcher', 'carryOutWrite', (right, areas, route, call, writing) => {
      const isOperations = isMergeRoute(route) && isArray(call);
      const carriedOut = isOperations ? operationRouteOf(areas, 'PATCH', routes.operations) : route;
      return right(areas, carriedOut, call, writing);
    }),
  ),

  'patch.body.array-required': replaces('operations', 'operationsOf', (right, areas, body) =>
    right(areas, isContent(body) ? [body] : body),
  ),

  'patch.body.member-order-free': readingOperationsAs((operation) => {
    if (Object.keys(operation)[0] !== 'op') throw refusedWrongly();
    return operation;
  }),

  'patch.body.unknown-op-refused': replaces('operations', 'operationsOf', (right, areas, body) =>
    right(areas, Array.isArray(body) ? body.filter((item) => !hasUnknownOp(item)) : body),
  ),

  'patch.body.required-members': readingOperationsAs((operation) => ({ op: 'replace', ...operation })),

  'patch.body.value-required': readingOperationsAs((operation) =>
    operation.op === 'replace' && !('value' in operation) ? { ...operation, op: 'remove' } : operation,
  ),

  'patch.remove.with-value-refused': readingOperationsAs((operation) => removalWithoutValue(operation, () => true)),

  'patch.remove.with-null-value-refused': readingOperationsAs((operation) =>
    removalWithoutValue(operation, (value) => !value),
  ),
} satisfies Variants;

const contentFaults = {
  'patch.merge.status-204': replaces('editing', 'mergeObject', async (right, areas, call, writing) => {
    const { headers } = await right(areas, call, writing);
    const read = await areas.dispatcher.carryOutWrite(
      operationRouteOf(areas, 'GET', routes.instanceShort),
      call,
      writing,
    );
    return { ...read, headers: { ...read.headers, ...headers } };
  }),

  'patch.merge.edits-named-member': replaces('editing', 'mergePatch', (right, areas, target, edits) =>
    right(areas, target, onlyIn(target, edits)),
  ),

  'patch.merge.keeps-other-members': replaces(
    'editing',
    'replaceArrays',
    async (right, areas, call, writing, object, softType, arrays) => {
      await right(areas, call, writing, object, softType, arrays);
      const unnamed = portsOf(softType).filter((port) => !arrays.has(port));
      for (const port of unnamed) await cutToFirstPage(writing, object.oid, port);
    },
  ),

  'patch.put.stores-given-members': replaces('editing', 'replaceContent', (right, areas, old, given) =>
    right(areas, old, onlyIn(old, given)),
  ),

  'patch.put.drops-absent-members': replaces('editing', 'replaceContent', (right, areas, old, given) => ({
    ...old,
    ...right(areas, old, given),
  })),

  'patch.put.drops-absent-arrays': replaces('editing', 'arraysAfterPut', (_right, _areas, _softType, given) => given),

  'patch.delete.object-gone': replaces(
    'editing',
    'eraseObject',
    async (_right, _areas, writing, { spaceId, oid, version, content }) => {
      await writing.updateObject(spaceId, oid, version, { ...content, $deleted: true });
    },
  ),

  'patch.target.unknown-object-404': replaces(
    'dispatcher',
    'carryOutWrite',
    async (right, areas, route, call, writing) => {
      const known = isMergeRoute(route) && (await writing.object(call.space.id, call.params.objectId ?? ''));
      if (known === undefined) await insertBlank(areas, call, writing);
      return right(areas, route, call, writing);
    },
  ),
} satisfies Variants;

const addressingFaults = {
  'patch.path.empty-refused': replaces('operations', 'applyOperation', async (right, areas, run, operation, at) => {
    if (operation.op !== 'replace' || operation.path !== '') return right(areas, run, operation, at);

    const whole = areas.contents.contentFrom(run.call, run.softType, run.view, operation.value);
    const arrays = areas.editing.arraysAfterPut(run.softType, whole.arrays);
    await areas.editing.replaceArrays(run.call, run.writing, run.object, run.softType, arrays);
    run.root = areas.editing.replaceContent(run.root, whole.content);
  }),

  'patch.path.member-addressed': replaces(
    'operations',
    'replaceValue',
    async (right, areas, run, target, value, at) => {
      await right(areas, run, target, value, at);
      const [step, ...below] = target.steps;
      if (target.row.entry === undefined && step !== undefined && below.length === 0) run.root = upTo(run, step.name);
    },
  ),

  'patch.path.entry-member-addressed': whileLocating('replace', (right) => async (areas, run, port, token) => {
    const entry = await right(areas, run, port, token);
    const first = (await entriesIn(run, port)).slice(0, entriesPerPage);
    return first.find(({ entryId }) => entryId === entry?.entryId);
  }),

  'patch.path.input-schema-names': replaces(
    'operations',
    'pathViewOf',
    (right, areas, softType) => softType.outputs.values().next().value ?? right(areas, softType),
  ),

  'patch.path.data-prefix-refused': replaces('operations', 'pointerTokens', (right, areas, path) =>
    right(areas, path.replace(/^\/data(?=\/)/, '')),
  ),

  'patch.path.pointer-escapes': replaces('operations', 'pointerTokens', (right, areas, path) => {
    const tokens = right(areas, path);
    return tokens === undefined || tokens.length === 0 ? tokens : path.slice(1).split('/').map(decodedInWrongOrder);
  }),

  'patch.index.position-refused': replaces(
    'operations',
    'entryAt',
    async (right, areas, run, port, token) =>
      (await right(areas, run, port, token)) ?? entryAtPosition(run, port, token),
  ),

  'patch.index.entry-id-wins': whileLocating('replace', (right) => async (areas, run, port, token) => {
    const entry = await right(areas, run, port, token);
    return entry && ((await entryAtPosition(run, port, token)) ?? entry);
  }),

  'patch.index.insert-refused': replaces('operations', 'addValue', async (right, areas, run, target, value, at) => {
    const { entry } = target.row;
    if (target.kind !== 'entry' || entry === undefined) return right(areas, run, target, value, at);
    const inserted = areas.contents.withEntryIds([arrayItem(readEntry(run.rules, target.member, value, at))]);
    const entries = await entriesIn(run, entry.port);
    const place = entries.findIndex(({ entryId }) => entryId === entry.entryId);
    const items = [...entries.slice(0, place), ...inserted.map((content) => ({ content })), ...entries.slice(place)];
    await run.writing.replaceEntries(run.object.oid, entry.port, items);
  }),
} satisfies Variants;

const addFaults = {
  'patch.add.appends-without-marker': refuseToAdd((target) => target.kind === 'array' && !target.marker),

  'patch.add.appends-with-marker': together(
    replaces('operations', 'appendToPort', (right, areas, run, target, contents) =>
      right(areas, run, target, 'marker' in target && target.marker ? contents.map(marked) : contents),
    ),
    replaces('entries', 'entryOut', (right, areas, space, member, entry) => ({
      ...right(areas, space, member, entry),
      ...(isMarked(entry.content) && { $entryId: '-' }),
    })),
  ),

  'patch.add.lands-last': replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
    await right(areas, run, target, contents);
    const before = (await entriesIn(run, nameOf(target))).slice(0, -contents.length);
    await moveAppended(run, nameOf(target), contents.length, Math.min(entriesPerPage, before.length));
  }),

  'patch.add.new-entry-gets-id': together(
    replaces('operations', 'appendToPort', (right, areas, run, target, contents) =>
      right(areas, run, target, contents.map(marked)),
    ),
    replaces('entries', 'entryOut', (right, areas, space, member, entry) => ({
      ...right(areas, space, member, entry),
      ...(isMarked(entry.content) && { $entryId: writtenAsNull }),
    })),
  ),

  'patch.add.missing-member-added': refuseToAdd((target) => target.kind === 'member' && target.row.entry !== undefined),

  'patch.add.existing-member-refused': replaces('operations', 'addValue', (right, areas, run, target, value, at) =>
    right(areas, run, target.kind === 'member' ? { ...target, value: undefined } : target, value, at),
  ),

  'patch.add.object-value': refuseToAdd((target, value) => target.kind === 'member' && isContent(value)),

  'patch.add.array-value': replaces('operations', 'appendToPort', (right, areas, run, target, contents) =>
    right(areas, run, target, contents.map(withoutArrays)),
  ),
} satisfies Variants;

/** JSON has no other spelling for it. */
const writtenAsNull = Number.NaN;

const removeFaults = {
  'patch.remove.member-gone': replaces('operations', 'removeTarget', (right, areas, run, target) => {
    const isText = target.kind === 'member' && target.member.kind === 'string' && target.row.entry === undefined;
    return isText && target.value !== undefined
      ? areas.operations.setMember(run, target, '')
      : right(areas, run, target);
  }),

  'patch.remove.cascades-to-parent': replaces('operations', 'complies', () => true),

  'patch.remove.cascade-spares-siblings': replaces('operations', 'cascadeTo', async (_right, _areas, run, { port }) => {
    await run.writing.replaceEntries(run.object.oid, port, []);
  }),

  'patch.remove.optional-keeps-parent': replaces('operations', 'removeTarget', (right, areas, run, target) => {
    const { entry } = target.row;
    return entry === undefined || target.steps.length === 0
      ? right(areas, run, target)
      : areas.operations.cascadeTo(run, entry);
  }),

  'patch.remove.entry-with-trailing-slash': replaces('operations', 'targetOf', async (right, areas, run, operation) => {
    if (operation.op === 'remove' && operation.path.endsWith('/')) throw refusedWrongly();
    return right(areas, run, operation);
  }),

  'patch.operations.failing-list-changes-nothing': together(
    replaces('operations', 'applyOperation', async (right, areas, run, operation, at) => {
      await right(areas, run, operation, at);
      await areas.versioning.storeEdit(run.writing, run.object, run.object.version, run.root);
    }),
    replaces('operations', 'operateObject', async (right, areas, call, writing) => {
      try {
        return await right(areas, call, writing);
      } catch (error) {
        if (error instanceof Refusal) return areas.messages.problemAnswer(call, error);
        throw error;
      }
    }),
  ),

  'patch.operations.match-model': (classes) => {
    const slots = new Map<string, number>();
    return together(
      replaces('operations', 'removeTarget', async (right, areas, run, target) => {
        const { entry } = target.row;
        if (target.kind === 'entry' && entry !== undefined) {
          const entries = await entriesIn(run, entry.port);
          slots.set(
            `${run.object.oid} ${entry.port}`,
            entries.findIndex(({ entryId }) => entryId === entry.entryId),
          );
        }
        await right(areas, run, target);
      }),
      replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
        await right(areas, run, target, contents);
        const key = `${run.object.oid} ${nameOf(target)}`;
        const slot = slots.get(key);
        if (slot !== undefined) await moveAppended(run, nameOf(target), contents.length, slot);
        slots.delete(key);
      }),
    )(classes);
  },
} satisfies Variants;

const replaceFaults = {
  'patch.replace.missing-member-refused': replaces(
    'operations',
    'replaceValue',
    (right, areas, run, target, value, at) =>
      right(areas, run, target.kind === 'member' ? { ...target, value: '' } : target, value, at),
  ),

  'patch.replace.missing-entry-refused': whileLocating(
    'replace',
    (right) => async (areas, run, port, token) =>
      (await right(areas, run, port, token)) ??
      (entryIdFrom(token) === undefined ? undefined : appendedCopy(run, port)),
  ),

  'patch.replace.object-refused': replaces(
    'operations',
    'replaceValue',
    async (right, areas, run, target, value, at) => {
      if (target.kind !== 'member' || !isContent(value)) return right(areas, run, target, value, at);
      await areas.operations.setMember(run, target, readValue(run.rules, target.member, value, at));
    },
  ),

  'patch.replace.array-refused': replaces('operations', 'replaceValue', (right, areas, run, target, value, at) => {
    const empties = target.kind === 'array' && Array.isArray(value) && !hasValue(value);
    return empties ? areas.operations.removeTarget(run, target) : right(areas, run, target, value, at);
  }),

  'patch.replace.dated-effectivity-date': replaces('contents', 'effectivityOf', (_right, areas) =>
    isoTime(areas.clock.now()),
  ),
} satisfies Variants;

export const patchFaults = {
  ...contentFaults,
  ...bodyFaults,
  ...addressingFaults,
  ...addFaults,
  ...replaceFaults,
  ...removeFaults,
} satisfies Variants;

/** What is found wrongly only while an operation of that kind looks for what its path names. */
export function whileLocating(op: Operation['op'], wrong: Wrong<'operations', 'entryAt'>): Variant {
  const locating = new Step();
  return together(
    breaks('operations', 'entryAt', (right) => {
      const wrongly = wrong(right);
      return (...args) => (locating.isOn() ? wrongly(...args) : right(...args));
    }),
    replaces('operations', 'targetOf', (right, ...args) => {
      const [, , operation] = args;
      return operation.op === op ? locating.run(() => right(...args)) : right(...args);
    }),
  );
}

/** Every entry of an array port, as it is at that moment of the run. */
export function entriesIn(run: OperationsRun, port: string): Promise<readonly StoredEntry[]> {
  return run.writing.entries(run.object.oid, port, { from: 0, to: Number.MAX_SAFE_INTEGER });
}

/** The refusal of what a right server accepts. */
export function refusedWrongly(): Refusal {
  return new Refusal(422, 'This server breaks a rule on purpose.');
}

/** Every operation that is an object at least is read as `change` makes it. */
function readingOperationsAs(change: (operation: Content) => Content): Variant {
  return replaces('operations', 'operationOf', (right, areas, item, at) =>
    right(areas, isContent(item) ? change(item) : item, at),
  );
}

function removalWithoutValue(operation: Content, drops: (value: unknown) => boolean): Content {
  const { value, ...rest } = operation;
  return operation.op === 'remove' && drops(value) ? rest : operation;
}

function hasUnknownOp(item: unknown): boolean {
  return isContent(item) && 'op' in item && !['add', 'replace', 'remove'].includes(String(item.op));
}

function isArray(call: Call): boolean {
  return call.body?.toString('utf8').trimStart().startsWith('[') ?? false;
}

/** The members of `content` that have a value in `before`. */
function onlyIn(before: unknown, content: Content): Content {
  const names = new Set(Object.keys(before ?? {}));
  return Object.fromEntries(Object.entries(content).filter(([name]) => names.has(name)));
}

function portsOf(softType: SoftType): readonly string[] {
  return [...softType.members].flatMap(([name, member]) => (isArrayMember(member) ? [name] : []));
}

async function cutToFirstPage(writing: Writing, oid: string, port: string): Promise<void> {
  const first = await writing.entries(oid, port, { from: 0, to: entriesPerPage });
  await writing.replaceEntries(oid, port, first);
}

/** An object under the id of the request, with an empty text for every member that it has to have. */
async function insertBlank(areas: Areas, call: SpaceCall, writing: Writing): Promise<void> {
  const softType = areas.objects.softTypeOf(call.space, call.params.definitionId ?? '');
  const blanks = [...softType.members].flatMap(([name, member]) => (member.mandatory ? [[name, ''] as const] : []));
  await writing.insertObject({
    spaceId: call.space.id,
    oid: call.params.objectId ?? '',
    softType: softType.id,
    version: areas.versioning.firstVersion(),
    content: { ...Object.fromEntries(blanks), ...areas.editing.startContent(softType) },
  });
}

/** Content of the object without the members that the definition has behind this one. */
function upTo({ root, softType }: OperationsRun, name: string): Content {
  const names = [...softType.members.keys()];
  const behind = new Set(names.slice(names.indexOf(name) + 1));
  return Object.fromEntries(Object.entries(root).filter(([member]) => !behind.has(member)));
}

function decodedInWrongOrder(token: string): string {
  return token.replaceAll('~0', '~').replaceAll('~1', '/');
}

async function entryAtPosition(run: OperationsRun, port: string, token: string): Promise<StoredEntry | undefined> {
  return /^\d+$/.test(token) ? (await entriesIn(run, port))[Number(token)] : undefined;
}

function refuseToAdd(refused: (target: Target, value: unknown) => boolean): Variant {
  return replaces('operations', 'addValue', async (right, areas, run, target, value, at) => {
    if (refused(target, value)) throw refusedWrongly();
    await right(areas, run, target, value, at);
  });
}

/** Reorders a port whose last entries were appended just now, so that the first of them has that position. */
export async function moveAppended(run: OperationsRun, port: string, count: number, position: number): Promise<void> {
  const entries = await entriesIn(run, port);
  const [before, appended] = [entries.slice(0, -count), entries.slice(-count)];
  await run.writing.replaceEntries(run.object.oid, port, [
    ...before.slice(0, position),
    ...appended,
    ...before.slice(position),
  ]);
}

/** Content that remembers, without showing it, that an operation appended it. */
function marked(content: Content): Content {
  return { ...content, $appended: true };
}

function isMarked(content: Content): boolean {
  return content.$appended === true;
}

function withoutArrays(content: Content): Content {
  return Object.fromEntries(Object.entries(content).filter(([, value]) => !Array.isArray(value)));
}

/** A new last entry with the content of the first, so that it has something to replace. */
async function appendedCopy({ object, writing }: OperationsRun, port: string): Promise<StoredEntry | undefined> {
  const [first] = await writing.entries(object.oid, port, { from: 0, to: 1 });
  if (first === undefined) return undefined;
  const [entryId] = await writing.appendEntries(object.oid, port, [first.content]);
  return entryId === undefined ? undefined : { entryId, content: first.content };
}
