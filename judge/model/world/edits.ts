import { dataOf } from '../../service/answers.ts';
import type { CaseContext } from '../../case.ts';
import type { RequestSpec } from '../../exchange.ts';
import { isObject } from '../../json.ts';
import { targetsOf } from '../../service/multi-create.ts';
import { editFrom } from '../command.ts';
import { requestOf } from '../requests.ts';
import { applyEdit, type Edit, entriesOf, isSaid, type ObjectState, type SingleEdit } from '../state.ts';
import { byAnotherSchema } from '../../service/writes.ts';
import { atHome, type Offer, type World } from './homes.ts';
import { lookFirst, type Resident } from './look.ts';
import { editsOf, type Part, type Step, turned } from './step.ts';
import { shownReference, targetIn } from '../../service/referrers.ts';
import { referencesIn } from '../../service/soft-types.ts';

/** What the steps of a history share. */
export interface Going {
  readonly world: World;
  readonly residents: Resident[];
  readonly fresh: () => string;
}

/** An edit that one object takes, or is sure to refuse. */
export interface Found {
  readonly resident: Resident;
  readonly edit: Edit;
  /** Undefined where it is refused. */
  readonly next: ObjectState | undefined;
}

type Place = Pick<Part, 'object' | 'at' | 'choice' | 'value'>;

/** The first object, from that place on, that takes an edit of one of these kinds. */
export function findEdit(
  going: Going,
  place: Place,
  kinds: readonly SingleEdit['kind'][],
  of: readonly Resident[] = going.residents,
): Found | undefined {
  for (const resident of turned(
    of.filter(({ isGone }) => !isGone),
    place.object,
  ))
    for (const kind of turned(kinds, place.choice)) {
      const edit = editOn(going, resident, place, kind);
      const next = edit && applyEdit(resident.state, edit);
      if (edit !== undefined && next !== undefined) return { resident, edit, next };
    }
  return undefined;
}

/** An edit of that kind, if the target offers it and the documents say what becomes of it. */
export function editOn(
  { world, fresh }: Going,
  { home, state }: Resident,
  place: Place,
  kind: SingleEdit['kind'],
): SingleEdit | undefined {
  const { shape, isPrimary } = home;
  const offer = offerFor(kind);
  const isOffered = offer === undefined ? shape.kinds.has(kind) : isPrimary && world.offers.has(offer);
  if (!isOffered) return undefined;
  const edit = editFrom({ ...place, kind, version: 'current' }, state, shape, fresh);
  const isNested = offer !== 'inside entry' || ('port' in edit && shape.ports[edit.port]?.nested !== undefined);
  return isNested && isSaid(state, edit, shape) ? edit : undefined;
}

/** What a target offers where it takes edits of a kind that are tried apart. */
function offerFor(kind: SingleEdit['kind']): Offer | undefined {
  if (kind === 'promote elsewhere' || kind === 'remove reference' || kind === 'add reference') return kind;
  return editsOf['inside entry']?.includes(kind) === true ? 'inside entry' : undefined;
}

const severalKinds = [
  'replace scalar',
  'replace text',
  'replace value',
  'add scalar',
  'append',
  'remove scalar',
  'remove entry',
  'add text',
  'replace inside object',
  'remove text',
  'add object',
  'remove mandatory',
  'remove object',
  'append inside',
  'replace inside entry',
  'remove inside entry',
] as const;

/** Some operations on one object, none about what another one changes: whether later ones see the result of earlier ones is not said. */
export function findSeveral(going: Going, { at, parts }: Step): Found | undefined {
  for (const resident of turned(
    going.residents.filter(({ isGone }) => !isGone),
    at.object,
  )) {
    const found = new Map<string, SingleEdit>();
    for (const part of parts) {
      const kind = severalKinds[part.dice % severalKinds.length] ?? 'append';
      const edit = editOn(going, resident, part, kind);
      if (edit === undefined || applyEdit(resident.state, edit) === undefined) continue;
      const target = targetOf(edit);
      if (!found.has(target)) found.set(target, edit);
    }
    const edits = [...found.values()].toSorted(byRank);
    const edit: Edit = { kind: 'several', edits };
    if (edits.length > 1) return { resident, edit, next: applyEdit(resident.state, edit) };
  }
  return undefined;
}

/** An operation that no object may take beside those of the list, and that is about none of what they are about. */
export function findRefused(
  going: Going,
  resident: Resident,
  beside: readonly Edit[],
  part: Part,
): SingleEdit | undefined {
  const taken = new Set(beside.map(targetOf));
  const kinds = [
    'add scalar',
    'replace in unknown entry',
    'replace scalar',
    'add text',
    'replace object',
    'add object',
  ] as const;
  for (const kind of turned(kinds, part.dice))
    for (const choice of [part.choice, part.choice + 1]) {
      const edit = editOn(going, resident, { ...part, choice: choice % 8 }, kind);
      if (edit !== undefined && !taken.has(targetOf(edit)) && applyEdit(resident.state, edit) === undefined)
        return edit;
    }
  return undefined;
}

