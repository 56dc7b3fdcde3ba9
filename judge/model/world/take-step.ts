import { entriesPerPage } from '../../../contract/limits.ts';
import { bodyOfResult, expectNothingBehind, resultsOf, tooLongMultiCreate } from '../../service/batch.ts';
import { isSuccess, type Reply, type RequestSpec } from '../../exchange.ts';
import type { Thing } from '../../things.ts';
import { anyEdit, removeThing } from '../../service/writes.ts';
import { type Stated, statedFor } from '../command.ts';
import { judgeEdit } from '../history-case.ts';
import { acceptWrite } from '../object.ts';
import type { Edit } from '../state.ts';
import {
  editOn,
  findEdit,
  findRefused,
  findSeveral,
  type Found,
  type Going,
  isLocated,
  locate,
  sendable,
} from './edits.ts';
import { atHome, type Home, sentBy, type World } from './homes.ts';
import { isGivenAgain, readInBatch, type Resident, sendBatchAt } from './look.ts';
import {
  createRequest,
  type Draft,
  draftIn,
  draftMany,
  homeFor,
  type Many,
  settle,
  settleCreated,
  settleMany,
} from './making.ts';
import { editsOf, type Step, type StepKind, turned } from './step.ts';
import { firstLook, type Look, type Sender } from './ways.ts';

/** Takes the step as far as the objects allow it; returns those that it was about. @throws {Violation} where the answer is another one */
export async function takeStep(going: Going, step: Step): Promise<readonly Resident[]> {
  switch (step.kind) {
    case 'several':
      return takeEdit(going, findSeveral(going, step), step);
    case 'failing several':
      return takeFailingSeveral(going, step);
    case 'refused':
      return takeRefused(going, step);
    case 'forbidden':
      return takeForbidden(going, step);
    case 'create':
      return takeCreate(going, step);
    case 'multi-create':
      return takeMultiCreate(going, step);
    case 'delete':
      return takeDelete(going, step);
    case 'batch':
      return takeBatch(going, step);
    case 'failing batch':
      return takeFailingBatch(going, step);
    default:
      return takeEdit(going, findEdit(going, step.at, editsOf[step.kind] ?? []), step);
  }
}

async function takeEdit(going: Going, found: Found | undefined, step: Step): Promise<readonly Resident[]> {
  if (found === undefined) return [];
  const located = await locate(going, found);
  const { resident, edit } = located;
  const request = writtenBy(going, resident.home, sendable(going, located, step.dice), step);
  judgeEdit(going.world.context, resident, edit, 'current', await going.world.context.service.send(request));
  return [resident];
}

/** The write as whoever takes the step makes it, where he may. */
function writtenBy({ world }: Going, home: Home, request: RequestSpec, { sender }: Step): RequestSpec {
  return sentBy(world, home, request, senderOf(world, sender, [request.method]));
}

/** Who takes the step, or in his place whoever works there, where the role of the second editor is not said to have these methods. */
function senderOf({ context: { profile } }: World, sender: Sender, methods: readonly string[]): Sender {
  const his = profile.all.identities.secondEditor?.methods ?? [];
  const isBarred = sender.as === 'second editor' && !methods.every((method) => his.includes(method));
  return isBarred ? { ...sender, as: 'own' } : sender;
}

/** Who sends a batch of these. */
function batcherOf({ world }: Going, { sender }: Step, requests: readonly RequestSpec[]): Sender {
  const methods = new Set(requests.map(({ method }) => method));
  return senderOf(world, methods.has('POST') ? makerIn(sender) : sender, ['POST', ...methods]);
}

/** What it creates belongs to the editor, who removes it in the end. */
function makerIn(sender: Sender): Sender {
  return sender.as === 'second editor' ? { ...sender, as: 'own' } : sender;
}

