import { constant, constantFrom, integer, nat, oneof, record, type Arbitrary, type AsyncCommand } from 'fast-check';
import { model, type CaseContext, type ServiceCase } from '../../judge/case.ts';
import type { FileArea } from '../../judge/files/files.ts';
import { expectNothingAt } from '../../judge/files/stored-file.ts';
import { expectBytes, whereServed } from './words.ts';

export interface HistoryOptions {
  /** Paths that come into play, below a directory that nobody else uses. */
  readonly paths: readonly string[];
  /** Areas that share a history, each step in one of them; each group gets histories of its own. */
  readonly groups: (declared: readonly FileArea[]) => readonly (readonly FileArea[])[];
  /** Whether uploads onto files and deletions of missing ones are tried too. */
  readonly refusals: boolean;
  /** Most steps of one history. */
  readonly steps: number;
  readonly share?: number;
}

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

function historiesOf(
  areas: readonly FileArea[],
  { paths, refusals, steps, share }: Omit<HistoryOptions, 'groups'> & { readonly share: number },
): ServiceCase {
  const command = stepAmong(paths).map((step) => new FileCommand(step, refusals));
  return model<Models, Real>(() => [command], {
    begin: async (context) => ({
      model: areas.map(() => new Map()),
      real: { context, areas, root: context.given.unique('history') },
    }),
    maxCommands: steps,
    share,
  });
}

/** What an area holds: bytes by path. */
type AreaModel = Map<string, Uint8Array>;

/** One model an area, in the order of the areas. */
type Models = readonly AreaModel[];

interface Real {
  readonly context: CaseContext;
  readonly areas: readonly FileArea[];
  readonly root: string;
}

interface Step {
  readonly kind: 'upload' | 'download' | 'remove';
  readonly path: string;
  /** Length of what an upload sends, in bytes. */
  readonly length: number;
  /** Chooses between the areas. */
  readonly area: number;
}

function stepAmong(paths: readonly string[]): Arbitrary<Step> {
  const kind = oneof(
    { arbitrary: constant('upload' as const), weight: 4 },
    { arbitrary: constant('remove' as const), weight: 3 },
    { arbitrary: constant('download' as const), weight: 1 },
  );
  return record({ kind, path: constantFrom(...paths), length: integer({ min: 1, max: 400 }), area: nat({ max: 99 }) });
}

/** A step that is compared with the model: uploads fail on a present path, the others on an absent one. */
class FileCommand implements AsyncCommand<Models, Real> {
  readonly #step: Step;
  readonly #refusals: boolean;

  constructor(step: Step, refusals: boolean) {
    this.#step = step;
    this.#refusals = refusals;
  }

  check(models: Models): boolean {
    const { kind, path, area } = this.#step;
    if (this.#refusals || kind === 'download') return true;
    return models[area % models.length]?.has(path) === (kind === 'remove');
  }

  async run(models: Models, { context, areas, root }: Real): Promise<void> {
    const index = this.#step.area % areas.length;
    const [area, held] = [areas[index], models[index]];
    if (area === undefined || held === undefined) return;
    const place = { context, area, key: this.#step.path, path: `${root}/${this.#step.path}` };
    await whereServed(context, [area], () => this.#follow(place, held));
  }

  async #follow(place: Place, held: AreaModel): Promise<void> {
    const { kind, length } = this.#step;
    if (kind === 'upload') await uploads(place, held, length);
    else if (kind === 'download') await downloads(place, held);
    else await removes(place, held);
  }

  toString(): string {
    const { kind, path, length, area } = this.#step;
    return `${kind} ${path} in area ${area}${kind === 'upload' ? ` (${length} bytes)` : ''}`;
  }
}

interface Place {
  readonly context: CaseContext;
  readonly area: FileArea;
  /** Of the model. */
  readonly key: string;
  readonly path: string;
}

async function uploads({ context, area, key, path }: Place, held: AreaModel, length: number): Promise<void> {
  const { given, files, expect } = context;
  const bytes = given.bytes(length);
  const reply = await files.upload(area, path, bytes);
  if (held.has(key)) return expect(reply).notToSucceed();
  expect(reply).toSucceed();
  held.set(key, bytes);
}

async function downloads({ context, area, key, path }: Place, held: AreaModel): Promise<void> {
  const reply = await context.files.download(area, path);
  const bytes = held.get(key);
  if (bytes === undefined) context.expect(reply).notToSucceed();
  else expectBytes(context, reply, bytes);
}

async function removes({ context, area, key, path }: Place, held: AreaModel): Promise<void> {
  const reply = await context.files.remove(area, path);
  if (held.delete(key)) context.expect(reply).toSucceed();
  else context.expect(reply).notToSucceed();
  await expectNothingAt(context, area, path);
}
