import { isDeepStrictEqual } from 'node:util';
import { type Entry, entriesIn, type Known, textOf, wholeOf } from '../../../contract/judge-read.ts';
import { entriesPerPage } from '../../../contract/limits.ts';
import {
  dataOf,
  entriesOf as firstEntriesOf,
  expandLink,
  linksOf,
  memberOf,
  pageLinks,
  pageLinksOf,
  versionOf,
} from '../../service/answers.ts';
import { type BatchResult, operationsOf, resultsOf } from '../../service/batch.ts';
import type { CaseContext } from '../../case.ts';
import type { Reply, RequestSpec } from '../../exchange.ts';
import { isObject } from '../../json.ts';
import { stateFieldOf, stateFields } from '../../service/maturity.ts';
import { targetsIn, targetsOf } from '../../service/multi-create.ts';
import { valueOfFixed, withFilter, withFilterOnPage, withValue, withValueOnPage } from '../../service/queries.ts';
import { mayReaderWrite, writingMethods } from '../../service/roles.ts';
import type { Owner, Port } from '../../things.ts';
import { goneStatuses } from '../../service/writes.ts';
import { compareEntry, compareLearned, type Comparison, holdRead, same } from '../compare.ts';
import { admittedOf, arrayOf, idsIn, knownOf, learnOrder, numbersOf, type Subject } from '../object.ts';
import { entriesOf, type EntryState } from '../state.ts';
import { atHome, type Home, sentBy, type World } from './homes.ts';
import { firstLook, type Look, type Sender, tellLook } from './ways.ts';

/** An object of a history, and where it lives. */
export interface Resident extends Subject {
  readonly home: Home;
  isGone: boolean;
  /** Whether it refers to another object or is referred to: what a DELETE does then is not said. */
  isReferring: boolean;
  /** Ids of those that were made to refer to it, which it may show as well: a relation may have two ends. */
  readonly referrers: Set<string>;
}

/** What is looked at, and after what. */
export interface Looking {
  readonly world: World;
  readonly residents: readonly Resident[];
  readonly resident: Resident;
  /** In words: `object 1 after step 3, a merge`. */
  readonly where: string;
}

/** What was read of an object by one way. */
interface Whole {
  readonly instance?: Reply;
  readonly pages: readonly { readonly member: string; readonly number: number; readonly answer: Reply }[];
}

type Ask = (request: RequestSpec) => Promise<Reply>;

/** Holds what this look shows against the model, as far as the object has such a way. */
export async function lookBy(look: Look, looking: Looking): Promise<void> {
  const { resident } = looking;
  if (resident.isGone) return expectGone(looking);
  if (look.by === 'forbidden') return expectForbidden(looking);
  const way = wayFor(look, looking.world, resident);
  if (isDeepStrictEqual(way, firstLook)) return lookFirst(looking);
  const told = { ...looking, where: `${looking.where} by ${way.by}${tellLook(way)}` };
  if (way.sent === 'in a batch') return lookInBatch(told, way);
  if (way.by === 'another schema') return lookByAnotherSchema(told, way);
  if (way.filter !== 'none') return lookFiltered(told, way);
  return way.by === 'pages' ? lookAtPages(told, way) : lookAround(told, way);
}

/** The look without what the object, or whoever looks, does not have, and without what is not said. */
function wayFor(look: Look, { context, offers }: World, { home }: Resident): Look {
  const { shape, isPrimary, space } = home;
  const filter = isPrimary && shape.ports.length > 0 ? look.filter : 'none';
  const by = routeFor(look.by, filter, home);
  const isPaged = by === 'pages' || by === 'linked pages';
  const isReader = look.as === 'reader' && space === context.profile.all.space;
  const isBatched = !isPaged && offers.has(isReader ? 'batch of a reader' : 'batch');
  return { ...look, by, filter, sent: isBatched ? look.sent : 'alone' };
}

function routeFor(by: Look['by'], filter: Look['filter'], { shape, isPrimary }: Home): Look['by'] {
  if (by === 'another schema' && (!isPrimary || shape.type.secondOutputSchema === undefined)) return 'long route';
  // whether the link of a filtered read leads to filtered pages is not said
  return by === 'linked pages' && filter !== 'none' ? 'first read and pages' : by;
}

