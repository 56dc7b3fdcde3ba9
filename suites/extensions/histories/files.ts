import {
  type Arbitrary,
  type AsyncCommand,
  boolean,
  constant,
  constantFrom,
  integer,
  nat,
  oneof,
  record,
  shuffledSubarray,
} from 'fast-check';
import { type CaseContext, model, type ServiceCase } from '../../../judge/case.ts';
import type { FileArea } from '../../../judge/files/files.ts';
import { expectNothingAt, expectStored } from '../../../judge/files/stored-files.ts';
import { expectBytes, whereServed } from '../checks/every-area.ts';
import { beginUpload, chunksOf, smallChunkSize } from '../checks/upload-in-chunks.ts';

/**
 * Where files of a history lie: in the root of the area and in folders, one in the other; under one name in several of them, and under
 * names that begin alike. Nothing is below a file.
 */
const places = ['a', 'ab', 'a.txt', 'one/a', 'one/ab', 'one/two/a', 'one/two/three/b', 'onetwo/a', 'two/a', 'two/b'];

/** Fewest and most places of one history. */
const fewestPlaces = 2;

const mostPlaces = 5;

/** Most bytes of a file. */
const longestFile = 400;

/** Most chunks of an upload that is abandoned. */
const mostChunks = 4;

/** Random histories of uploads, downloads and deletions, compared with a map from path to bytes for each area. */
export function fileHistories({ groups, share = 1, ...options }: HistoryOptions): ServiceCase {
  return {
    kind: 'model',
    run: async (context, generation) => {
      const all = groups(context.files.areas);
      for (const [index, areas] of all.entries())
        await historiesOf(areas, { ...options, share: share / all.length }).run(context, {
          ...generation,
          seed: generation.seed + index,
        });
    },
  };
}

interface HistoryOptions {
  /** Areas that share a history, each step in one of them; each group gets histories of its own. */
  readonly groups: (declared: readonly FileArea[]) => readonly (readonly FileArea[])[];
  /** Whether uploads onto files and deletions of missing ones are tried too. */
  readonly refusals: boolean;
  /** Most steps of one history. */
  readonly steps: number;
  readonly share?: number;
}

function historiesOf(
  areas: readonly FileArea[],
  { refusals, steps, share }: Omit<HistoryOptions, 'groups'> & { readonly share: number },
): ServiceCase {
  return model<Models, Real>(
    habits.map((some) => [stepBy(some).map((step) => new FileCommand(step, refusals))]),
    {
      begin: async (context) => ({
        model: areas.map(() => new Map()),
        real: { context, areas, root: context.given.unique('history'), met: areas.map(() => new Set()) },
      }),
      compare: compareAll,
      maxCommands: steps,
      share,
    },
  );
}

/** What the steps of one history have in common: few of everything, so that they meet. */
interface Habits {
  readonly places: readonly string[];
  /** Of files, in bytes: where there is one all of them are of equal length. */
  readonly lengths: readonly number[];
  readonly kinds: readonly StepKind[];
  /** Whether some uploads go in chunks. */
  readonly inChunks: boolean;
}

const stepKinds = ['upload', 'remove', 'download', 'renew', 'spoil', 'abandon'] as const;

type StepKind = (typeof stepKinds)[number];

/** What is wrong with an upload beside its path, on which there is a file. */
const flaws = ['no checksum', 'a wrong checksum', 'half a checksum', 'no credential'] as const;

type Flaw = (typeof flaws)[number];

const habits: Arbitrary<Habits> = record({
  places: shuffledSubarray(places, { minLength: fewestPlaces, maxLength: mostPlaces }),
  lengths: oneof(
    integer({ min: 20, max: longestFile }).map((length) => [length]),
    constant([1, 64, longestFile]),
  ),
  kinds: oneof(
    constant([...stepKinds, 'upload', 'upload', 'remove'] as const),
    constant(['upload', 'renew', 'spoil'] as const),
    constant(['upload', 'upload', 'remove'] as const),
    constant(['upload', 'abandon', 'remove'] as const),
  ),
  inChunks: boolean(),
});

function stepBy({ places: known, lengths, kinds, inChunks }: Habits): Arbitrary<Step> {
  return record({
    kind: constantFrom(...kinds.filter((kind) => inChunks || kind !== 'abandon')),
    place: constantFrom(...known),
    length: constantFrom(...lengths),
    area: nat({ max: 99 }),
    flaw: constantFrom(...flaws),
    inChunks: inChunks ? boolean() : constant(false),
  });
}

interface Step {
  /**
   * `renew` reads a file, deletes it and uploads another of its length; `spoil` uploads onto one what would not be taken elsewhere either;
   * `abandon` sends all chunks of one but the last, and deletes what is there of it.
   */
  readonly kind: StepKind;
  readonly place: string;
  /** Length of what an upload sends, in bytes. */
  readonly length: number;
  /** Chooses between the areas. */
  readonly area: number;
  /** Of what spoils nothing. */
  readonly flaw: Flaw;
  readonly inChunks: boolean;
}

/** A step that is compared with the model: stream uploads fail on a present path, the others on an absent one. */
class FileCommand implements AsyncCommand<Models, Real> {
  readonly #step: Step;
  readonly #refusals: boolean;

  constructor(step: Step, refusals: boolean) {
    this.#step = step;
    this.#refusals = refusals;
  }

  check(models: Models): boolean {
    const { kind, place, area, inChunks } = this.#step;
    const isThere = models[area % models.length]?.has(place) ?? false;
    if (kind === 'download') return true;
    if (kind === 'renew') return isThere;
    if (kind === 'abandon') return !isThere;
    if (kind === 'spoil') return isThere && this.#refusals;
    // what a chunk for a file that exists does is not said
    const mayBeRefused = this.#refusals && !(kind === 'upload' && inChunks);
    return mayBeRefused || isThere === (kind === 'remove');
  }

