import { entriesPerPage } from '../../contract/limits.ts';
import { dataOf, entriesOf as readEntries, entriesOfPage, isObject, textsOf, versionOf } from '../answer.ts';
import type { CaseContext } from '../case.ts';
import type { Reply } from '../exchange.ts';
import type { Port } from '../given.ts';
import { stateIn } from '../maturity-state.ts';
import { comparePageLinks } from './links.ts';
import { joined, type View, viewOf } from './reads.ts';
import type { Shape } from './shape.ts';
import { entriesOf, type EntryState, type Texts } from './state.ts';
import { stateAfter, type Subject } from './subject.ts';
import type { Entry } from '../target.ts';

/** What is compared, and after what. */
export interface Comparison {
  readonly context: CaseContext;
  readonly shape: Shape;
  readonly subject: Subject;
  /** In words: `object 1 after append`. */
  readonly where: string;
}

export type Compare = (comparison: Comparison) => Promise<void>;

/** Everything that can be seen of the object, by every read route, is as the model has it. */
export async function compareWhole(comparison: Comparison): Promise<void> {
  const { context, shape, subject } = comparison;
  const view = await viewOf(context, shape, subject);
  for (const [index, reply] of view.instances.entries())
    compareInstance(comparison, reply, index === 0 ? '' : ' by the long route');
  const ids = shape.ports.map((port, index) => compareArray(comparison, view, port, index));
  for (const reply of view.instances)
    for (const [index, port] of shape.ports.entries())
      comparePageLinks(comparison, reply, port, entriesOf(subject.state, index).length);
  subject.unordered = false;
  subject.ids = ids;
  compareFiltered(comparison, view);
}

function compareInstance({ context, shape, subject, where }: Comparison, reply: Reply, route: string): void {
  const { expect } = context;
  const { state, thing } = subject;
  expect(reply).toAnswer(200);
  const data = dataOf(reply);
  expect(versionOf(reply), `version of ${where}${route}`, reply).toEqual(state.version);
  expect(data['$version'] ?? state.version, `$version of ${where}${route}`, reply).toEqual(state.version);
  expect(data['$oid'] ?? thing.oid, `$oid of ${where}${route}`, reply).toEqual(thing.oid);
  for (const name of shape.scalars)
    expect(data[name] ?? null, `${name} of ${where}${route}`, reply).toEqual(state.scalars[name] ?? null);
  if (shape.object !== undefined)
    expect(
      textsIn(data[shape.object.member], shape.object.scalars),
      `${shape.object.member} of ${where}${route}`,
      reply,
    ).toEqual(state.inner ?? {});
  same(
    { context, shape, subject, where },
    `statement ${state.statements}`,
    restOf(data, stated(subject)),
    `what was stated of ${where}${route}`,
    reply,
  );
  const current = stateIn(context, reply);
  if (typeof current === 'string')
    same(
      { context, shape, subject, where },
      stateAfter(state.moves),
      current,
      `current state of ${where}${route}`,
      reply,
    );
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

/** Texts inside the object member; nothing where it has no value, however that is written. */
function textsIn(value: unknown, names: readonly string[]): Texts {
  const source = isObject(value) ? value : {};
  return Object.fromEntries(names.flatMap((name) => (typeof source[name] === 'string' ? [[name, source[name]]] : [])));
}

/** Order, texts and ids of the entries of one port, by all routes; returns the ids. */
function compareArray(comparison: Comparison, view: View, port: Port, index: number): readonly string[] {
  const { context, subject, where } = comparison;
  const [first] = view.instances;
  const pages = view.pages[index] ?? [];
  if (first === undefined) return [];
  const seen = joined(first, pages.slice(1), port);
  const place = `${port.member} of ${where}`;
  if (subject.unordered)
    subject.state = {
      ...subject.state,
      arrays: subject.state.arrays.with(index, inOrderOf(entriesOf(subject.state, index), seen, port)),
    };
  const believed = entriesOf(subject.state, index);
  context
    .expect(
      seen.map((entry) => textOf(entry, port)),
      `texts of ${place}`,
      pages.at(-1) ?? first,
    )
    .toEqual(believed.map(({ text }) => text ?? null));
  context
    .expect(new Set(seen.map(({ entryId }) => entryId)).size, `different entry ids in ${place}`, first)
    .toEqual(seen.length);
  for (const [at, entry] of seen.entries())
    same(
      comparison,
      `entry ${believed[at]?.key}`,
      restOf(entry.members, otherMembers(port)),
      `other members of entry ${at} of ${place}`,
      first,
    );
  for (const [number, page] of pages.entries())
    comparePage(comparison, page, port, seen.slice(number * 10, number * 10 + 10), `page ${number} of ${place}`);
  for (const reply of view.instances.slice(1))
    sameEntries(comparison, readEntries(reply, port), seen.slice(0, 10), port, `${place} by the long route`, reply);
  return seen.map(({ entryId }) => entryId);
}

function comparePage(comparison: Comparison, page: Reply, port: Port, believed: readonly Entry[], place: string): void {
  const { expect } = comparison.context;
  expect(page).toAnswer(200);
  expect(versionOf(page), `version of ${place}`, page).toEqual(comparison.subject.state.version);
  sameEntries(comparison, entriesOfPage(page), believed, port, place, page);
}

/** The same set; nothing is said about the order by different routes. */
function sameEntries(
  { context }: Comparison,
  entries: readonly Entry[],
  others: readonly Entry[],
  port: Port,
  place: string,
  reply: Reply,
): void {
  const told = (list: readonly Entry[]): readonly string[] =>
    list.map((entry) => `${entry.entryId} ${textOf(entry, port)}`).sort();
  context.expect(told(entries), `entries of ${place}`, reply).toEqual(told(others));
}

/** The entries in the order in which they are seen, where they are the same; nothing is said about that of a create. */
export function inOrderOf(believed: readonly EntryState[], seen: readonly Entry[], port: Port): readonly EntryState[] {
  const byText = new Map(believed.map((entry) => [entry.text, entry]));
  const ordered = [...new Set(seen.flatMap((entry) => byText.get(textOf(entry, port) ?? undefined) ?? []))];
  return ordered.length === believed.length ? ordered : believed;
}

export function textOf({ members }: Entry, port: Port): string | null {
  const text = members[port.text];
  return text === undefined || text === null ? null : String(text);
}

function otherMembers(port: Port): readonly string[] {
  return [...Object.keys(port.entry), ...(port.mandatory === undefined ? [] : [port.mandatory])].filter(
    (name) => name !== port.text && name !== port.nested?.member,
  );
}

/** Members that the model does not know beforehand: as they were first seen they stay. */
function restOf(members: Readonly<Record<string, unknown>>, names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, members[name] ?? null]));
}

