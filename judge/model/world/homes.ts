import { isDeepStrictEqual } from 'node:util';
import { entriesPerPage } from '../../../contract/limits.ts';
import type { SoftTypeProfile } from '../../../contract/profile.ts';
import { numberKinds } from '../../../fixtures/values.ts';
import { dataOf, expandLink, memberOf, onlyPageLink } from '../../service/answers.ts';
import { editRequest, readerMayBatch, sendBatch } from '../../service/batch.ts';
import type { CaseContext } from '../../case.ts';
import { isSuccess, type RequestSpec } from '../../exchange.ts';
import { usualHeaders } from '../../service/requests.ts';
import { isObject, pointer } from '../../json.ts';
import { promoteOn, stateFieldOf, stateFields } from '../../service/maturity.ts';
import { urlInSpace } from '../../every-answer/openapi.ts';
import { bearing, isBearable } from '../../service/token.ts';
import { item, makeReferrer, shownReference, targetIn } from '../../service/referrers.ts';
import { enterSecondSpace } from '../../service/second-space.ts';
import { referencesIn, softTypesOf } from '../../service/soft-types.ts';
import type { Thing } from '../../things.ts';
import { byAnotherSchema, makeEditable } from '../../service/writes.ts';
import type { Sender } from './ways.ts';
import { idsIn, type Shape, shapeOf, shapeOfOther, withoutDefaults } from '../object.ts';

/** Where objects of a history live: a SoftType in a space. */
export interface Home {
  readonly shape: Shape;
  readonly space: string;
  readonly as: 'editor' | 'outsider';
  /** Whether filters, levels and other schemas of the profile are about it. */
  readonly isPrimary: boolean;
}

/** What a target offers beside edits of one object. */
export type Offer =
  | 'batch'
  | 'create in a batch'
  | 'batch of a reader'
  | 'personal token'
  | 'multi-create'
  | 'several'
  | 'inside entry'
  | 'add reference'
  | 'remove reference'
  | 'pages of references'
  | 'promote elsewhere'
  | 'another schema'
  | 'delete';

/** Where a history can go, and what it can do there. */
export interface World {
  readonly context: CaseContext;
  /** The primary SoftType first. */
  readonly homes: readonly Home[];
  readonly offers: ReadonlySet<Offer>;
}

/** Tries each way once: what does not work at all is judged by the rules of that way. */
export async function openWorld(context: CaseContext): Promise<World> {
  const { profile } = context;
  const { primary, all } = profile;
  const tried = await shapeOf(context);
  const shape: Shape = {
    ...tried,
    scalars: [...new Set([...tried.scalars, primary.escaped, primary.renamed?.input])].filter(
      (name) => name !== undefined,
    ),
    ...(primary.renamed && { renamed: primary.renamed }),
    numbersTaken: await numbersTaken(context, tried.numbers),
    ...(tried.kinds.has('promote') && (await movesLevelsTogether(context)) && { levelsTogether: true }),
  };
  const others = softTypesOf(all).filter(({ definitionId }) => definitionId !== primary.definitionId);
  const second = await enterSecondSpace(context);
  const homes: readonly Home[] = [
    { shape, space: all.space, as: 'editor', isPrimary: true },
    ...(await Promise.all(others.map((type) => openHome(context, tried, { type, space: all.space, as: 'editor' })))),
    ...(second === undefined ? [] : [await openHome(context, tried, { ...second.of, as: second.as })]),
  ];
  return { context, homes, offers: await offersOf(context, shape) };
}

/** Numbers of which kinds each of these members keeps: one may be declared so that it takes some of them alone. */
async function numbersTaken(
  context: CaseContext,
  names: readonly string[],
): Promise<Readonly<Record<string, readonly number[]>>> {
  const { service, given } = context;
  const kept = async (name: string, number: number): Promise<boolean> => {
    const body = given.body({ [name]: number });
    const created = await service.create(body);
    if (!isSuccess(created.status)) return false;
    return dataOf(await service.read(await given.found(created, body)))[name] === number;
  };
  const taken = names.map(async (name) => {
    const found = await Promise.all(
      Object.values(numberKinds).map(async (number) => ((await kept(name, number)) ? [number] : [])),
    );
    return [name, found.flat()] as const;
  });
  return Object.fromEntries(await Promise.all(taken));
}

