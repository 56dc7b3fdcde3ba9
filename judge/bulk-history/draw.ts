import { Dice } from '../call-history/dice.ts';
import type { BulkAreaName, BulkFlaw, BulkHistory, BulkStep, Content, Tree, UploadPlan } from './history.ts';

/** What the target allows. */
export interface BulkScope {
  /** Areas that bulk uploads can go to. */
  readonly areas: readonly [BulkAreaName, ...BulkAreaName[]];
}

/** Where a bulk upload goes. */
type Spot = Pick<UploadPlan, 'area' | 'target'>;

/** Most areas of one history, so that what happens meets. */
const mostAreas = 3;

/** After so many steps no further chapter begins. */
const enoughSteps = 8;

const namesInRoot = ['a', 'ab', 'a.txt', 'b'] as const;

/** No file stands where another one needs a folder, wherever they go. */
const namesInFolders = ['one/a', 'one/ab', 'one/two/a', 'one/two/three/b', 'onetwo/a', 'two/a', 'two/b'] as const;

/** Those that only a service with the same ones for its streams has to take. */
export const oddNames = [
  '.settings',
  'one/.settings',
  '~lock.tmp',
  'no-ending',
  'zwei drei/Größe.bin',
  'one/100%.bin',
  'two/%41+b.bin',
  'one/run.log',
  '設定.txt',
] as const;

/** Two that are one to whom letter case does not count. */
export const alikeNames = ['two/case.bin', 'two/Case.bin'] as const;

const folders = ['one', 'two', 'one/two'] as const;

const targetDirectories = [undefined, '/', 'one', 'one/two', 'three'] as const;

/** In bytes; where there is one, all files are of equal length. */
const lengthsOfHistories = [[200], [1, 64, 400], [64, 64, 900]] as const;

const flaws: readonly BulkFlaw[] = ['no signature', 'another key', 'signature of another route', 'no sourceDirectory'];

/** A history of bulk uploads that follows from a seed: chapters that all are about the same few sources, areas and places. */
export function drawBulkHistory(seed: number, scope: BulkScope): BulkHistory {
  return new Story(new Dice(seed), scope).told();
}

class Story {
  readonly #dice: Dice;
  readonly #areas: readonly [BulkAreaName, ...BulkAreaName[]];
  readonly #lengths: readonly number[];
  readonly #begun: readonly Tree[];
  /** What the sources hold by now, but for what bulk uploads have deleted. */
  readonly #trees: Record<string, Content>[];
  readonly #emptied = new Set<number>();
  readonly #steps: BulkStep[] = [];
  #number = 0;
  #last: UploadPlan;

  constructor(dice: Dice, { areas }: BulkScope) {
    this.#dice = dice;
    const [first = areas[0], ...others] = dice.some(areas, mostAreas);
    this.#areas = [first, ...others];
    this.#lengths = dice.pick<readonly number[]>(lengthsOfHistories);
    this.#begun = this.#sources();
    this.#trees = this.#begun.map((tree) => ({ ...tree }));
    this.#last = { source: 0, area: first, logs: false, ...this.#targetIn([undefined, '/', 'one']) };
  }

