import { isDeepStrictEqual } from 'node:util';
import { decodedOnce } from '../../../fixtures/values.ts';
import { dataOf, linksOf, versionOf } from '../../../judge/service/answers.ts';
import {
  bodyOfResult,
  operationsOf,
  readerMayBatch,
  resultsOf,
  sendBatch,
  statusesOf,
  withHeader,
} from '../../../judge/service/batch.ts';
import type { CaseContext } from '../../../judge/case.ts';
import type { Reply, RequestSpec } from '../../../judge/exchange.ts';
import { isObject, objectsIn } from '../../../judge/json.ts';
import {
  makeFilterable,
  withFilter,
  withFilterOnPage,
  withValue,
  withValueOnPage,
} from '../../../judge/service/queries.ts';
import type { Owner, Port, Thing } from '../../../judge/things.ts';
import { anyEdit, editRoutes, makeEditable } from '../../../judge/service/writes.ts';
import { lookAfterEachChange } from './each-change.ts';
import { waysToRead } from './ways-to-read.ts';

/** Each way to read shows in a batch what it shows alone; an href may have another form there. */
export async function expectReadEachWay(context: CaseContext, owner: Owner): Promise<void> {
  const { service, expect } = context;
  for (const { by, request } of waysToRead(context, owner)) {
    const alone = await service.send(request);
    if (alone.status !== 200) continue;
    const reply = await sendBatch(context, [request]);
    expect(reply.status, `status of a batch with a read by ${by}, which is served alone`, reply).toEqual(200);
    const body = bodyOfResult(resultsOf(reply)[0]);
    const read = { alone, again: () => service.send(request), by, reply };
    await expectSameData(context, body['data'], read);
    await expectSameSchema(context, body['schema'], read);
    expect(linesOf(body['links']), `links of a read by ${by} in a batch`, reply).toEqual(linesOf(linksOf(alone)));
  }
  await expectSameForReader(context, owner);
}

/** A read may bring a tag; with one that nobody was given it is none that the client holds already. Ledger: batch-etag-headers */
export async function tellTagTaken(context: CaseContext, thing: Thing): Promise<void> {
  const { given, service, notes } = context;
  const [read] = await operationsOf(context, [service.requests.read(thing)]);
  const tagged = withHeader(read, 'If-None-Match', `"${given.unique('tag')}"`);
  const reply = await service.batch([given.present(read, 'an operation'), tagged]);
  if (reply.status === 200 && statusesOf(reply)[1] === 200) return;
  notes.remark('a read in a batch that brings a tag which nobody was given is not answered as one without', reply);
}

/** Whoever may read and send a batch reads the same in one, and sees the same links. */
async function expectSameForReader(context: CaseContext, owner: Owner): Promise<void> {
  const { service, expect, profile } = context;
  if (profile.all.identities.reader === undefined || !(await readerMayBatch(context))) return;
  const request = service.requests.read(owner);
  const alone = await service.send(request, { as: 'reader' });
  const reply = await sendBatch(context, [request], { as: 'reader' });
  if (alone.status !== 200 || reply.status !== 200) return;
  const body = bodyOfResult(resultsOf(reply)[0]);
  const again = () => service.send(request, { as: 'reader' });
  await expectSameData(context, body['data'], { alone, again, by: 'the reader', reply });
  expect(linesOf(body['links']), 'links of a read in a batch of the reader', reply).toEqual(linesOf(linksOf(alone)));
}

/** Links are those of who sent the batch, whoever's token a read in it brings; where such a read is refused, nothing shows. */
export async function expectLinksOfSender(context: CaseContext, thing: Thing): Promise<void> {
  const { service, expect, notes } = context;
  const request = service.requests.read(thing);
  const own = linesOf(linksOf(await service.send(request)));
  const [operation] = await operationsOf(context, [request]);
  const asReader = withHeader(operation, 'Authorization', `Bearer ${await service.token('reader')}`);
  const reply = await service.batch([asReader]);
  notes.observe('status of a batch of the editor with a read that brings the token of the reader', reply.status, reply);
  if (reply.status !== 200) return;
  const { links } = bodyOfResult(resultsOf(reply)[0]);
  expect(linesOf(links), 'links of a read in a batch of the editor that brings the token of the reader', reply).toEqual(
    own,
  );
}

interface ReadAlone {
  readonly alone: Reply;
  readonly again: () => Promise<Reply>;
  readonly by: string;
  /** The batch. */
  readonly reply: Reply;
}

/** A read in a batch tells what it tells alone; a member of the service's own that each read shows anew, such as an address for a while, is left out. */
async function expectSameData({ expect }: CaseContext, data: unknown, read: ReadAlone): Promise<void> {
  const { alone, again, by, reply } = read;
  const isSame = isDeepStrictEqual(withoutHrefs(data), withoutHrefs(dataOf(alone)));
  const later = isSame ? undefined : dataOf(await again());
  const [seen, right] = [data, dataOf(alone)].map((each) => withoutChanging(each, dataOf(alone), later));
  expect(withoutHrefs(seen), `data of a read by ${by} in a batch`, reply).toEqual(withoutHrefs(right));
}

