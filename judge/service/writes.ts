import { headerNames, mediaTypes } from '../../contract/names.ts';
import type { Profile } from '../../contract/profile.ts';
import { versionOf } from './answers.ts';
import type { CaseContext } from '../case.ts';
import { isSuccess, type Reply, type RequestSpec } from '../exchange.ts';
import { isObject, memberIn, pointer, valueAt, withTexts } from '../json.ts';
import { absoluteUrl, fillTemplate } from './requests.ts';
import type { Thing } from '../things.ts';
import { unlessRefused } from '../violation.ts';

/** A way to write; `request` makes one that is in order for the thing at its version, and that changes it by each call anew. */
export interface WriteRoute {
  readonly name: string;
  readonly request: (thing: Thing) => RequestSpec;
}

/** The routes that edit an object, as far as the profile binds them. */
export function editRoutes(context: CaseContext): readonly WriteRoute[] {
  const { service, given, profile } = context;
  const { scalars = [], secondInputSchema } = profile.primary;
  const operations = operationsOf(context);
  const isMerging = profile.offers('merge');
  const { routes, maturity } = profile.all;
  const whole = () => given.body(Object.fromEntries(scalars.map((member) => [member, given.unique('put')])));
  return [
    ...(isMerging
      ? [{ name: 'merge PATCH', request: (thing: Thing) => service.requests.merge(thing, anyEdit(context)) }]
      : []),
    ...(!isMerging || secondInputSchema === undefined || scalars.length === 0
      ? []
      : [
          {
            name: 'merge PATCH by another schema',
            request: (thing: Thing) => service.requests.merge(byAnotherSchema(thing), anyEdit(context)),
          },
        ]),
    ...(operations === undefined
      ? []
      : [{ name: 'operations PATCH', request: (thing: Thing) => service.requests.operations(thing, operations()) }]),
    ...(routes?.softTypePut === undefined
      ? []
      : [{ name: 'PUT', request: (thing: Thing) => service.requests.put(thing, whole()) }]),
    ...(maturity === undefined
      ? []
      : [{ name: 'promote', request: (thing: Thing) => service.requests.promote(thing) }]),
  ];
}

/** The thing with the other input schema in the routes that name one, where its SoftType has one. */
export function byAnotherSchema(thing: Thing): Thing {
  const { inputSchemaId, secondInputSchema = inputSchemaId } = thing.type;
  return { ...thing, type: { ...thing.type, inputSchemaId: secondInputSchema } };
}

/** Whether the SoftType has another input schema, and an object that was made by the first one is edited by it: that each schema is there for each object is not said. */
export async function takesOtherSchema(context: CaseContext): Promise<boolean> {
  const { service, notes, profile } = context;
  if (profile.primary.secondInputSchema === undefined || !profile.offers('merge')) return false;
  const reply = await service.merge(byAnotherSchema(await makeEditable(context)), anyEdit(context));
  notes.observe('status of an edit by another schema', reply.status, reply);
  return isSuccess(reply.status);
}

/** An object that was deleted and is not found any more; undefined where there is no route for that, or it is there still. */
export async function makeDeleted(context: CaseContext): Promise<Thing | undefined> {
  const { given, service, profile } = context;
  if (profile.all.routes?.softTypeDelete === undefined) return undefined;
  const thing = await given.object();
  const reply = await removeThing(context, thing);
  return isSuccess(reply.status) && !isSuccess((await service.read(thing)).status) ? thing : undefined;
}

/** A merge body that every object of the primary SoftType takes: a new text for a scalar, or the smallest body once more. */
export function anyEdit({ given, profile }: CaseContext): Record<string, unknown> {
  const [first] = profile.primary.scalars ?? [];
  return first === undefined ? given.body() : { [first]: given.unique('edit') };
}

/** Operations that an editable object takes; undefined where there are none, or the profile knows neither a scalar nor an array. */
function operationsOf({ given, profile }: CaseContext): (() => readonly object[]) | undefined {
  const { scalars: [first] = [], arrayPort } = profile.primary;
  if (!profile.offers('operations')) return undefined;
  if (first !== undefined) return () => [{ op: 'replace', path: pointer(first), value: given.unique('operations') }];
  if (arrayPort === undefined) return undefined;
  return () => [{ op: 'add', path: pointer(arrayPort.member), value: given.entry(given.unique('operations')) }];
}