/** What an edit is about. */
function targetOf(edit: Edit): string {
  if ('name' in edit && edit.kind !== 'replace inside object') return `member ${edit.name}`;
  if ('at' in edit) return `entry ${edit.port} ${edit.at}`;
  if ('port' in edit) return `array ${edit.port}`;
  if (edit.kind === 'remove reference' || edit.kind === 'add reference') return `reference ${edit.target}`;
  return 'object';
}

/** Entries keep their places until what leaves comes, the last one first; what comes in comes last. */
function byRank(one: Edit, other: Edit): number {
  return rankOf(one) - rankOf(other);
}

function rankOf(edit: Edit): number {
  if (edit.kind === 'append') return 1_000;
  return edit.kind === 'remove entry' || edit.kind === 'remove mandatory' ? 500 - edit.at : 0;
}

/** The same edit once the order and the ids of entries are known, where it names one. */
export async function locate(going: Going, found: Found): Promise<Found> {
  const { resident, edit } = found;
  const { world, residents } = going;
  if (edit.kind === 'remove reference') return locateReference(world, resident, edit);
  if (edit.kind === 'add reference') return makeReference(world, resident, edit);
  if (isLocated(edit) || (resident.ids !== undefined && !resident.unordered)) return found;
  const before = resident.state;
  const where = `object ${residents.indexOf(resident) + 1} before ${edit.kind}`;
  await lookFirst({ world, residents, resident, where });
  const located = relocated(edit, before, resident.state);
  return { resident, edit: located, next: applyEdit(resident.state, located) };
}

/** Whether an edit can be sent before it is located: it names no entry, and no reference that is looked up or made first. */
export function isLocated(edit: Edit): boolean {
  if (edit.kind === 'several') return edit.edits.every(isLocated);
  if (edit.kind === 'add reference') return edit.entry !== undefined;
  if (edit.kind === 'remove reference') return edit.entryId !== undefined;
  return !('at' in edit);
}

/** The removal of that reference, or of the first one where a read shows others. */
async function locateReference(
  { context }: World,
  resident: Resident,
  { kind, target: wanted }: Extract<Edit, { readonly kind: 'remove reference' }>,
): Promise<Found> {
  const { service, given } = context;
  const { home, thing, state } = resident;
  const read = await service.send(service.requests.read(thing), { as: home.as });
  const shown = referencesIn(dataOf(read)[home.shape.type.reference?.port ?? '']);
  const targets = targetsOf(context, read, home.shape.type, state.references);
  const place = Math.max(0, targets.indexOf(wanted));
  const target = given.present(targets[place], 'a reference of an object that refers to others');
  const entry = shown[place];
  const edit = { kind, target, entryId: isObject(entry) ? String(entry['$entryId']) : '' };
  return { resident, edit, next: applyEdit(state, edit) };
}

/** The addition of a reference to an object that is made for it. */
async function makeReference(
  { context }: World,
  resident: Resident,
  { kind }: Extract<Edit, { readonly kind: 'add reference' }>,
): Promise<Found> {
  const entry = context.given.present(await shownReference(context), 'a reference to another object');
  const edit = { kind, target: targetIn(context, entry), entry };
  return { resident, edit, next: applyEdit(resident.state, edit) };
}

/** The edit of the same entries where they stand now. */
function relocated(edit: Edit, before: ObjectState, now: ObjectState): Edit {
  if (edit.kind === 'several')
    return { ...edit, edits: edit.edits.map((one) => relocated(one, before, now)).toSorted(byRank) };
  if (!('at' in edit)) return edit;
  const entry = entriesOf(before, edit.port)[edit.at];
  return { ...edit, at: entriesOf(now, edit.port).findIndex(({ key }) => key === entry?.key) };
}

/** The request that makes the edit where the object lives. */
export function sendable(
  { world }: Going,
  { resident, edit }: Pick<Found, 'resident' | 'edit'>,
  dice: number,
): RequestSpec {
  const { context, offers } = world;
  const { shape, isPrimary } = resident.home;
  const byOther =
    dice % 3 === 0 && isPrimary && offers.has('another schema') && edit.kind === 'merge' && isPlain(context, edit);
  const subject = byOther ? { ...resident, thing: byAnotherSchema(resident.thing) } : resident;
  return atHome(requestOf(context, shape, subject, edit), resident.home);
}

/** Whether the merge names members only that every input schema has. */
function isPlain({ profile }: CaseContext, edit: Extract<Edit, { readonly kind: 'merge' }>): boolean {
  const { scalars = [] } = profile.primary;
  return edit.inner === undefined && Object.keys(edit.scalars).every((name) => scalars.includes(name));
}