  told(): BulkHistory {
    const chapters: readonly (() => void)[] = [
      () => this.#again(),
      () => this.#elsewhere(),
      () => this.#fromAnother(),
      () => this.#refused(),
      () => this.#comesBack(),
      () => this.#besideOthers(),
      () => this.#takenAway(),
      () => this.#folderAlone(),
      () => this.#byOtherRoutes(),
    ];
    this.#upload(this.#flagged());
    for (const tell of this.#dice.some(chapters, chapters.length)) {
      if (this.#steps.length >= enoughSteps) break;
      tell();
    }
    return { areas: this.#areas, sources: this.#begun, steps: this.#steps };
  }

  #sources(): readonly Tree[] {
    const dice = this.#dice;
    const [odd, other] = dice.some(oddNames, 2);
    const isAlike = dice.below(3) === 0;
    const first = [...dice.some(namesInRoot, 2), ...dice.some(namesInFolders, 2), odd ?? '', ...(isAlike ? alikeNames : [])];
    const common = dice.some(first, 2);
    const further = [...namesInRoot, ...namesInFolders, other ?? ''].filter((name) => !common.includes(name));
    return [first, [...common, ...dice.some(further, 2)]].map((names) =>
      Object.fromEntries(names.map((name) => [name, this.#content()])),
    );
  }

  /** Now and then nothing, or what another file holds as well. */
  #content(): Content {
    const dice = this.#dice;
    if (dice.below(10) === 0) return { number: 0, length: 0 };
    const isAnother = this.#number > 0 && dice.below(6) === 0;
    const number = isAnother ? dice.below(this.#number) : this.#number;
    if (!isAnother) this.#number += 1;
    return { number, length: this.#lengths[number % this.#lengths.length] ?? 1 };
  }

  #targetIn(targets: readonly [UploadPlan['target'], ...UploadPlan['target'][]]): Pick<UploadPlan, 'target'> {
    const target = this.#dice.pick(targets);
    return target === undefined ? {} : { target };
  }

  /** The last upload once more, with flags of its own. */
  #flagged(change: Partial<UploadPlan> = {}): UploadPlan {
    const dice = this.#dice;
    const { source, area, target } = this.#last;
    const replaces = dice.pick([undefined, false, true, true]);
    const deletes = dice.pick([undefined, undefined, undefined, false, true, true]);
    return {
      source,
      area,
      ...(target !== undefined && { target }),
      ...(replaces !== undefined && { replaces }),
      ...(deletes !== undefined && { deletes }),
      logs: dice.below(2) === 0,
      ...change,
    };
  }

  /** Another area, or another directory of the same one. */
  #otherSpot(): Spot {
    const dice = this.#dice;
    const { area, target } = this.#last;
    const others = this.#areas.filter((name) => name !== area);
    const [other] = dice.some(others, 1);
    if (other !== undefined && dice.below(3) > 0) return { area: other, ...(target !== undefined && { target }) };
    const targets = targetDirectories.filter((name) => (name ?? '/') !== (target ?? '/'));
    return { area, ...this.#targetIn(['three', ...targets]) };
  }

  #upload({ ...plan }: UploadPlan): void {
    const { source } = plan;
    if (this.#emptied.delete(source)) this.#fill(source);
    this.#steps.push({ kind: 'bulk upload', ...plan });
    if (plan.deletes === true) this.#emptied.add(source);
    const { below: _below, ...last } = plan;
    this.#last = last;
  }

  /** What a run took away is there again, some of it as it was. */
  #fill(source: number): void {
    const names = Object.keys(this.#trees[source] ?? {});
    const same = this.#dice.some(names, 1);
    this.#change(
      source,
      Object.fromEntries(
        names.map((name) => [name, same.includes(name) ? (this.#trees[source]?.[name] ?? null) : this.#content()]),
      ),
    );
  }

  #change(source: number, files: Readonly<Record<string, Content | null>>): void {
    const tree = this.#trees[source] ?? {};
    for (const [name, content] of Object.entries(files)) {
      if (content === null) delete tree[name];
      else tree[name] = content;
    }
    this.#steps.push({ kind: 'change', source, files });
  }

  /** Some files are other ones, one comes, one goes. */
  #changeSome(): void {
    const dice = this.#dice;
    const { source } = this.#last;
    if (this.#emptied.delete(source)) this.#fill(source);
    const names = Object.keys(this.#trees[source] ?? {});
    const [gone, ...changed] = dice.some(names, 3);
    const fresh = dice.some([...namesInRoot, ...namesInFolders].filter((name) => !names.includes(name)), 1);
    this.#change(source, {
      ...Object.fromEntries([...changed, ...fresh].map((name) => [name, this.#content()])),
      ...(gone !== undefined && dice.below(2) === 0 && { [gone]: null }),
    });
  }

  /** Where a file of the last upload went. */
  #place(): string {
    const { source, target = '/' } = this.#last;
    const [name = 'a'] = this.#dice.some(Object.keys(this.#trees[source] ?? {}), 1);
    return target === '/' ? name : `${target}/${name}`;
  }

  #again(): void {
    if (this.#dice.below(4) > 0) this.#changeSome();
    this.#upload(this.#flagged());
  }

  #elsewhere(): void {
    this.#upload(this.#flagged(this.#otherSpot()));
  }

  #fromAnother(): void {
    this.#upload(this.#flagged({ source: 1 - this.#last.source }));
    if (this.#dice.below(2) === 0) this.#upload(this.#flagged({ source: 1 - this.#last.source }));
  }

  /** What the refused one asks for, the next one does not. */
  #refused(): void {
    const dice = this.#dice;
    const plan = this.#flagged({ ...this.#otherSpot(), replaces: true, deletes: true });
    for (const flaw of dice.some(flaws, 2)) this.#steps.push({ kind: 'refused bulk upload', flaw, ...plan });
    this.#changeSome();
    const { source, area, target } = this.#last;
    this.#upload({ source, area, ...(target !== undefined && { target }), logs: dice.below(2) === 0 });
  }

  #comesBack(): void {
    const { area } = this.#last;
    this.#steps.push({ kind: 'deletion', area, path: this.#place() });
    const replaces = this.#dice.pick([undefined, false]);
    const { replaces: _replaces, ...plan } = this.#flagged();
    this.#upload({ ...plan, ...(replaces !== undefined && { replaces }) });
  }

  /** Files that are there already stay, in the source as well, until one may replace them. */
  #besideOthers(): void {
    this.#changeSome();
    const { area } = this.#last;
    this.#steps.push({ kind: 'upload', area, path: this.#place(), content: this.#content() });
    this.#upload(this.#flagged({ deletes: true, replaces: false }));
    this.#upload(this.#flagged({ replaces: true }));
  }

  #takenAway(): void {
    this.#upload(this.#flagged({ ...(this.#dice.below(2) === 0 && this.#otherSpot()), replaces: true, deletes: true }));
    const { replaces: _replaces, deletes: _deletes, ...plain } = this.#flagged();
    this.#upload(plain);
  }

  #folderAlone(): void {
    const { source } = this.#last;
    const names = Object.keys(this.#trees[source] ?? {});
    const there = folders.filter((folder) => names.some((name) => name.startsWith(`${folder}/`)));
    const [below] = this.#dice.some(there, 1);
    if (below === undefined) return;
    this.#upload(this.#flagged({ below, ...(this.#dice.below(2) === 0 && { target: below }) }));
    this.#upload(this.#flagged());
  }

  /** A file gives way to another one by the routes of files, and that one to a bulk upload. */
  #byOtherRoutes(): void {
    const { area } = this.#last;
    const path = this.#place();
    this.#steps.push({ kind: 'deletion', area, path });
    this.#steps.push({ kind: 'upload', area, path, content: this.#content() });
    this.#upload(this.#flagged({ replaces: this.#dice.below(2) === 0 }));
  }
}