/** The routes that make objects or carry several requests, as far as the deployment has them. */
export function otherWrites(context: CaseContext): readonly WriteRoute[] {
  const { service, given, profile } = context;
  const batch: WriteRoute = {
    name: 'batch',
    request: (thing) => service.requests.batch([asOperation(service.requests.edit(thing, anyEdit(context)))]),
  };
  const multiCreate: WriteRoute = {
    name: 'multi-create',
    request: () =>
      service.requests.multiCreate([{ $id: 'one', $softType: profile.primary.definitionId, data: given.body() }]),
  };
  return [
    { name: 'create', request: () => service.requests.create(given.body()) },
    ...(profile.offers('batch') ? [batch] : []),
    ...(profile.offers('multi-create') ? [multiCreate] : []),
  ];
}

/** A thing that every edit route can edit: its first scalar, where the profile knows one, has a value. */
export function makeEditable({ given, profile }: CaseContext): Promise<Thing> {
  const [first] = profile.primary.scalars ?? [];
  return given.object(first === undefined ? {} : { [first]: given.unique('before') });
}

/**
 * The routes of these that work at all, tried on objects of their own. What the document shows and the target does not serve
 * is judged by the rules of that route, not by those that only ride on it.
 */
export async function findWorking(context: CaseContext, routes: readonly WriteRoute[]): Promise<readonly WriteRoute[]> {
  const served: WriteRoute[] = [];
  for (const route of routes) {
    const reply = await context.service.send(route.request(await makeEditable(context)));
    if (isSuccess(reply.status)) served.push(route);
    else context.notes.observe(`${route.name} works`, false, reply);
  }
  return served;
}

/** Whether the Location of an answer leads to an object. That of a refusal may lead to what explains it. */
export async function leadsToObject({ service }: Pick<CaseContext, 'service'>, reply: Reply): Promise<boolean> {
  const location = reply.headers['location'];
  if (location === undefined) return false;
  const read = await unlessRefused(() => service.get(location, { base: reply }));
  return read?.status === 200 && isObject(valueAt(read.json, '/data'));
}

/** What a read answers of an object that was there once. Source: core, Errors 404; RFC 9110, 15.5.11 */
export const goneStatuses = [404, 410] as const;

/** DELETE, with the version where the target asks for it: whether it has to be there is not said. */
export async function removeThing({ service, notes }: CaseContext, thing: Thing): Promise<Reply> {
  const reply = await service.remove(thing);
  notes.observe('DELETE without version header', reply.status, reply);
  return reply.status === 412 ? service.remove(thing, { version: thing.version }) : reply;
}

type LockRoute = NonNullable<NonNullable<Profile['routes']>['lockTake']>;

/** Takes or frees the lock of a thing; with the version where the method is one that needs it. */
export function lockRequest(
  { profile }: CaseContext,
  route: LockRoute | undefined,
  { oid, version }: Thing,
): RequestSpec {
  const { method = 'POST', path = '', body } = route ?? {};
  const url = absoluteUrl(profile.all, fillTemplate(path, { spaceId: profile.all.space, objectId: oid }));
  const filledIn: unknown = body && withTexts(body, (text) => text.replaceAll('{objectId}', () => oid));
  return {
    method,
    url,
    as: 'editor',
    unbooked: true,
    ...(body && { body: filledIn }),
    ...((method === 'PUT' || method === 'PATCH') && { version }),
  };
}

/** By which a list of operations is told from fields. Source: core, Operations-based PATCH rules 1 */
export function typeOfContent({ method, body }: Pick<RequestSpec, 'method' | 'body'>): string {
  return method === 'PATCH' && Array.isArray(body) ? mediaTypes.operations : mediaTypes.json;
}

export function asOperation(request: RequestSpec): object {
  const version =
    request.version === null || request.version === undefined ? {} : { 'Svc-UOIVersion': String(request.version) };
  const type = request.body === undefined ? {} : { 'Content-Type': typeOfContent(request) };
  const headers = { ...version, ...type };
  return {
    method: request.method,
    href: request.url,
    ...(request.body !== undefined && { body: request.body }),
    ...(Object.keys(headers).length > 0 && { headers }),
  };
}

