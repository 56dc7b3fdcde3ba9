import { type Known, type Read, wholeOf } from '../../contract/judge-read.ts';
import { dataOf, entriesOf as readEntries, entriesOfPage, linksOf } from '../service/answers.ts';
import type { CaseContext } from '../case.ts';
import type { Reply } from '../exchange.ts';
import { stateIn } from '../service/maturity.ts';
import {
  admittedOf,
  arrayOf,
  idsIn,
  knownOf,
  learnOrder,
  numbersOf,
  readOf,
  type ReadRoute,
  readRoutes,
  readView,
  type Shape,
  stateAfter,
  type Subject,
} from './object.ts';
import { isObject, orderedAs } from '../json.ts';
import { entriesOf, type EntryState } from './state.ts';
import type { Port } from '../things.ts';

/** What is compared, and after what. */
export interface Comparison {
  readonly context: CaseContext;
  readonly shape: Shape;
  readonly subject: Subject;
  /** In words: `object 1 after append`. */
  readonly where: string;
  /** Whether all routes are read, or by turns one of those that show again what the first read and the pages behind it show. */
  readonly wholly: boolean;
}

export type Compare = (comparison: Comparison) => Promise<void>;

/** Everything that can be seen of the object is as the model has it. */
export async function compareWhole(comparison: Comparison): Promise<void> {
  const { context, shape, subject, where, wholly } = comparison;
  const view = await readView(context, shape, subject, wholly ? readRoutes : turnOf(subject));
  const { instances, filtered } = view;
  for (const instance of instances) context.expect(instance).toAnswer(200);
  const read = readOf(view, shape.ports);
  learnOrder(subject, read, shape.ports);
  const known = knownOf(shape, subject);
  holdRead(comparison, read, known, where);
  compareLearned(comparison, instances[0], where);
  compareOther(comparison, instances, known);
  subject.unordered = false;
  for (const [index, port] of shape.ports.entries()) learnEntries(comparison, read, port, index);
  subject.ids = idsIn(read, shape.ports);
  const [port] = shape.ports;
  if (filtered === undefined || port === undefined) return;
  context.expect(filtered.instance).toAnswer(200);
  const admitted = { ...arrayOf(port, admittedOf(subject.state)), inAnyOrder: true };
  const narrowed = readOf({ instances: [filtered.instance], pages: [filtered.pages] }, [port]);
  holdRead(comparison, narrowed, { version: subject.state.version, arrays: [admitted] }, `${where} with the filter`);
}

/** One after the other, each twice: what its first look was told must not outlive the write before the second. */
function turnOf(subject: Subject): readonly ReadRoute[] {
  const turn = Math.floor(subject.looks / 2);
  subject.looks += 1;
  return readRoutes.slice(turn % readRoutes.length).slice(0, 1);
}

/** The pages of the first port, one after the other, hold each entry of the model once; first read and page link agree on their number. */
export async function comparePaged(comparison: Comparison): Promise<void> {
  const { context, shape, subject, where } = comparison;
  const { service, expect, given } = context;
  const port = given.present(shape.ports[0], 'an array port');
  const numbers = numbersOf(entriesOf(subject.state, 0).length);
  const askForPages = () => Promise.all(numbers.map((number) => service.page(subject.thing, number, { port })));
  // by turns: a read of the object may renew what pages are made of, and hide that an edit does not
  const comesFirst = subject.looks % 2 === 1 ? await askForPages() : undefined;
  const instance = await service.read(subject.thing);
  const pages = comesFirst ?? (await askForPages());
  subject.looks += 1;
  for (const reply of [instance, ...pages]) expect(reply).toAnswer(200);
  const read = readOf({ instances: [instance], pages: [pages] }, [port]);
  learnOrder(subject, read, [port]);
  const { version } = subject.state;
  holdRead(comparison, read, { version, arrays: [arrayOf(port, entriesOf(subject.state, 0))] }, where);
  subject.unordered = false;
  subject.ids = idsIn(read, [port]);
}

/** Holds each point of the read. What cannot be read at all is for the rules about that. */
export function holdRead({ context, shape }: Comparison, read: Read<Reply>, known: Known, where: string): void {
  const { instance, pages = [] } = read;
  if (instance !== undefined) {
    dataOf(instance);
    linksOf(instance);
    for (const port of shape.ports) readEntries(instance, port);
  }
  for (const { answer } of pages) entriesOfPage(answer);
  context.expect.asKnown(read, known, { of: where });
}