/** The read that shows in which order entries are, and by which ids they are addressed. */
export async function lookFirst(looking: Looking): Promise<void> {
  const { resident } = looking;
  const comparison = comparisonOf(looking);
  const { shape } = resident.home;
  const ask = asksFor(looking, firstLook);
  const whole = await readWhole(looking, ask, firstLook);
  await lookAtReferences(looking, whole, ask);
  learnOrder(resident, whole, shape.ports);
  holdRead(comparison, whole, { ...knownOf(shape, resident), envelope: true }, comparison.where);
  compareBeside(comparison, resident, whole);
  resident.unordered = false;
  resident.ids = idsIn(whole, shape.ports);
}

/** Another way to read all of it; nothing is said of the order in which it shows entries. */
async function lookAround(looking: Looking, look: Look): Promise<void> {
  const { resident } = looking;
  const comparison = comparisonOf(looking);
  const ask = asksFor(looking, look);
  const whole = await readWhole(looking, ask, look);
  await lookAtReferences(looking, whole, ask);
  holdRead(comparison, whole, inAnyOrder(knownOf(resident.home.shape, resident)), comparison.where);
  compareBeside(comparison, resident, whole);
  if (look.as === 'reader') expectNoWritingLinks(looking, whole);
}

function expectNoWritingLinks({ world: { context }, resident, where }: Looking, { instance }: Whole): void {
  const isElsewhere = resident.home.space !== context.profile.all.space;
  if (instance === undefined || isElsewhere || mayReaderWrite(context.profile.all)) return;
  const offered = linksOf(instance).map(({ method }) => String(method).toUpperCase());
  context
    .expect(
      offered.filter((method) => writingMethods.has(method)),
      `writing methods in links of ${where}`,
      instance,
    )
    .toEqual([]);
}

/** The read of the instance by that way. */
function instanceRequest({ context }: World, { by, filter }: Look, { thing }: Resident): RequestSpec {
  const { requests } = context.service;
  const { secondOutputSchema } = thing.type;
  const isLong = by === 'long route' || by === 'another schema';
  const schema = by === 'another schema' ? secondOutputSchema?.id : undefined;
  const plain = isLong ? requests.readLong(thing, schema) : requests.read(thing);
  if (filter === 'none') return plain;
  const narrowed =
    filter === 'fixed' ? withFilter(context, thing, plain) : withValue(context, thing, valueOfFixed(context), plain);
  return { ...plain, ...narrowed };
}

/** A page by the link to it, or by its route. */
function pageRequest(
  { context }: World,
  { by, filter }: Look,
  { thing }: Resident,
  port: Port,
  number: number,
  instance?: Reply,
): RequestSpec {
  const { requests } = context.service;
  const [link] = by === 'linked pages' && instance !== undefined ? pageLinksOf(instance, port, false) : [];
  if (link !== undefined) return requests.get(expandLink(link, number), instance);
  const plain = requests.page(thing, number, port);
  if (filter === 'none') return plain;
  const owner: Owner = { ...thing, port, texts: [] };
  const narrowed =
    filter === 'fixed'
      ? withFilterOnPage(context, owner, number)
      : withValueOnPage(context, owner, number, valueOfFixed(context));
  return { ...plain, ...narrowed };
}

/** Reads the object and the pages behind its first read. */
async function readWhole({ resident, world }: Looking, ask: Ask, look: Look): Promise<Whole> {
  const { home, state } = resident;
  const instance = await ask(instanceRequest(world, look, resident));
  world.context.expect(instance).toAnswer(200);
  const asked = home.shape.ports.flatMap((port, index) =>
    numbersOf(entriesOf(state, index).length)
      .slice(1)
      .map(async (number) => {
        const answer = await ask(pageRequest(world, look, resident, port, number, instance));
        return { member: port.member, number, answer };
      }),
  );
  return { instance, pages: await Promise.all(asked) };
}

/** More references than a read shows are on a page behind it: together they are those of the object. */
async function lookAtReferences({ world, resident, where }: Looking, { instance }: Whole, ask: Ask): Promise<void> {
  const { context } = world;
  const { references } = resident.state;
  if (instance === undefined || references.length <= entriesPerPage) return;
  const links = pageLinks(instance);
  context.expect(links.length > 0, `whether a link leads to further references of ${where}`, instance).toEqual(true);
  // which of several is that of references is not told
  const [link, ...others] = links;
  if (link === undefined || others.length > 0) return;
  const page = await ask(context.service.requests.get(expandLink(link, 1), instance));
  context.expect(page).toAnswer(200);
  const known = knownTargets(resident);
  const seen = [
    ...targetsOf(context, instance, resident.home.shape.type, known),
    ...targetsIn(context, memberOf(page, 'data'), page, known),
  ];
  context
    .expect(withoutReferrers(seen, resident).toSorted(), `objects to which ${where} refers, on two pages`, page)
    .toEqual(references.toSorted());
}