/** A list with one operation in it that no object takes: nothing of it happens. */
async function takeFailingSeveral(going: Going, step: Step): Promise<readonly Resident[]> {
  const { context } = going.world;
  const several = findSeveral(going, step);
  if (several === undefined || several.edit.kind !== 'several') return [];
  const { resident, edit } = await locate(going, several);
  const [part] = step.parts;
  const edits = edit.kind === 'several' ? edit.edits : [];
  const refused = part && findRefused(going, resident, edits, part);
  if (refused === undefined) return [];
  const failing: Edit = { kind: 'several', edits: edits.toSpliced(step.dice % (edits.length + 1), 0, refused) };
  const reply = await context.service.send(sendable(going, { resident, edit: failing }, 1));
  context.expect(reply).toBeRefused();
  return [resident];
}

const wrongVersions: readonly Stated[] = ['stale', 'absent', 'ahead', 'older', 'cut'];

/** A write that is sure to be refused: for another version, by what it asks for, or since there is no such object. */
async function takeRefused(going: Going, step: Step): Promise<readonly Resident[]> {
  const { context } = going.world;
  const gone = going.residents.filter(({ isGone }) => isGone);
  if (step.dice % 5 === 0 && gone.length > 0) return takeOnGone(going, turned(gone, step.at.object), step);
  if (step.dice % 5 === 1) {
    const refused = refusedOn(going, step);
    if (refused !== undefined) return refused;
  }
  if (step.dice % 31 === 2 && going.world.offers.has('multi-create')) {
    context.expect(await context.service.send(tooLongMultiCreate(going.world.context))).toBeRefused();
    return [];
  }
  const found = findEdit(going, step.at, anyEdits(step.dice));
  if (found === undefined) return [];
  const located = await locate(going, found);
  const { resident, edit } = located;
  const stated = turned(wrongVersions, step.dice)[0] ?? 'stale';
  const version = statedFor({ ...step.at, kind: 'merge', version: stated }, resident.state.version);
  const reply = await context.service.send({ ...sendable(going, located, 1), version });
  judgeEdit(context, resident, edit, stated, reply);
  return [resident];
}

async function refusedHere(going: Going, resident: Resident, edit: Edit): Promise<readonly Resident[]> {
  const { context } = going.world;
  const located = await locate(going, { resident, edit, next: undefined });
  context.expect(await context.service.send(sendable(going, located, 1))).toBeRefused();
  return [resident];
}

function refusedOn(going: Going, { at, parts }: Step): Promise<readonly Resident[]> | undefined {
  const [part] = parts;
  for (const resident of turned(
    going.residents.filter(({ isGone }) => !isGone),
    at.object,
  )) {
    const edit = part && findRefused(going, resident, [], part);
    if (edit !== undefined) return refusedHere(going, resident, edit);
  }
  return undefined;
}

async function takeOnGone(going: Going, gone: readonly Resident[], step: Step): Promise<readonly Resident[]> {
  const { context } = going.world;
  const [resident] = gone;
  const edit = resident && editOn(going, resident, step.at, step.dice % 2 === 0 ? 'merge' : 'put');
  if (resident === undefined || edit === undefined || (await isGivenAgain(going.world, resident))) return [];
  context.expect(await context.service.send(sendable(going, { resident, edit }, 1))).toBeRefused();
  return [resident];
}

/** Kinds of edits, from one of them on. */
function anyEdits(dice: number): NonNullable<(typeof editsOf)[StepKind]> {
  return turned(Object.values(editsOf).flat(), dice);
}

/** A write that is right but for who sends it. */
async function takeForbidden(going: Going, step: Step): Promise<readonly Resident[]> {
  const { context } = going.world;
  const { identities, space } = context.profile.all;
  const found = findEdit(going, step.at, anyEdits(step.dice));
  if (found === undefined) return [];
  const located = await locate(going, found);
  const { resident } = located;
  const request = sendable(going, located, 1);
  const isHome = resident.home.space === space;
  const mayNot = (['reader', 'noRole', 'outsider'] as const).filter(
    (name) => isHome && identities[name] !== undefined && !identities[name].methods?.includes(request.method),
  );
  const as = turned([null, ...mayNot], step.dice)[0] ?? null;
  context.expect(await context.service.send(request, { as })).toAnswer(as === null ? 401 : 403);
  return [resident];
}