  async run(models: Models, { context, areas, root, met }: Real): Promise<void> {
    const index = this.#step.area % areas.length;
    const [area, held] = [areas[index], models[index]];
    if (area === undefined || held === undefined) return;
    met[index]?.add(this.#step.place);
    const spot = spotOf(context, area, root, this.#step.place);
    await whereServed(context, [area], () => this.#follow(spot, held));
  }

  async #follow(spot: Spot, held: AreaModel): Promise<void> {
    const { kind, length, flaw, inChunks } = this.#step;
    if (kind === 'spoil') await trySpoil(spot, length, flaw);
    else if (kind === 'upload') await tryUpload(spot, held, { length, inChunks });
    else if (kind === 'download') await tryDownload(spot, held);
    else if (kind === 'remove') await tryRemove(spot, held);
    else if (kind === 'abandon') await abandon(spot, length);
    else await renew(spot, held, inChunks);
  }

  toString(): string {
    const { kind, place, length, area, flaw, inChunks } = this.#step;
    const details = { upload: `${length} bytes${inChunks ? ' in chunks' : ''}`, spoil: `${length} bytes, ${flaw}` };
    const how = kind === 'upload' || kind === 'spoil' ? ` (${details[kind]})` : '';
    return `${kind} ${place} in area ${area}${how}`;
  }
}

/** One model an area, in the order of the areas. */
type Models = readonly AreaModel[];

/** What an area holds: bytes by place. */
type AreaModel = Map<string, Uint8Array>;

interface Real {
  readonly context: CaseContext;
  readonly areas: readonly FileArea[];
  readonly root: string;
  /** Places of each area that a step was about. */
  readonly met: readonly Set<string>[];
}

interface Spot {
  readonly context: CaseContext;
  readonly area: FileArea;
  /** Of the model. */
  readonly key: string;
  readonly path: string;
}

/** A place of the history; all of its names begin with what nobody else uses, so that some may stand in the root of the area. */
function spotOf(context: CaseContext, area: FileArea, root: string, place: string): Spot {
  const path = place
    .split('/')
    .map((name) => `${root}-${name}`)
    .join('/');
  return { context, area, key: place, path };
}

interface HistoryUpload {
  readonly length: number;
  readonly inChunks: boolean;
}

async function tryUpload(spot: Spot, held: AreaModel, { length, inChunks }: HistoryUpload): Promise<void> {
  const { context, area, key, path } = spot;
  const bytes = context.given.bytes(length);
  if (inChunks) await uploadInChunks(spot, bytes);
  else {
    const reply = await context.files.upload(area, path, bytes);
    if (held.has(key)) return context.expect(reply).notToSucceed();
    context.expect(reply).toSucceed();
  }
  held.set(key, bytes);
}

/** A file that is there stays, for whichever of two reasons the upload is refused. */
async function trySpoil({ context, area, path }: Spot, length: number, flaw: Flaw): Promise<void> {
  const { given, files, expect } = context;
  const bytes = given.bytes(length);
  const other = files.checksumOf(given.bytes(length + 1));
  const changes = {
    'no checksum': { checksum: null },
    'a wrong checksum': { checksum: other },
    'half a checksum': { checksum: other.slice(16) },
    'no credential': { as: null },
  };
  expect(await files.upload(area, path, bytes, changes[flaw])).notToSucceed();
}

/** That chunks are taken at all is the business of other rules. */
async function uploadInChunks({ context, area, path }: Spot, bytes: Uint8Array): Promise<void> {
  const upload = { area, path, bytes, chunkSize: smallChunkSize(context, Math.ceil(bytes.byteLength / 2)) };
  await beginUpload(context, upload, chunksOf(upload));
  await expectStored(context, upload);
}

/** What is said of the chunks of one file ends with their deletion, whatever that is answered. Source: extensions, File routes, paragraph after the chunk table */
async function abandon({ context, area, path }: Spot, length: number): Promise<void> {
  const bytes = context.given.bytes(length);
  const chunkSize = smallChunkSize(context, Math.ceil(length / mostChunks));
  const upload = { area, path, bytes, chunkSize };
  await beginUpload(context, upload, chunksOf(upload) - 1);
  await context.files.remove(area, path);
}

async function tryDownload({ context, area, key, path }: Spot, held: AreaModel): Promise<void> {
  const reply = await context.files.download(area, path);
  const bytes = held.get(key);
  if (bytes === undefined) context.expect(reply).notToSucceed();
  else expectBytes(context, reply, bytes);
}

async function tryRemove({ context, area, key, path }: Spot, held: AreaModel): Promise<void> {
  const reply = await context.files.remove(area, path);
  if (held.delete(key)) context.expect(reply).toSucceed();
  else context.expect(reply).notToSucceed();
  await expectNothingAt(context, area, path);
}

async function renew(spot: Spot, held: AreaModel, inChunks: boolean): Promise<void> {
  const length = held.get(spot.key)?.byteLength ?? 0;
  await tryDownload(spot, held);
  await tryRemove(spot, held);
  await tryUpload(spot, held, { length, inChunks });
  await tryDownload(spot, held);
}

/** Asserts that every place that a step was about holds what it has to. */
async function compareAll({ model: models, real }: { readonly model: Models; readonly real: Real }): Promise<void> {
  const { context, areas, root, met } = real;
  for (const [index, area] of areas.entries()) {
    const held = models[index] ?? new Map<string, Uint8Array>();
    await whereServed(context, [area], async () => {
      await Promise.all([...(met[index] ?? [])].map((place) => tryDownload(spotOf(context, area, root, place), held)));
    });
  }
}