/** The schema that stands beside the data is that of the way to read, where two reads of a route show one and the same. */
async function expectSameSchema({ expect }: CaseContext, schema: unknown, read: ReadAlone): Promise<void> {
  const { alone, again, by, reply } = read;
  const right = schemaOf(alone);
  if (right === undefined || schema === undefined || isDeepStrictEqual(withoutHrefs(schema), withoutHrefs(right)))
    return;
  if (isDeepStrictEqual(schemaOf(await again()), right))
    expect(withoutHrefs(schema), `schema of a read by ${by} in a batch`, reply).toEqual(withoutHrefs(right));
}

function schemaOf({ json }: Reply): unknown {
  return isObject(json) ? json['schema'] : undefined;
}

/** The value without the members that differ between two reads of one version. */
function withoutChanging(value: unknown, one: unknown, other: unknown): unknown {
  if (Array.isArray(value))
    return value.map((item: unknown, index) => withoutChanging(item, itemAt(one, index), itemAt(other, index)));
  if (!isObject(value) || !isObject(one) || !isObject(other)) return value;
  const isChanging = (name: string): boolean =>
    !isObject(one[name]) &&
    !Array.isArray(one[name]) &&
    Object.hasOwn(one, name) &&
    Object.hasOwn(other, name) &&
    one[name] !== other[name];
  const members = Object.entries(value).filter(([name]) => !isChanging(name));
  return Object.fromEntries(members.map(([name, member]) => [name, withoutChanging(member, one[name], other[name])]));
}

function itemAt(value: unknown, index: number): unknown {
  return Array.isArray(value) ? value[index] : undefined;
}

export function withoutHrefs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutHrefs);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([name]) => name !== 'href');
  return Object.fromEntries(members.map(([name, member]) => [name, withoutHrefs(member)]));
}

/** An operation stands for the whole request, its query as well: under a filter it reads what the route reads under it. */
export async function expectFilteredRead(context: CaseContext): Promise<void> {
  const { given, service, profile } = context;
  const { fixed, withValue: blank } = profile.all.filters ?? {};
  if (fixed !== undefined) {
    const { owner } = await makeFilterable(context, { matching: 3, other: 4 });
    await expectSameReads(context, owner, [{ ...service.requests.read(owner), ...withFilter(context, owner) }]);
  }
  if (blank === undefined) return;
  const value = `${given.unique()} ${decodedOnce}`;
  const owner = await given.objectWithEntries(4, {
    members: (index) => ({ [blank.member]: index % 2 === 0 ? value : given.unique() }),
  });
  await expectSameReads(
    context,
    owner,
    [value, given.unique('nobody')].map((one) => ({
      ...service.requests.read(owner),
      ...withValue(context, owner, one),
    })),
  );
}

/** Filtered reads in one batch show what each shows alone, as far as the filter tells it from a plain one. */
async function expectSameReads(context: CaseContext, owner: Owner, requests: readonly RequestSpec[]): Promise<void> {
  const { service, expect, notes } = context;
  const plain = await service.read(owner);
  const alone: Reply[] = [];
  for (const request of requests) alone.push(await service.send(request));
  const [all, ...admitted] = [plain, ...alone].map((reply) => tellingOf(dataOf(reply)[owner.port.member], owner.port));
  const tells = admitted.every((entries) => JSON.stringify(all) !== JSON.stringify(entries));
  notes.observe('filters that tell reads in a batch from one without them', tells, alone[0]);
  if (!tells) return;
  const reply = await sendBatch(context, requests);
  expect(reply).toAnswer(200);
  for (const [index, entries] of admitted.entries()) {
    const data = bodyOfResult(resultsOf(reply)[index])['data'];
    expect(
      tellingOf(isObject(data) ? data[owner.port.member] : undefined, owner.port),
      'entries of a filtered read in a batch',
      reply,
    ).toEqual(entries);
  }
}

/** Where a batch carries reads of pages, which is not said, each of them is the page that is read alone, under its filter as well. */
export async function expectSamePages(context: CaseContext, owner: Owner): Promise<void> {
  const { given, service, profile } = context;
  const { fixed, withValue: blank } = profile.all.filters ?? {};
  const page = (of: Owner, number: number): RequestSpec => service.requests.page(of, number);
  if (!(await arePagesAsAlone(context, owner, [page(owner, 1), page(owner, 0)]))) return;
  if (fixed !== undefined) {
    const { owner: filtered } = await makeFilterable(context, { matching: 3, other: 4 });
    const first = page(filtered, 0);
    await arePagesAsAlone(context, filtered, [first, { ...first, ...withFilterOnPage(context, filtered, 0) }]);
  }
  if (blank === undefined) return;
  const value = `${given.unique()} ${decodedOnce}`;
  const members = (index: number) => ({ [blank.member]: index % 2 === 0 ? value : given.unique() });
  const valued = await given.objectWithEntries(4, { members });
  const first = page(valued, 0);
  await arePagesAsAlone(context, valued, [{ ...first, ...withValueOnPage(context, valued, 0, value) }, first]);
}