/** The pages alone, from the first one on. */
async function lookAtPages(looking: Looking, look: Look): Promise<void> {
  const { resident, world } = looking;
  const comparison = comparisonOf(looking);
  const ask = asksFor(looking, look);
  for (const [index, port] of resident.home.shape.ports.entries()) {
    const entries = entriesOf(resident.state, index);
    const numbers = numbersOf(entries.length);
    if (numbers.length === 0) continue;
    const pages = await Promise.all(
      numbers.map(async (number) => ({
        member: port.member,
        number,
        answer: await ask(pageRequest(world, look, resident, port, number)),
      })),
    );
    const known = { version: resident.state.version, arrays: [{ port, count: entries.length }] };
    holdRead(comparison, { pages }, known, comparison.where);
    const seen = pages.flatMap(({ answer }) => entriesIn(isObject(answer.json) ? answer.json['data'] : []));
    expectTexts(comparison, port, seen, entries, pages.at(-1)?.answer);
    compareEntries(comparison, port, seen, entries, pages[0]?.answer);
  }
}

/** What a filter leaves of the first array. */
async function lookFiltered(looking: Looking, look: Look): Promise<void> {
  const { resident, world } = looking;
  const { context } = world;
  const [port] = resident.home.shape.ports;
  if (port === undefined) return;
  const comparison = comparisonOf(looking);
  const admitted = admittedOf(resident.state);
  const ask = asksFor(looking, look);
  const instance = await ask(instanceRequest(world, look, resident));
  context.expect(instance).toAnswer(200);
  const pages = await Promise.all(
    numbersOf(admitted.length).map(async (number) => ({
      member: port.member,
      number,
      answer: await ask(pageRequest(world, look, resident, port, number, instance)),
    })),
  );
  const known: Known = {
    oid: resident.thing.oid,
    version: resident.state.version,
    arrays: [{ ...arrayOf(port, admitted), inAnyOrder: true }],
  };
  holdRead(comparison, { instance, pages }, known, comparison.where);
  if (look.as === 'reader') expectNoWritingLinks(looking, { instance, pages });
}

/** The object and others beside it, each read by an operation of one batch. */
async function lookInBatch(looking: Looking, look: Look): Promise<void> {
  const { resident, residents, world } = looking;
  const { space } = resident.home;
  const beside = residents.filter((one) => one !== resident && !one.isGone && one.home.space === space).slice(0, 2);
  const reads = [resident, ...beside].map((one) => {
    const where = `object ${residents.indexOf(one) + 1} in a batch, ${looking.where}`;
    return readInBatch({ ...looking, resident: one, where }, look);
  });
  const requests = reads.map(({ request }) => request);
  const reply = await sendBatchAt(world, resident.home, requests, look);
  world.context.expect(reply).toAnswer(200);
  for (const [index, result] of resultsOf(reply).slice(0, reads.length).entries()) reads[index]?.hold(reply, result);
}

/** An operation that reads the object by that way, and what its result has to show. */
export function readInBatch(
  looking: Looking,
  look: Look,
): { readonly request: RequestSpec; readonly hold: (reply: Reply, result: BatchResult) => void } {
  const { world, resident, where } = looking;
  const way = wayFor(look, world, resident);
  return {
    request: instanceRequest(world, way, resident),
    hold: (reply, result) => {
      const answer = { ...reply, status: Number(result['statusCode']), json: result['body'] };
      world.context.expect(answer.status, `statusCode of the read of ${where}`, reply).toEqual(200);
      if (!isObject(answer.json) || !isObject(answer.json['data'])) return;
      if (way.by === 'another schema') holdOtherSchema(looking, answer);
      else holdResult(comparisonOf(looking), resident, answer, way.filter !== 'none');
    },
  };
}

/** Sends operations to the batch route of the space in which the home is. */
export async function sendBatchAt(
  world: World,
  home: Home,
  requests: readonly RequestSpec[],
  sender: Sender,
): Promise<Reply> {
  const { service } = world.context;
  const body = await operationsOf(world.context, requests);
  return service.send(sentBy(world, home, atHome(service.requests.batch(body), home), sender));
}