/** Version as the next read shows it. */
export async function readVersion(context: CaseContext, thing: Thing): Promise<number> {
  return versionIn(context, await context.service.read(thing));
}

export function versionIn({ given }: CaseContext, reply: Reply): number {
  given.succeeded(reply, 'the object is readable', ['reading.instance.short-route-served']);
  const version = versionOf(reply);
  return given.present(typeof version === 'number' ? version : undefined, 'a version that is a number', [
    'reading.body.version-is-integer',
  ]);
}

/** A thing that was edited until its version is `above` higher than at its creation. */
export async function makeEdited(context: CaseContext, above: number): Promise<Thing> {
  return context.given.edited(await makeEditable(context), above);
}

/** Sends the write with each of these versions: 409 every time, nothing changed; with the current one it succeeds. */
export async function expectStaleRefused(
  context: CaseContext,
  thing: Thing,
  write: (thing: Thing) => RequestSpec,
  versions: readonly number[],
): Promise<void> {
  const { service, expect } = context;
  const before = await service.snapshot(thing);
  for (const version of versions) {
    const reply = await service.send(write(thing), { version });
    expect(reply).toAnswer(409);
  }
  expect.unchanged(before, await service.snapshot(thing));
  const request = write(thing);
  expect(await service.send(request)).toSucceed();
  // sent again it would change nothing, and is as stale as any other
  if ((await service.snapshot(thing)).version !== before.version) expect(await service.send(request)).toAnswer(409);
}

/** Sends the write without version header, and with what could be mistaken for it: 412, nothing changed; with it it succeeds. */
export async function expectUnversionedRefused(
  context: CaseContext,
  write: (thing: Thing) => RequestSpec,
): Promise<void> {
  const { service, expect } = context;
  const thing = await makeEditable(context);
  const before = await service.snapshot(thing);
  const request = write(thing);
  expect(await service.send(request, { version: null })).toAnswer(412);
  // a header that the documents do not show may be refused for itself
  expect(await service.send(request, { version: null, headers: versionElsewhere(thing) })).toBeRefused();
  // a body with a system member may be refused for that
  if (isObject(request.body))
    expect(
      await service.send(request, { body: { ...request.body, $version: thing.version }, version: null }),
    ).toBeRefused();
  expect.unchanged(before, await service.snapshot(thing));
  expect(await service.send(request)).toSucceed();
}

/** The version in the header that HTTP has for it, which the documents do not show. */
export function versionElsewhere({ version }: Thing): Readonly<Record<string, string>> {
  return { 'If-Match': `"${version}"` };
}

export function headerVersion(headers: Readonly<Record<string, string | undefined>>): number | undefined {
  const text = headers[headerNames.version.toLowerCase()];
  return text === undefined ? undefined : Number(text);
}

/** The path that a replace of a dated element has in a thing: {entryId} becomes the id of the first entry of the array before it. */
export async function datedPathIn(
  { service }: Pick<CaseContext, 'service'>,
  thing: Thing,
  { path }: { readonly path: string },
): Promise<string> {
  if (!path.includes('{entryId}')) return path;
  const { json } = await service.readLong(thing);
  const data: unknown = memberIn(json, 'data');
  const [first = '', ...parts] = path.split('/{entryId}');
  let at = first;
  let filled = first;
  for (const part of parts) {
    filled += pointer(String(valueAt(data, `${at}/0/$entryId`) ?? '')) + part;
    at += `/0${part}`;
  }
  return filled;
}

/** What many edits together may take that come before what a case is about, in ms. */
const mostEditingMs = 10_000;

/** The thing after so many edits that it has this version, or after fewer where they take long. */
export async function editedUntil(context: CaseContext, thing: Thing, version: number): Promise<Thing> {
  let latest = thing;
  let tookMs = 0;
  while (latest.version < version && tookMs < mostEditingMs) {
    const reply = await context.service.edit(latest, anyEdit(context));
    context.given.succeeded(reply, 'an edit with the current version is accepted', ['patch.merge.edits-named-member']);
    tookMs += reply.exchange.durationMs;
    latest = { ...latest, version: latest.version + 1 };
  }
  return latest;
}