/** Asserts that the pages tell in one batch what each tells alone; false where a batch carries none. */
async function arePagesAsAlone(context: CaseContext, owner: Owner, requests: readonly RequestSpec[]): Promise<boolean> {
  const { service, expect, notes } = context;
  const alone: Reply[] = [];
  for (const request of requests) alone.push(await service.send(request));
  const reply = await sendBatch(context, requests);
  notes.observe('two pages are read in a batch', reply.status, reply);
  if (reply.status !== 200) return false;
  for (const [index, { status, json }] of alone.entries()) {
    const { data, version } = bodyOfResult(resultsOf(reply)[index]);
    if (status !== 200 || !isObject(json)) continue;
    expect(version, 'version of a page in a batch', reply).toEqual(json['version']);
    expect(tellingOf(data, owner.port), 'entries of a page in a batch', reply).toEqual(
      tellingOf(json['data'], owner.port),
    );
  }
  return true;
}

/** A read in a batch tells the object as it is after every way to change it. */
export async function expectCurrentInBatch(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const { scalars = [] } = profile.primary;
  const thing = await given.object(Object.fromEntries(scalars.map((member) => [member, given.unique()])));
  const told = (version: unknown, data: unknown): object => toldOf(scalars, version, data);
  await lookAfterEachChange(context, thing, async (when) => {
    const reply = await sendBatch(context, [service.requests.read(thing), service.requests.read(thing)]);
    const alone = await service.read(thing);
    expect(reply.status, `status of a batch of two reads ${when}`, reply).toEqual(200);
    for (const result of resultsOf(reply)) {
      const { version, data } = bodyOfResult(result);
      expect(told(version, data), `what a read in a batch tells ${when}`, reply).toEqual(
        told(versionOf(alone), dataOf(alone)),
      );
    }
  });
}

/** A read behind a write of its own batch tells the object as it was or as it is then, and no mixture: which of the two is not said. */
export async function expectWholeBehindWrites(context: CaseContext): Promise<void> {
  const { service, expect, profile } = context;
  const { scalars = [] } = profile.primary;
  for (const { name, request } of editRoutes(context)) {
    const thing = await makeEditable(context);
    const before = await service.read(thing);
    const reply = await sendBatch(context, [request(thing), service.requests.read(thing)]);
    if (reply.status !== 200) continue;
    const after = await service.read(thing);
    const { version, data } = bodyOfResult(resultsOf(reply)[1]);
    const [was, is] = [before, after].map((read) => toldOf(scalars, versionOf(read), dataOf(read)));
    const behind = toldOf(scalars, version, data);
    const wanted = isDeepStrictEqual(behind, was) ? was : is;
    expect(behind, `what a read tells behind a ${name} of its batch`, reply).toEqual(wanted);
  }
  await expectEntriesBehindMerge(context);
}

async function expectEntriesBehindMerge(context: CaseContext): Promise<void> {
  const { given, service, expect } = context;
  const owner = await given.objectWithEntries(2);
  const entriesOf = (data: unknown): readonly unknown[] =>
    tellingOf(isObject(data) ? data[owner.port.member] : undefined, owner.port);
  const was = entriesOf(dataOf(await service.read(owner)));
  const reply = await sendBatch(context, [
    service.requests.merge(owner, anyEdit(context)),
    service.requests.read(owner),
  ]);
  if (reply.status !== 200) return;
  const behind = entriesOf(bodyOfResult(resultsOf(reply)[1]).data);
  const wanted = isDeepStrictEqual(behind, was) ? was : entriesOf(dataOf(await service.read(owner)));
  expect(behind, `entries of ${owner.port.member} behind a merge of the batch`, reply).toEqual(wanted);
}

function toldOf(scalars: readonly string[], version: unknown, data: unknown): object {
  const content = isObject(data) ? data : {};
  return {
    version,
    ...Object.fromEntries(['$version', '$oid', '$softType', ...scalars].map((name) => [name, content[name] ?? null])),
  };
}

/** What tells links apart; an href may have another form in a batch. */
export function linesOf(links: unknown): readonly string[] {
  const members = ['rel', 'method', 'sectionPath', 'pages', 'totalNumber'];
  return objectsIn(links)
    .map((link) => members.map((member) => String(link[member])).join(' '))
    .sort();
}

/** `$entryId` and text of the entries of an array. */
export function tellingOf(array: unknown, port: Port): readonly unknown[] {
  return objectsIn(array).map((entry) => [entry['$entryId'], entry[port.text]]);
}