/** The long route shows the same object; nothing is said about the order of entries by different routes. */
function compareOther(comparison: Comparison, [first, other]: readonly Reply[], known: Known): void {
  if (first === undefined || other === undefined) return;
  const { context, shape } = comparison;
  const where = `${comparison.where} by the long route`;
  const arrays = (known.arrays ?? []).map(({ port, count }) => ({ port, count }));
  holdRead(comparison, { instance: other }, { ...known, arrays }, where);
  compareLearned(comparison, other, where);
  const told = (reply: Reply, port: Port): readonly string[] =>
    readEntries(reply, port)
      .map(({ entryId, members }) => `${entryId} ${String(members[port.text])}`)
      .toSorted();
  for (const port of shape.ports)
    context.expect(told(other, port), `entries of ${port.member} of ${where}`, other).toEqual(told(first, port));
}

/** What the model does not know beforehand: as it was first seen it stays. */
export function compareLearned(comparison: Comparison, reply: Reply | undefined, where: string): void {
  if (reply === undefined) return;
  const { context, subject } = comparison;
  const { state } = subject;
  const members = restOf(dataOf(reply), stated(subject));
  same(comparison, `statement ${state.statements}`, members, `what was stated of ${where}`, reply);
  const current = stateIn(context, reply);
  if (typeof current === 'string')
    same(comparison, stateAfter(state.moves), current, `current state of ${where}`, reply);
}

/** Members of the smallest body, which every create and PUT states. */
function stated({ thing }: Subject): readonly string[] {
  const { type } = thing;
  const own = new Set([
    ...(type.scalars ?? []),
    type.object?.member,
    type.arrayPort?.member,
    type.secondArrayPort?.member,
    type.renamed?.input,
  ]);
  return Object.keys(type.body).filter((name) => !own.has(name));
}

/** The other members of each entry stay as they were first seen. */
function learnEntries(comparison: Comparison, read: Read<Reply>, port: Port, index: number): void {
  const { instance } = read;
  const { subject, where } = comparison;
  const seen = wholeOf(read, port.member);
  const believed = entriesOf(subject.state, index);
  for (const [at, { members }] of seen.entries()) {
    compareEntry(
      comparison,
      { members, port, name: `of entry ${at} of ${port.member} of ${where}` },
      believed[at],
      instance,
    );
  }
}

interface EntrySeen {
  readonly members: Readonly<Record<string, unknown>>;
  readonly port: Port;
  /** In words: `of entry 3 of files`. */
  readonly name: string;
}

/** What an entry holds beside its text, and inside it. */
export function compareEntry(
  comparison: Comparison,
  { members, port, name }: EntrySeen,
  entry: EntryState | undefined,
  seenIn: Reply | undefined,
): void {
  same(comparison, `entry ${entry?.key}`, restOf(members, otherMembers(port)), `other members ${name}`, seenIn);
  if (entry === undefined) return;
  const { expect } = comparison.context;
  for (const [value, given] of Object.entries(entry.values))
    expect(members[value], `${value} ${name}`, seenIn).toEqual(given);
  if (port.nested === undefined) return;
  const texts = textsInside(members, port.nested);
  expect(texts, `texts of ${port.nested.member} ${name}`, seenIn).toEqual(orderedAs(texts, entry.inside));
}

function textsInside(
  members: Readonly<Record<string, unknown>>,
  { member, text }: NonNullable<Port['nested']>,
): readonly unknown[] {
  const items: unknown = members[member];
  return (Array.isArray(items) ? items : []).map((item: unknown) => (isObject(item) ? item[text] : item));
}

function otherMembers(port: Port): readonly string[] {
  return [...Object.keys(port.entry), ...(port.mandatory === undefined ? [] : [port.mandatory])].filter(
    (name) => name !== port.text && name !== port.nested?.member,
  );
}

function restOf(members: Readonly<Record<string, unknown>>, names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, members[name] ?? null]));
}

/** What was once learned about something has not changed. */
export function same({ context, subject }: Comparison, about: string, now: unknown, name: string, reply?: Reply): void {
  const before = subject.learned.get(about);
  if (before === undefined) subject.learned.set(about, now);
  else context.expect(now, name, reply).toEqual(before);
}