async function takeCreate(going: Going, step: Step): Promise<readonly Resident[]> {
  const { context } = going.world;
  const home = homeFor(going, step.dice);
  if (home === undefined) return [];
  const draft = draftIn(going, home, step.start);
  const request = sentBy(going.world, home, createRequest(going, draft), makerIn(step.sender));
  const reply = await context.service.send(request);
  context.expect(reply).toAnswer(201);
  await settleCreated(going, draft, reply);
  return going.residents.slice(-1);
}

async function takeMultiCreate(going: Going, step: Step): Promise<readonly Resident[]> {
  const { context } = going.world;
  const many = draftMany(going, startsOf(going.world, step), step.dice);
  if (many === undefined) return [];
  const [home] = going.world.homes;
  const plain = context.service.requests.multiCreate(many.items);
  const reply = await context.service.send(
    home === undefined ? plain : sentBy(going.world, home, plain, makerIn(step.sender)),
  );
  context.expect(reply).toSucceed();
  await settleMany(going, many, reply);
  return going.residents.slice(-many.items.length);
}

/** Two or three objects, the first as large as the step says; now and then more than a page shows of those to which it refers. */
function startsOf({ offers }: World, { start, dice }: Step): readonly Step['start'][] {
  if (dice % 3 === 0 && offers.has('pages of references')) {
    const smallest = { ...start, entries: 0, second: 0, filled: false };
    return [{ ...start, entries: 1, second: 0 }, ...Array.from({ length: entriesPerPage + 2 }, () => smallest)];
  }
  const small = { ...start, entries: 1, second: 0 };
  return [start, small, ...(dice % 2 === 0 ? [{ ...small, entries: 11 }] : [])];
}

async function takeDelete(going: Going, step: Step): Promise<readonly Resident[]> {
  const { context } = going.world;
  const candidates = going.residents.filter(({ isGone, isReferring }) => !isGone && !isReferring);
  // one has to be left for what comes behind
  const [resident] = candidates.length < 2 ? [] : turned(candidates, step.at.object + 1);
  if (resident === undefined) return [];
  const { thing, state, home } = resident;
  const reply = await removeThing(context, { ...thing, version: state.version });
  context.notes.observe('status of a DELETE in a history', reply.status, reply);
  // a state may be closed to it, or whoever did not make the object; then nothing has happened
  if (isSuccess(reply.status)) resident.isGone = true;
  else if (reply.status !== 403 && home.isPrimary && state.moves + state.elsewhere.moves === 0)
    context.expect(reply).toSucceed();
  return [resident];
}

/** An operation of a batch, and what it leaves when the batch passes. */
interface Operation {
  readonly request: RequestSpec;
  /** Statuses that the route would answer with by itself; none where they are not said. */
  readonly status?: number;
  readonly resident?: Resident;
  readonly settle: (reply: Reply, result: ReturnType<typeof resultsOf>[number]) => Promise<void>;
}

const inBatch: readonly StepKind[] = [
  'merge',
  'put',
  'scalar',
  'append',
  'removal',
  'entry text',
  'inside entry',
  'reference',
  'promote',
  'object',
  'promote elsewhere',
  'demote',
];