/** What was once learned about something has not changed. */
function same({ context, subject }: Comparison, about: string, now: unknown, name: string, reply: Reply): void {
  const before = subject.learned.get(about);
  if (before === undefined) subject.learned.set(about, now);
  else context.expect(now, name, reply).toEqual(before);
}

/** Instance read and pages with the fixed filter show what it admits, each entry once; nothing is said about their order. */
function compareFiltered(comparison: Comparison, { filtered }: View): void {
  const { context, shape, subject, where } = comparison;
  const { expect } = context;
  const [port] = shape.ports;
  if (filtered === undefined || port === undefined) return;
  const { instance, pages } = filtered;
  const admitted = entriesOf(subject.state, 0).filter((entry) => entry.admitted);
  const place = `${port.member} of ${where} with the filter`;
  expect(instance).toAnswer(200);
  expect(versionOf(instance), `version of ${where} with the filter`, instance).toEqual(subject.state.version);
  const first = sorted(textsOf(readEntries(instance, port), port));
  expect(first.length, `entries of ${place}`, instance).toEqual(Math.min(entriesPerPage, admitted.length));
  comparePageLinks(comparison, instance, port, admitted.length);
  const paged = pages.map((page) => {
    expect(page).toAnswer(200);
    return textsOf(entriesOfPage(page), port);
  });
  if (pages.length > 0) expect(sorted(paged[0] ?? []), `page 0 of ${place}`, pages[0]).toEqual(first);
  const all = pages.length > 0 ? paged.flat() : first;
  expect(sorted(all), `texts of ${place}, all pages`, pages.at(-1) ?? instance).toEqual(
    sorted(admitted.map(({ text }) => text)),
  );
}

function sorted(texts: readonly unknown[]): readonly string[] {
  return texts.map((text) => (typeof text === 'string' ? text : '')).sort();
}