/** A read response in a result of a batch; whether it has its content is judged by the rules about batches. */
function holdResult(comparison: Comparison, resident: Resident, answer: Reply, isFiltered = false): void {
  if (!isObject(answer.json) || !isObject(answer.json['data'])) return;
  const { state, thing, home } = resident;
  const known = knownOf(home.shape, resident);
  const [port] = home.shape.ports;
  if (isFiltered) {
    if (port === undefined) return;
    const admitted = admittedOf(state);
    const arrays = [{ port, count: admitted.length }];
    holdRead(comparison, { instance: answer }, { oid: thing.oid, version: state.version, arrays }, comparison.where);
    return expectAmong(comparison, port, answer, admitted);
  }
  const arrays = home.shape.ports.map((one, index) => ({ port: one, count: entriesOf(state, index).length }));
  holdRead(comparison, { instance: answer }, { ...known, arrays }, comparison.where);
  for (const [index, one] of home.shape.ports.entries()) expectAmong(comparison, one, answer, entriesOf(state, index));
  compareRoot(comparison, resident, answer);
}

async function lookByAnotherSchema(looking: Looking, look: Look): Promise<void> {
  const reply = await asksFor(looking, look)(instanceRequest(looking.world, look, looking.resident));
  looking.world.context.expect(reply).toAnswer(200);
  holdOtherSchema(looking, reply);
}

function holdOtherSchema({ world: { context }, resident, where }: Looking, reply: Reply): void {
  const { shape } = resident.home;
  const { shows = [], lacks = [] } = shape.type.secondOutputSchema ?? {};
  context.expect(versionOf(reply), `version of ${where}`, reply).toEqual(resident.state.version);
  const data = dataOf(reply);
  const { texts = {} } = knownOf(shape, resident);
  for (const name of shows)
    if (Object.hasOwn(texts, name))
      context.expect(data[name] ?? null, `${name} of ${where}`, reply).toEqual(texts[name] ?? null);
  for (const name of lacks) context.expect(data[name], `${name} of ${where}`, reply).toBeAbsent();
}

/** Nobody reads it who has no token or no role here. */
async function expectForbidden({ world, resident }: Looking): Promise<void> {
  const { service, expect, profile } = world.context;
  const { thing, home } = resident;
  const requests = readsOf(world.context, resident);
  const request = requests[resident.looks % requests.length] ?? service.requests.read(thing);
  resident.looks += 1;
  expect(await service.send(request, { as: null })).toAnswer(401);
  for (const as of ['noRole', 'outsider'] as const) {
    if (profile.all.identities[as] === undefined || home.space !== profile.all.space) continue;
    expect(await service.send(request, { as })).toAnswer(403);
  }
}

/** What was deleted is not read any more. */
async function expectGone({ world, resident }: Looking): Promise<void> {
  const { service, expect } = world.context;
  for (const request of readsOf(world.context, resident)) {
    const reply = await service.send(atHome(request, resident.home));
    if (reply.status !== 200 || !(await isGivenAgain(world, resident))) expect(reply).toAnswer(...goneStatuses);
  }
}

/** Whether the id of a deleted object leads to another one by now. */
export async function isGivenAgain(
  { context: { service, given } }: World,
  { thing, home, state: { scalars } }: Resident,
): Promise<boolean> {
  const read = await service.send(atHome(service.requests.read(thing), home));
  return given.isGivenAgain(thing, scalars, read);
}

/** By both routes, and its first page where it has an array. */
function readsOf({ service: { requests } }: CaseContext, { thing, home }: Resident): readonly RequestSpec[] {
  const [port] = home.shape.ports;
  const pages = port === undefined ? [] : [requests.page(thing, 0, port)];
  return [requests.read(thing), requests.readLong(thing), ...pages];
}

function comparisonOf({ world, resident, where }: Looking): Comparison {
  return { context: world.context, shape: resident.home.shape, subject: resident, where, wholly: true };
}

function asksFor({ world, resident }: Looking, sender: Sender): Ask {
  return (request) => world.context.service.send(sentBy(world, resident.home, request, sender));
}

function inAnyOrder(known: Known): Known {
  return { ...known, arrays: (known.arrays ?? []).map((array) => ({ ...array, inAnyOrder: true })) };
}

/** What a read shows beside what the writes have made it: as it was first seen it stays. */
function compareBeside(comparison: Comparison, resident: Resident, whole: Whole): void {
  const { subject, shape } = comparison;
  if (whole.instance !== undefined) compareRoot(comparison, resident, whole.instance);
  for (const [index, port] of shape.ports.entries())
    compareEntries(comparison, port, wholeOf(whole, port.member), entriesOf(subject.state, index), whole.instance);
}