/** Operations of which none is about an object that another one is about: which version those would have to give is not said. */
async function operationsIn(
  going: Going,
  step: Step,
): Promise<{ home: Home; operations: readonly Operation[] } | undefined> {
  const alive = turned(
    going.residents.filter(({ isGone }) => !isGone),
    step.at.object,
  );
  const [first] = alive;
  if (first === undefined) return undefined;
  const { home } = first;
  const near = alive.filter((one) => one.home.space === home.space);
  const used = new Set<Resident>();
  const operations: Operation[] = [];
  for (const part of step.parts.slice(0, 2 + (step.dice % 4))) {
    const free = near.filter((one) => !used.has(one));
    const operation = await operationFrom(going, step, { ...part, free, home });
    if (operation === undefined) continue;
    if (operation.resident !== undefined) used.add(operation.resident);
    operations.push(operation);
  }
  return operations.length === 0 ? undefined : { home, operations };
}

type Drawing = Step['parts'][number] & {
  readonly free: readonly Resident[];
  readonly home: Home;
};

async function operationFrom(going: Going, step: Step, part: Drawing): Promise<Operation | undefined> {
  const { offers, context } = going.world;
  const { home, free, dice } = part;
  if (dice % 7 === 0 && offers.has('create in a batch') && home.as === 'editor') {
    const homes = going.world.homes.filter(({ space, as }) => space === home.space && as === 'editor');
    return creating(going, draftIn(going, turned(homes, dice)[0] ?? home, step.start));
  }
  const isMany = dice % 7 === 1 && offers.has('multi-create') && home.space === context.profile.all.space;
  const many = isMany ? draftMany(going, startsOf(going.world, step), dice) : undefined;
  if (many !== undefined) return creatingMany(going, many);
  if (dice % 7 === 2) return reading(going, turned(free, part.object)[0], step.look ?? firstLook);
  const kinds = turned(inBatch, dice).flatMap((kind) => editsOf[kind] ?? []);
  const found = findEdit(going, { ...part, choice: part.choice % 8 }, kinds.slice(0, 3), free);
  if (found === undefined) return undefined;
  return editing(going, await locate(going, found), dice);
}

function editing(going: Going, found: Found, dice: number): Operation {
  const { context } = going.world;
  const { resident, edit, next } = found;
  return {
    request: sendable(going, found, dice),
    resident,
    ...((edit.kind === 'merge' || edit.kind === 'promote') && { status: 204 }),
    settle: async (reply, result) => {
      const version = bodyOfResult(result)['version'];
      context.expect(version ?? next?.version, `version in the result of ${edit.kind}`, reply).toEqual(next?.version);
      if (next !== undefined) acceptWrite(context, resident, next, edit);
    },
  };
}

function creating(going: Going, draft: Draft): Operation {
  return {
    request: createRequest(going, draft),
    status: 201,
    settle: (reply, result) => settleCreated(going, draft, reply, result),
  };
}

function creatingMany(going: Going, many: Many): Operation {
  return {
    request: going.world.context.service.requests.multiCreate(many.items),
    settle: (reply, result) => settleMany(going, many, reply, result),
  };
}

function reading(going: Going, resident: Resident | undefined, look: Look): Operation | undefined {
  if (resident === undefined) return undefined;
  const { world, residents } = going;
  const where = `object ${residents.indexOf(resident) + 1}, read by a batch of writes`;
  const { request, hold } = readInBatch({ world, residents, resident, where }, look);
  return { request, resident, settle: async (reply, result) => hold(reply, result) };
}

async function takeBatch(going: Going, step: Step): Promise<readonly Resident[]> {
  const { context } = going.world;
  const { home, operations } = (await operationsIn(going, step)) ?? {};
  if (home === undefined || operations === undefined) return [];
  const before = going.residents.length;
  const requests = operations.map(({ request }) => request);
  const reply = await sendBatchAt(going.world, home, requests, batcherOf(going, step, requests));
  context.expect(reply).toAnswer(200);
  const results = resultsOf(reply);
  context.expect(results.length, 'results of a batch', reply).toEqual(operations.length);
  for (const [index, { status, settle: settleIt }] of operations.entries()) {
    const result = results[index] ?? {};
    if (status !== undefined)
      context.expect(result['statusCode'], `statusCode of operation ${index} of a batch`, reply).toEqual(status);
    await settleIt(reply, result);
  }
  return [...operations.flatMap(({ resident }) => resident ?? []), ...going.residents.slice(before)];
}