async function openHome(
  context: CaseContext,
  tried: Shape,
  { type, ...place }: Pick<Home, 'space' | 'as'> & { readonly type: SoftTypeProfile },
): Promise<Home> {
  return { shape: await withoutDefaults(context, shapeOfOther(tried, type), place), ...place, isPrimary: false };
}

async function offersOf(
  context: CaseContext,
  { kinds, scalars, levelsTogether = false }: Shape,
): Promise<ReadonlySet<Offer>> {
  const { profile, service, given } = context;
  const offers = new Set<Offer>();
  const add = async (offer: Offer, isOffered: boolean, works: () => Promise<boolean>): Promise<void> => {
    if (isOffered && (await works())) offers.add(offer);
  };
  const takes = async (request: RequestSpec): Promise<boolean> => isSuccess((await service.send(request)).status);
  await add('batch', kinds.has('batch'), async () => true);
  await add(
    'create in a batch',
    offers.has('batch'),
    async () => (await sendBatch(context, [service.requests.create(given.body())])).status === 200,
  );
  await add('batch of a reader', offers.has('batch') && profile.all.identities.reader !== undefined, () =>
    readerMayBatch(context),
  );
  const { pat = '' } = profile.all.identities.editor;
  await add('personal token', pat !== '' && isBearable(pat), async () =>
    takes(bearing(service.requests.read(await given.object()), pat)),
  );
  await add('multi-create', profile.offers('multi-create'), () => takes(service.requests.multiCreate([item(context)])));
  const [first, other] = scalars;
  await add('several', kinds.has('replace scalar') && other !== undefined, async () => {
    const thing = await given.object({ [first ?? '']: given.unique(), [other ?? '']: given.unique() });
    const replaces = [first, other].map((name) => ({ op: 'replace', path: `/${name}`, value: given.unique() }));
    return takes(service.requests.operations(thing, replaces));
  });
  await add('inside entry', kinds.has('append') && profile.primary.arrayPort?.nested !== undefined, () =>
    editsInside(context),
  );
  for (const offer of await offersOfReferences(context, kinds.has('append'))) offers.add(offer);
  const hasSecondLevel = profile.all.maturity?.secondLevelId !== undefined;
  await add('promote elsewhere', hasSecondLevel && !levelsTogether, () => promotesElsewhere(context));
  await add('another schema', kinds.has('merge') && profile.primary.secondInputSchema !== undefined, async () =>
    takes(editRequest(context, byAnotherSchema(await makeEditable(context)))),
  );
  await add('delete', profile.all.routes?.softTypeDelete !== undefined, async () => true);
  return offers;
}

/** Whether operations lead to what is inside an entry: how deep they may is not said. */
async function editsInside({ given, service, profile }: CaseContext): Promise<boolean> {
  const { nested, member } = profile.port;
  if (nested === undefined) return false;
  const owner = await given.objectWithEntries(1, { nested: () => 2 });
  const { entries, inside } = idsIn({ instance: await service.read(owner), pages: [] }, [owner.port]);
  const path = pointer(member, entries[0]?.[0] ?? '', nested.member);
  const [one = '', other = ''] = inside[0]?.[0]?.values() ?? [];
  const reply = await service.operations(owner, [
    { op: 'add', path, value: given.nestedEntry(given.unique(), nested) },
    { op: 'replace', path: `${path}${pointer(one, nested.text)}`, value: given.unique() },
    { op: 'remove', path: `${path}${pointer(other)}/` },
  ]);
  return isSuccess(reply.status);
}

