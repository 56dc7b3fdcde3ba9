import { Dice } from '../case/dice.ts';

/** An area that a bulk upload goes to. */
export type BulkAreaName = 'collection' | 'space' | 'participant' | 'second space' | 'second participant';

/** What is in a file: two of one number and length hold the same bytes. */
export interface Content {
  readonly number: number;
  /** In bytes. */
  readonly length: number;
}

/** Contents by the name of the file, with slashes. */
export type Tree = Readonly<Record<string, Content>>;

/** What a bulk upload asks for; undefined is left out of its body. */
export interface UploadPlan {
  readonly source: number;
  /** Folder of the source that is named as the source in its place. */
  readonly below?: string;
  readonly area: BulkAreaName;
  readonly target?: string;
  readonly replaces?: boolean;
  readonly deletes?: boolean;
  readonly logs: boolean;
}

/** Why a bulk upload is refused. */
type BulkFlaw =
  | 'no signature'
  | 'another key'
  | 'signature of another route'
  | 'token of a user'
  | 'no sourceDirectory';

export interface RefusedUpload extends UploadPlan {
  readonly flaw: BulkFlaw;
  /** Whose route is signed in the place of its own. */
  readonly signedFor?: BulkAreaName;
}

/** What happens. What does not fit to how things stand is passed over. */
export type BulkStep =
  | ({ readonly kind: 'bulk upload' } & UploadPlan)
  | ({ readonly kind: 'refused bulk upload' } & RefusedUpload)
  /** Files of a source are written, or taken away where there is no content. */
  | { readonly kind: 'change'; readonly source: number; readonly files: Readonly<Record<string, Content | null>> }
  | { readonly kind: 'upload'; readonly area: BulkAreaName; readonly path: string; readonly content: Content }
  | { readonly kind: 'deletion'; readonly area: BulkAreaName; readonly path: string };

export interface BulkHistory {
  readonly areas: readonly BulkAreaName[];
  readonly sources: readonly Tree[];
  readonly steps: readonly BulkStep[];
}

/** The history in words, sources that it does not use left out. */
export function tellBulkHistory({ sources, steps }: BulkHistory): string {
  const used = new Set(steps.map((step) => ('source' in step ? step.source : undefined)));
  const begun = sources.flatMap((tree, index) =>
    used.has(index) ? [`source ${index + 1} holds ${tellFiles(tree)}`] : [],
  );
  return [...begun, ...steps.map(tellStep)].join('; ');
}

function tellStep(step: BulkStep): string {
  switch (step.kind) {
    case 'bulk upload':
      return `a bulk upload of ${tellPlan(step)}`;
    case 'refused bulk upload':
      return `with ${step.flaw} a bulk upload of ${tellPlan(step)}`;
    case 'change':
      return `in source ${step.source + 1} ${tellFiles(step.files)}`;
    case 'upload':
      return `an upload of ${tellFiles({ [step.path]: step.content })} to the ${step.area}`;
    case 'deletion':
      return `a deletion of ${step.path} in the ${step.area}`;
  }
}

function tellPlan({ source, below, area, target, replaces, deletes, logs }: UploadPlan): string {
  const from = `source ${source + 1}${below === undefined ? '' : `, folder ${below},`}`;
  const flags = { targetDirectory: target, replaceFiles: replaces, deleteFilesAfterUpload: deletes, writeLog: logs };
  const told = Object.entries(flags).flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]));
  return `${from} to the ${area} with ${told.join(', ')}`;
}

function tellFiles(files: Readonly<Record<string, Content | null>>): string {
  return Object.entries(files)
    .map(([name, content]) =>
      content === null ? `no ${name}` : `${name} (${content.number}, ${content.length} bytes)`,
    )
    .join(', ');
}

/** What the target allows. */
interface BulkScope {
  /** Areas that bulk uploads can go to. */
  readonly areas: readonly [BulkAreaName, ...BulkAreaName[]];
}

/** Chapters of each history beside those that none lacks. */
const furtherChapters = 3;

const namesInRoot = ['a', 'ab', 'a.txt', 'b'] as const;

/** No file stands where another one needs a folder, wherever they go. */
const namesInFolders = ['one/a', 'one/ab', 'onetwo/a', 'two/a', 'two/b'] as const;

const deepNames = ['one/two/a', 'one/two/three/four/b'] as const;

const plainNames: readonly string[] = [...namesInRoot, ...namesInFolders, ...deepNames];

/** Names that some programs pass over. */
const hiddenNames = ['.settings', 'one/.settings', 'two/~lock.tmp'] as const;