/** A batch with an operation that cannot pass: nothing has happened to any object, and none is there that was not there before. */
async function takeFailingBatch(going: Going, step: Step): Promise<readonly Resident[]> {
  const { context } = going.world;
  const { home, operations } = (await operationsIn(going, step)) ?? {};
  // one that no other operation is about: what those have made of it would decide how the failing one fails
  const used = new Set(operations?.map(({ resident }) => resident));
  const [resident] = turned(
    going.residents.filter((one) => !one.isGone && one.home.space === home?.space && !used.has(one)),
    step.at.choice,
  );
  if (home === undefined || operations === undefined || resident === undefined) return [];
  const { request, status } = failingOn(going, resident, step);
  // what is read of an edit that is undone must not outlive it
  const reads = operations.flatMap((one) => (one.resident ? context.service.requests.read(one.resident.thing) : []));
  const before = [...operations.map((one) => one.request), ...(step.dice % 2 === 0 ? reads : [])];
  const place = step.dice % 2 === 0 ? before.length : step.at.choice % (before.length + 1);
  const requests = before.toSpliced(place, 0, request);
  const reply = await sendBatchAt(going.world, home, requests, batcherOf(going, step, requests));
  context.expect(reply).toAnswer(500);
  const results = resultsOf(reply);
  context.expect(results.length, 'results of a batch that failed', reply).toEqual(requests.length);
  const code = results[place]?.['statusCode'];
  if (status !== undefined)
    context.expect(code, `statusCode of the operation ${place} that failed`, reply).toEqual(status);
  await expectNothingBehind(context, reply, requests, place);
  return [resident, ...operations.flatMap((one) => one.resident ?? [])];
}

/** An operation that is sure to fail, and with which status where that is said. */
function failingOn(going: Going, resident: Resident, step: Step): { request: RequestSpec; status?: number } {
  const { world } = going;
  const { service, given, profile } = world.context;
  const { thing, home, state } = resident;
  const found = findEdit(going, step.at, anyEdits(step.dice), [resident]);
  const nothing = profile.offers('merge') ? {} : anyEdit(world.context);
  const plain = atHome(service.requests.edit(thing, found?.edit.kind === 'merge' ? found.edit.scalars : nothing), home);
  const write = found !== undefined && isLocated(found.edit) ? sendable(going, found, 1) : plain;
  const absent: Thing = { ...thing, oid: given.unknownOid(thing) };
  const refused = step.parts[0] && findRefused(going, resident, [], step.parts[0]);
  const ways = [
    { request: { ...write, version: state.version + 7 }, status: 409 },
    { request: { ...write, version: null }, status: 412 },
    { request: atHome(service.requests.read(absent), home), status: 404 },
    ...(refused !== undefined && isLocated(refused)
      ? [{ request: sendable(going, { resident, edit: refused }, 1) }]
      : []),
    ...(world.offers.has('multi-create') && home.space === world.context.profile.all.space && step.dice % 5 === 0
      ? [{ request: tooLongMultiCreate(going.world.context) }]
      : []),
  ];
  return ways[step.dice % ways.length] ?? { request: { ...write, version: state.version + 7 }, status: 409 };
}

/** The objects with which a history begins. */
export async function begin(going: Going, starts: readonly Step['start'][]): Promise<void> {
  const { world } = going;
  for (const [index, start] of starts.entries()) {
    const home = index === 0 ? world.homes[0] : turned(world.homes, index)[0];
    if (home === undefined) continue;
    const draft = draftIn(going, home, start);
    const thing = await world.context.given.object(draft.body, {
      type: home.shape.type,
      space: home.space,
      as: home.as,
    });
    settle(going, draft, thing);
  }
}