function compareRoot(comparison: Comparison, resident: Resident, reply: Reply): void {
  const { context, shape, where } = comparison;
  const { state } = resident;
  compareLearned(comparison, reply, where);
  context
    .expect(dataOf(reply)['$softType'] ?? shape.type.definitionId, `$softType of ${where}`, reply)
    .toEqual(shape.type.definitionId);
  const { secondLevelId } = context.profile.all.maturity ?? {};
  const own = stateFieldOf(context, reply);
  const others = shape.levelsTogether === true ? [] : [...stateFields(reply)].filter(([, field]) => field !== own);
  const isElsewhere = ([name, field]: (typeof others)[number]): boolean =>
    name === secondLevelId || name.endsWith(`/${secondLevelId}`) || field['id'] === secondLevelId;
  // the member of a level may have any name: where none is that of the other level, each may hold its state
  const isTold = others.some(isElsewhere);
  for (const other of others) {
    const [name, field] = other;
    const moves = isElsewhere(other) ? state.elsewhere.moves : state.statements;
    const since = isTold ? `${moves} moves` : `${state.statements} statements and ${state.elsewhere.moves} moves`;
    same(comparison, `${name} after ${since}`, field['state'], `current state ${name} of ${where}`, reply);
  }
  compareReferences(comparison, resident, reply);
}

/** What references of the object may lead to. */
function knownTargets({ state, referrers }: Resident): readonly string[] {
  return [...state.references, ...referrers];
}

function withoutReferrers(targets: readonly string[], { state, referrers }: Resident): readonly string[] {
  return targets.filter((target) => state.references.includes(target) || !referrers.has(target));
}

/** References are as they were made; a read shows at most ten of them. */
function compareReferences({ context, shape, where }: Comparison, resident: Resident, reply: Reply): void {
  const { references } = context.profile.all;
  if (shape.type.reference === undefined || references === undefined) return;
  const { references: wanted } = resident.state;
  const shown = withoutReferrers(targetsOf(context, reply, shape.type, knownTargets(resident)), resident);
  const isWhole = wanted.length + resident.referrers.size <= entriesPerPage;
  context
    .expect(shown.toSorted(), `objects to which ${where} refers`, reply)
    .toEqual((isWhole ? wanted : wanted.filter((target) => shown.includes(target))).toSorted());
}

/** Other members of entries, which are told by their texts. */
function compareEntries(
  comparison: Comparison,
  port: Port,
  seen: readonly Entry[],
  entries: readonly EntryState[],
  reply: Reply | undefined,
): void {
  const byText = new Map(entries.map((entry) => [entry.text ?? null, entry]));
  for (const { members } of seen) {
    const text = textOf(members, port);
    const entry = text === null ? undefined : byText.get(text);
    const name = `of the entry ${text} of ${port.member} of ${comparison.where}`;
    if (entry === undefined) continue;
    compareEntry(comparison, { members, port, name }, entry, reply);
    const items: unknown = members[port.nested?.member ?? ''];
    const inside = entriesIn(items).map(({ entryId }) => entryId);
    comparison.context
      .expect(inside.includes(''), `whether an entry inside lacks its $entryId ${name}`, reply)
      .toEqual(false);
  }
}

function expectTexts(
  { context, where }: Comparison,
  port: Port,
  seen: readonly Entry[],
  entries: readonly EntryState[],
  reply: Reply | undefined,
): void {
  context
    .expect(
      seen.map(({ members }) => textOf(members, port)).toSorted(),
      `texts of ${port.member}, in any order, of ${where}`,
      reply,
    )
    .toEqual(entries.map(({ text }) => text ?? null).toSorted());
}

/** A first read shows as many of these as it can, and no other ones. */
function expectAmong(comparison: Comparison, port: Port, answer: Reply, entries: readonly EntryState[]): void {
  const shown = firstEntriesOf(answer, port);
  if (shown.length === entries.length) expectTexts(comparison, port, shown, entries, answer);
  const left = entries.map(({ text }) => text ?? null);
  const strange = shown.map(({ members }) => textOf(members, port)).filter((text) => !left.includes(text));
  comparison.context
    .expect(strange, `texts of ${port.member} of ${comparison.where} that nothing wrote`, answer)
    .toEqual([]);
  compareEntries(comparison, port, shown, entries, answer);
}