/** Those that only a service with the same ones for its streams has to take. */
export const oddNames: readonly string[] = [
  ...hiddenNames,
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

type Target = (typeof targetDirectories)[number];

/** Of files, in bytes. */
const lengths = [200, 64, 1, 900] as const;

/** Whose signature is over a part of the path. */
const above: Readonly<Partial<Record<BulkAreaName, BulkAreaName>>> = {
  space: 'collection',
  'second space': 'collection',
  participant: 'space',
  'second participant': 'space',
};

const flaws: readonly BulkFlaw[] = ['no signature', 'another key', 'token of a user', 'no sourceDirectory'];

/** A history of bulk uploads that follows from a seed: chapters that all are about the same few sources, areas and places. */
export function drawBulkHistory(seed: number, scope: BulkScope): BulkHistory {
  return new Story(new Dice(seed), scope).told();
}

class Story {
  readonly #dice: Dice;
  /** In the order in which it comes to them. */
  readonly #areas: readonly [BulkAreaName, ...BulkAreaName[]];
  readonly #begun: readonly Tree[];
  /** What the sources hold by now, but for what bulk uploads have deleted. */
  readonly #trees: Record<string, Content>[];
  readonly #emptied = new Set<number>();
  readonly #steps: BulkStep[] = [];
  readonly #flaws: BulkFlaw[];
  readonly #targets: Target[];
  #number = 0;
  #last: UploadPlan;

  constructor(dice: Dice, { areas }: BulkScope) {
    this.#dice = dice;
    const [first = areas[0], ...others] = dice.some(areas, areas.length);
    this.#areas = [first, ...others];
    this.#begun = this.#sources();
    this.#trees = this.#begun.map((tree) => ({ ...tree }));
    this.#flaws = [...dice.some(flaws, flaws.length)];
    this.#targets = [...dice.some(targetDirectories, targetDirectories.length)];
    this.#last = { source: 0, area: first, logs: false, ...targetOf(this.#otherTarget()) };
  }

  told(): BulkHistory {
    const dice = this.#dice;
    const always: readonly (() => void)[] = [() => this.#again(), () => this.#comesBack()];
    const further: readonly (() => void)[] = [
      () => this.#fromAnother(),
      () => this.#besideOthers(),
      () => this.#takenAway(),
      () => this.#folderAlone(),
      () => this.#byOtherRoutes(),
    ];
    const chapters = [...always, ...dice.some(further, furtherChapters)];
    this.#upload(this.#flagged());
    for (const [index, tell] of dice.some(chapters, chapters.length).entries()) {
      if (index > 0) this.#moveTo(this.#areas[index % this.#areas.length] ?? this.#areas[0]);
      tell();
    }
    return { areas: this.#areas, sources: this.#begun, steps: this.#steps };
  }

  #sources(): readonly Tree[] {
    const dice = this.#dice;
    const hidden = dice.pick<string>(hiddenNames);
    const [other = hidden] = dice.some(
      oddNames.filter((name) => name !== hidden),
      1,
    );
    const odd = dice.below(2) === 0 ? hidden : other;
    const deep = dice.pick<string>(deepNames);
    const inFolders = dice.below(4) === 0 ? alikeNames : [deep, ...dice.some(namesInFolders, 1)];
    const first = [...dice.some(namesInRoot, 1), ...inFolders, odd];
    const common = dice.some(first, 2);
    const further = [...plainNames, other].filter((name) => !common.includes(name));
    return [first, [...common, ...dice.some(further, 1)]].map((names) =>
      Object.fromEntries(names.map((name) => [name, this.#content()])),
    );
  }

  /** Now and then nothing, or what another file holds as well. @param length of some that take the place of another */
  #content(length?: number): Content {
    const dice = this.#dice;
    if (dice.below(10) === 0) return { number: 0, length: 0 };
    if (this.#number > 0 && dice.below(5) === 0) return this.#numbered(dice.below(this.#number));
    this.#number += 1;
    const { number, length: own } = this.#numbered(this.#number - 1);
    return { number, length: length === undefined || dice.below(2) === 0 ? own : length };
  }

  #numbered(number: number): Content {
    return { number, length: lengths[number % lengths.length] ?? 1 };
  }

  /** The last upload once more, with flags of its own. */
  #flagged(change: Partial<UploadPlan> = {}): UploadPlan {
    const dice = this.#dice;
    const replaces = dice.pick([undefined, false, true, true]);
    const deletes = dice.pick([undefined, undefined, undefined, false, true, true]);
    return {
      ...this.#plain(),
      ...(replaces !== undefined && { replaces }),
      ...(deletes !== undefined && { deletes }),
      ...change,
    };
  }

  /** The last upload once more, without flags. */
  #plain(): UploadPlan {
    const { source, area, target } = this.#last;
    return { source, area, ...targetOf(target), logs: this.#dice.below(2) === 0 };
  }

  #upload(plan: UploadPlan): void {
    const { source } = plan;
    if (this.#emptied.delete(source)) this.#fill(source);
    this.#steps.push({ kind: 'bulk upload', ...plan });
    if (plan.deletes === true) this.#emptied.add(source);
    const { below: _below, ...last } = plan;
    this.#last = last;
  }

  /** To another area, or to another directory, behind requests that are refused and ask for what the next one does not. */
  #moveTo(area: BulkAreaName): void {
    const dice = this.#dice;
    const { area: from, target } = this.#last;
    const spot: Pick<UploadPlan, 'area' | 'target'> = {
      area,
      ...targetOf(from !== area && dice.below(4) === 0 ? target : this.#otherTarget()),
    };
    const wanted = { ...this.#flagged({ replaces: true, deletes: true }), area };
    for (const signedFor of new Set([from, above[area] ?? from]))
      if (area !== signedFor) this.#refuse({ flaw: 'signature of another route', signedFor }, wanted);
    const flaw = this.#flaws.shift();
    if (flaw !== undefined) this.#refuse({ flaw }, wanted);
    const isPlain = flaw === 'no sourceDirectory' || dice.below(2) === 0;
    const { target: _target, ...plan } = isPlain ? this.#plain() : this.#flagged();
    this.#upload({ ...plan, ...spot });
  }

  /** The one that was longest not used. */
  #otherTarget(): Target {
    const next = this.#targets.shift();
    this.#targets.push(next);
    return next;
  }

  #refuse(why: Pick<RefusedUpload, 'flaw' | 'signedFor'>, plan: UploadPlan): void {
    this.#steps.push({ kind: 'refused bulk upload', ...why, ...plan });
  }

  /** What a run took away is there again, some of it as it was. */
  #fill(source: number): void {
    const files = Object.entries(this.#trees[source] ?? {});
    const [same] = this.#dice.some(files, 1);
    this.#change(
      source,
      Object.fromEntries(
        files.map(([name, content]) => [name, name === same?.[0] ? content : this.#content(content.length)]),
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
    const tree = this.#trees[source] ?? {};
    const [gone, ...changed] = dice.some(Object.keys(tree), 3);
    const fresh = dice.some(
      plainNames.filter((name) => !(name in tree)),
      1,
    );
    this.#change(source, {
      ...Object.fromEntries(changed.map((name) => [name, this.#content(tree[name]?.length)])),
      ...Object.fromEntries(fresh.map((name) => [name, this.#content()])),
      ...(gone !== undefined && { [gone]: null }),
    });
  }

  /** Where a file of the last upload went. */
  #place(): string {
    const { source, target } = this.#last;
    const [name = 'a'] = this.#dice.some(Object.keys(this.#trees[source] ?? {}), 1);
    return landingOf(name, target);
  }

  #again(): void {
    this.#changeSome();
    this.#upload(this.#flagged({ replaces: true }));
    this.#upload({ ...this.#plain(), deletes: true });
  }

  /** A run ends where a file is that it may not replace, if a service likes: none is left there. */
  #comesBack(): void {
    const { area, source, target } = this.#last;
    for (const name of Object.keys(this.#trees[source] ?? {}))
      this.#steps.push({ kind: 'deletion', area, path: landingOf(name, target) });
    this.#upload(this.#dice.below(2) === 0 ? this.#plain() : { ...this.#plain(), replaces: false });
  }

  /** What gave way once gives way again. */
  #fromAnother(): void {
    for (const _turn of ['there', 'back'])
      this.#upload(this.#flagged({ source: 1 - this.#last.source, replaces: true }));
  }

  /** Files that are there already stay, in the source as well, until one may replace them. */
  #besideOthers(): void {
    this.#changeSome();
    const { area } = this.#last;
    this.#steps.push({ kind: 'upload', area, path: this.#place(), content: this.#content() });
    this.#upload({ ...this.#plain(), deletes: true });
    this.#upload(this.#flagged({ replaces: true }));
  }

  #takenAway(): void {
    this.#changeSome();
    this.#upload(this.#flagged({ replaces: true, deletes: true }));
    this.#upload(this.#plain());
  }

  #folderAlone(): void {
    const { source } = this.#last;
    const names = Object.keys(this.#trees[source] ?? {});
    const there = folders.filter((folder) => names.some((name) => name.startsWith(`${folder}/`)));
    const [below] = this.#dice.some(there, 1);
    if (below === undefined) return;
    const { target: _target, ...plan } = this.#flagged({ below });
    this.#upload({ ...plan, ...targetOf(this.#dice.below(2) === 0 ? below : this.#otherTarget()) });
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

function landingOf(name: string, target = '/'): string {
  return target === '/' ? name : `${target}/${name}`;
}

function targetOf(target: string | undefined): Pick<UploadPlan, 'target'> {
  return target === undefined ? {} : { target };
}