/** Whether more references than a read shows have pages, and whether operations remove one: how they are edited is not said. */
async function offersOfReferences(context: CaseContext, isOperable: boolean): Promise<readonly Offer[]> {
  const { service, profile } = context;
  const { reference } = profile.primary;
  if (reference === undefined || reference.single === true) return [];
  const { thing, read } = (await makeReferrer(context, entriesPerPage + 1)) ?? {};
  if (thing === undefined || read === undefined) return [];
  const link = onlyPageLink(read);
  const shown = referencesIn(dataOf(read)[reference.port]);
  const page = link && (await service.get(expandLink(link, 1), { base: read }));
  const isPaged = shown.length === entriesPerPage && page?.status === 200 && Array.isArray(memberOf(page, 'data'));
  const [entry] = shown;
  const path = `${pointer(reference.port, isObject(entry) ? String(entry['$entryId']) : '')}/`;
  const isRemoved = isOperable && isSuccess((await service.operations(thing, [{ op: 'remove', path }])).status);
  return [
    ...(isPaged ? (['pages of references'] as const) : []),
    ...(isRemoved ? (['remove reference'] as const) : []),
    ...(isOperable && (await isReferenceAdded(context)) ? (['add reference'] as const) : []),
  ];
}

/** Whether operations add one as reads show them, which is then shown: in which form they are written is not said. */
async function isReferenceAdded(context: CaseContext): Promise<boolean> {
  const { service, profile } = context;
  const [made, entry] = [await makeReferrer(context, 1), await shownReference(context)];
  if (made === undefined || entry === undefined) return false;
  const path = pointer(profile.primary.reference?.port ?? '');
  const reply = await service.operations(made.thing, [{ op: 'add', path, value: entry }]);
  const read = await service.read(made.thing);
  const shown = referencesIn(dataOf(read)[profile.primary.reference?.port ?? '']);
  return isSuccess(reply.status) && shown.some((one) => targetIn(context, one) === targetIn(context, entry));
}

/** Whether a promote leaves another state on other levels. */
async function movesLevelsTogether(context: CaseContext): Promise<boolean> {
  const { service } = context;
  const thing = await makeEditable(context);
  const others = async (): Promise<readonly unknown[]> => {
    const read = await service.read(thing);
    const own = stateFieldOf(context, read);
    return [...stateFields(read)].filter(([, field]) => field !== own).map(([name, { state }]) => [name, state]);
  };
  const before = await others();
  await service.promote(thing);
  return !isDeepStrictEqual(before, await others());
}

/** Whether the other level takes a promote, and the state behind it edits. */
async function promotesElsewhere(context: CaseContext): Promise<boolean> {
  const { service, profile, given } = context;
  const thing = await makeEditable(context);
  const promoted = await service.send(promoteOn(context, thing, profile.all.maturity?.secondLevelId ?? ''));
  if (!isSuccess(promoted.status)) return false;
  return isSuccess((await service.send(editRequest(context, await given.current(thing)))).status);
}

export function atHome(request: RequestSpec, { space, as }: Home): RequestSpec {
  return { ...request, as, url: urlInSpace(request.url, space) };
}

/** The request as that sender makes it, as far as the profile knows him where the object lives; else as whoever works there. */
export function sentBy(
  { context: { profile }, offers }: World,
  { space, as: own }: Home,
  request: RequestSpec,
  { as, taken }: Sender,
): RequestSpec {
  const { identities, space: main } = profile.all;
  const isMain = space === main && own === 'editor';
  const packed = { ...request, headers: { ...(taken === 'packed' && usualHeaders), ...request.headers } };
  if (as === 'personal token' && own === 'editor' && offers.has(as))
    return bearing(packed, identities.editor.pat ?? '');
  if (as === 'reader' && isMain && identities.reader !== undefined) return { ...packed, as };
  if (as === 'second editor' && isMain && identities.secondEditor !== undefined)
    return { ...packed, as: 'secondEditor' };
  return { ...packed, as: own };
}

/** The kind of object that a home holds, before there is one. */
export function kindIn({ shape, space }: Home): Pick<Thing, 'type' | 'space'> {
  return { type: shape.type, space };
}
