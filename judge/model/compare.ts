import { entriesPerPage } from '../../contract/limits.ts';
import {
  dataOf,
  entriesOf as readEntries,
  entriesOfPage,
  pageLinks,
  pageLinksOf,
  textsOf,
  versionOf,
} from '../answers.ts';
import type { CaseContext } from '../case.ts';
import type { Reply } from '../exchange.ts';
import { isObject } from '../json.ts';
import { stateIn } from '../maturity.ts';
import { joinPages, readFirst, readView, type Shape, stateAfter, type Subject, type View } from './object.ts';
import { entriesOf, type EntryState, type Texts } from './state.ts';
import type { Entry } from '../target.ts';
import type { Port } from '../things.ts';

/** What is compared, and after what. */
interface Comparison {
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
  const view = await readView(context, shape, subject);
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
  const seen = joinPages(first, pages.slice(1), port);
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

/** The page link of an array of `count` entries counts them. Up to ten there need be none, which `paging.link.absent-up-to-ten` advises; one that is there counts as well. */
function comparePageLinks({ context, where }: Comparison, reply: Reply, port: Port, count: number): void {
  const { expect } = context;
  const links = pageLinksOf(reply, port, false);
  const place = `${port.member} of ${where}`;
  if (count === 0) return;
  if (count > entriesPerPage)
    expect(pageLinks(reply).length, `page links while ${place} has ${count} entries`, reply).toSatisfy(
      '1 or more',
      (length) => length >= 1,
    );
  for (const link of links) {
    expect(link['totalNumber'], `totalNumber of ${place}`, reply).toEqual(count);
    expect(link['pages'], `pages of ${place}`, reply).toEqual(Math.ceil(count / entriesPerPage));
  }
}

/** The pages of the first port, one after the other, hold each entry of the model once; first read and page link agree on their number. */
export async function comparePaged(comparison: Comparison): Promise<void> {
  const { context, shape, subject, where } = comparison;
  const { service, expect, given } = context;
  const port = given.present(shape.ports[0], 'an array port');
  const count = entriesOf(subject.state, 0).length;
  const numbers = Array.from({ length: Math.ceil(count / entriesPerPage) }, (_page, number) => number);
  const [read, ...pages] = await Promise.all([
    readFirst(service, subject.thing),
    ...numbers.map((number) => service.page(subject.thing, number, { port })),
  ]);
  const place = `${port.member} of ${where}, which has ${count} entries`;
  expect(read).toAnswer(200);
  expect(readEntries(read, port).length, `entries in the first read of ${place}`, read).toEqual(
    Math.min(entriesPerPage, count),
  );
  comparePageLinks(comparison, read, port, count);
  for (const [number, page] of pages.entries()) {
    expect(page).toAnswer(200);
    expect(versionOf(page), `version of page ${number} of ${place}`, page).toEqual(subject.state.version);
    expect(entriesOfPage(page).length, `entries on page ${number} of ${place}`, page).toEqual(
      Math.min(entriesPerPage, count - number * entriesPerPage),
    );
  }
  const seen = pages.flatMap(entriesOfPage);
  if (subject.unordered)
    subject.state = {
      ...subject.state,
      arrays: subject.state.arrays.with(0, inOrderOf(entriesOf(subject.state, 0), seen, port)),
    };
  const texts = entriesOf(subject.state, 0).map(({ text }) => text ?? null);
  expect(
    seen.map((entry) => textOf(entry, port)),
    `texts on all pages of ${place}`,
    pages.at(-1) ?? read,
  ).toEqual(texts);
  subject.unordered = false;
  subject.ids = [seen.map(({ entryId }) => entryId)];
}
