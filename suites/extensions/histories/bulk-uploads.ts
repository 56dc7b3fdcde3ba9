import type {
  BulkAreaName,
  BulkHistory,
  BulkStep,
  Content,
  RefusedUpload,
  Tree,
  UploadPlan,
} from '../../../judge/model/bulk-history.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import type { BulkBody, BulkChanges } from '../../../judge/files/bulk.ts';
import type { SourceDirectory } from '../../../judge/files/source-directory.ts';
import { completionMs, joinPath, sendInTurn, waitQuietly } from '../../../judge/files/bulk-uploads.ts';
import { contentOf, holdsBytes } from '../../../judge/files/stored-files.ts';
import { jsonOf } from '../../../judge/json.ts';
import { foreignKey } from '../../../judge/service/signature.ts';
import { PreconditionFailed, unlessRefused } from '../../../judge/violation.ts';
import { logName, numbersIn, textsIn } from '../bulk-upload-log.ts';
import { areaNamed, type BulkPlace, type Ground, signedPathOf } from './bulk-ground.ts';
import { inTime } from '../../../judge/model/failing-history.ts';

/** What each area holds before. */
const [firstPath, firstLength] = ['two/b', 120];

/** Places of each area that are looked at in the end though nothing may be there. */
const mostEmpty = 2;

/** Files that a run may not replace which are looked at after it; all are in the end. */
const mostKept = 2;

/** An area as it has to be. */
interface Held extends BulkPlace {
  readonly name: BulkAreaName;
  readonly files: Map<string, Uint8Array>;
  /** Whether a bulk upload was let in here. */
  isOpen: boolean;
  /** Whether a file was read here. */
  isRead: boolean;
}

/** A source as it has to be. */
interface Source {
  readonly directory: SourceDirectory;
  readonly files: Map<string, Uint8Array>;
  /** Whether it is said which logs there are. */
  areLogsSaid: boolean;
}

/** A file of a run. */
interface Taken {
  /** In the source. */
  readonly name: string;
  /** In the area. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** What was there. */
  readonly former: Uint8Array | undefined;
}

/** A run that was let in. */
interface Run {
  readonly plan: UploadPlan;
  readonly source: Source;
  readonly held: Held;
  /** Where a file is that may not be replaced. */
  readonly kept: readonly Taken[];
  readonly due: readonly Taken[];
}

/** Lets a history of bulk uploads happen and judges each step by what is in the areas and the sources. */
export class BulkPlay {
  readonly #context: CaseContext;
  readonly #ground: Ground;
  readonly #withinMs: number;
  /** What every name begins with, so that nobody else uses it in the root of an area. */
  readonly #root: string;
  readonly #areas = new Map<BulkAreaName, Held>();
  readonly #sources: Source[] = [];
  readonly #bytes = new Map<string, Uint8Array>();
  /** Places that anything was to come to. */
  readonly #places = new Set<string>();
  /** Whether all that was due was there at the first look; undefined before anything was. */
  #wasPrompt: boolean | undefined;
  /** Whether a run ends where a file is that may not be replaced. Source: ledger bulk-conflict-handling */
  #endsAtConflict = false;

  /** @param withinMs how long what is due is waited for; as long as the profile says unless given */
  constructor(context: CaseContext, ground: Ground, withinMs = completionMs(context)) {
    this.#context = context;
    this.#ground = ground;
    this.#withinMs = withinMs;
    this.#root = context.given.unique('bulk');
  }

  /** Whether something that was due came behind the answer. */
  get isSlow(): boolean {
    return this.#wasPrompt === false;
  }

  /** @param reached told the index of each step */
  async run({ areas, sources, steps }: BulkHistory, reached: (step: number) => void): Promise<void> {
    for (const name of areas) await this.#open(name);
    this.#context.given.assume(this.#areas.size > 0, 'an area that takes files');
    for (const tree of sources) this.#sources.push(await this.#sourceOf(tree));
    for (const [index, step] of inTime(steps, this.#context.profile.all)) {
      reached(index);
      await this.#do(step);
    }
    reached(steps.length);
    for (const held of this.#areas.values()) await this.#lookAt(held);
    for (const source of this.#sources) await this.#expectSource(source);
  }

  #do(step: BulkStep): Promise<void> {
    switch (step.kind) {
      case 'bulk upload':
        return this.#upload(step);
      case 'refused bulk upload':
        return this.#sendFlawed(step);
      case 'change':
        return this.#change(step);
      case 'upload':
        return this.#uploadByStream(step);
      case 'deletion':
        return this.#delete(step);
    }
  }

  /** An area that takes files; that it does so is the business of other rules. */
  async #open(name: BulkAreaName): Promise<void> {
    const place = areaNamed(this.#context, name);
    if (place === undefined) return;
    const file = { area: place.area, path: this.#named(firstPath), bytes: this.#context.given.bytes(firstLength) };
    if ((await unlessRefused(() => this.#context.given.file(file))) === undefined) return;
    this.#places.add(firstPath);
    const files = new Map([[firstPath, file.bytes]]);
    this.#areas.set(name, { ...place, name, files, isOpen: false, isRead: false });
  }

  async #sourceOf(tree: Tree): Promise<Source> {
    const files = new Map(
      Object.entries(tree)
        .filter(([name]) => !this.#ground.untaken.has(name))
        .map(([name, content]) => [name, this.#bytesOf(content)]),
    );
    const named = Object.fromEntries([...files].map(([name, bytes]) => [this.#named(name), bytes]));
    const directory = await this.#context.given.sourceDirectory(named);
    return { directory, files, areLogsSaid: true };
  }

  #bytesOf({ number, length }: Content): Uint8Array {
    const size = length === 0 && !this.#ground.takesEmpty ? 1 : length;
    const key = `${number} ${size}`;
    const bytes = this.#bytes.get(key) ?? this.#context.given.bytes(size);
    this.#bytes.set(key, bytes);
    return bytes;
  }

  /** A path as it is on the disk and in the area; a dot or a tilde stays before its names. */
  #named(path: string): string {
    return path
      .split('/')
      .map((name) => name.replace(/^[.~]?/, (sign) => `${sign}${this.#root}-`))
      .join('/');
  }

  async #upload(plan: UploadPlan): Promise<void> {
    const { expect } = this.#context;
    const run = this.#runOf(plan);
    if (run === undefined) return;
    const { source, held, kept, due } = run;
    for (const { path } of due) this.#context.given.bookFile(held.area, this.#named(path));
    const send = (): Promise<Reply> => this.#send(run);
    const reply = await (kept.length === 0 ? sendInTurn(this.#context, send) : send());
    if ((reply.status === 401 || reply.status === 403) && !held.isOpen)
      throw new PreconditionFailed('a signed bulk upload to be let in', reply, ['signing.bulk.signature-accepted']);
    held.isOpen = true;
    if (kept.length === 0) expect(reply).toSucceed();
    const missing = isSuccess(reply.status) ? await this.#missingOf(run) : due[0];
    if (kept.length > 0 && (missing !== undefined || !isSuccess(reply.status))) return this.#expectPart(run);
    if (missing !== undefined) await this.#expectAt(held, missing.path, missing.bytes);
    for (const { path, bytes } of due) held.files.set(path, bytes);
    await this.#expectDeleted(run);
    await this.#expectLog(run);
    await this.#end(run);
    await this.#expectSource(source);
    for (const { path } of kept.slice(-mostKept)) await this.#expectAt(held, path, held.files.get(path));
  }

  /** Where a part of a run cannot be seen, it is over after a while; a log tells it as well. */
  async #end({ plan, source, kept, due }: Run): Promise<void> {
    const same = due.filter(isSame);
    const mayGo = plan.deletes === true && same.length > 0;
    const isTold = plan.logs && source.areLogsSaid && !mayGo;
    if (this.#wasPrompt !== true && !isTold && kept.length + same.length > 0) await waitQuietly(this.#context);
    if (mayGo) await this.#forgetGone(source, same);
  }

  /** Whether a file was uploaded whose bytes were there already nobody sees, nor whether it goes from the source. */
  async #forgetGone({ directory, files }: Source, taken: readonly Taken[]): Promise<void> {
    const names = await directory.names();
    for (const { name } of taken) if (!names.includes(this.#named(name))) files.delete(name);
  }

  /** What a bulk upload takes where; undefined where that is nothing, of which nothing is said. Source: ledger bulk-source-errors */
  #runOf(plan: UploadPlan): Run | undefined {
    const { source: index, below, area, target, replaces } = plan;
    const [source, held] = [this.#sources[index], this.#areas.get(area)];
    if (source === undefined || held === undefined) return undefined;
    const start = below === undefined ? '' : `${below}/`;
    const to = target === '/' ? undefined : target;
    const taken = [...source.files].flatMap(([name, bytes]) => {
      if (!name.startsWith(start)) return [];
      const path = joinPath(to, name.slice(start.length));
      return [{ name, path, bytes, former: held.files.get(path) }];
    });
    if (taken.length === 0) return undefined;
    for (const { path } of taken) this.#places.add(path);
    const kept = taken.filter(({ former }) => former !== undefined && replaces !== true);
    return { plan, source, held, kept, due: taken.filter((file) => !kept.includes(file)) };
  }

  #send({ plan, source, held }: Run, changes: BulkChanges = {}, without?: keyof BulkBody): Promise<Reply> {
    const { below, target, replaces, deletes, logs } = plan;
    const { path } = source.directory;
    const body: BulkBody = {
      sourceDirectory: below === undefined ? path : `${path}/${this.#named(below)}`,
      writeLog: logs,
      targetDirectory: target === undefined || target === '/' ? target : this.#named(target),
      replaceFiles: replaces,
      deleteFilesAfterUpload: deletes,
    };
    const sent = Object.entries(body).filter(([name, value]) => value !== undefined && name !== without);
    return this.#context.bulk.upload(held.level, Object.fromEntries(sent), {
      ...(held.to && { to: held.to }),
      ...changes,
    });
  }

  /** The first file of those that the run has to bring that does not get there. */
  async #missingOf({ held, due, kept }: Run): Promise<Taken | undefined> {
    const { files } = this.#context;
    // what goes on is not over
    const withinMs = kept.length > 0 && this.#endsAtConflict ? 0 : this.#withinMs;
    for (const file of due) {
      const read = (): Promise<Reply> => files.download(held.area, this.#named(file.path));
      const isThere = (reply: Reply): boolean => holdsBytes(reply, file.bytes);
      if (!isThere(await this.#look(withinMs, read, isThere))) return file;
      held.isRead = true;
      if (!isSame(file)) this.#wasPrompt ??= true;
    }
    return undefined;
  }

  async #look<T>(withinMs: number, see: () => Promise<T>, isWanted: (seen: T) => boolean): Promise<T> {
    let looks = 0;
    const seeOnce = (): Promise<T> => {
      looks += 1;
      return see();
    };
    const seen = await this.#context.clock.look(withinMs, seeOnce, isWanted);
    if (looks > 1 && isWanted(seen)) this.#wasPrompt = false;
    return seen;
  }

  /** A run that ends where a file is that may not be replaced has brought each other one whole, or left what was there. */
  async #expectPart({ source, held, due, kept, plan }: Run): Promise<void> {
    const { files } = this.#context;
    this.#endsAtConflict = true;
    source.areLogsSaid = false;
    await waitQuietly(this.#context);
    const brought: Taken[] = [];
    for (const file of due) {
      const reply = await files.download(held.area, this.#named(file.path));
      if (holdsBytes(reply, file.bytes)) brought.push(file);
      else await this.#expectAt(held, file.path, file.former);
    }
    for (const { path, bytes } of brought) held.files.set(path, bytes);
    for (const { path } of kept.slice(-mostKept)) await this.#expectAt(held, path, held.files.get(path));
    if (plan.deletes === true) await this.#forgetGone(source, brought);
    await this.#expectSource(source);
  }

  /** What was uploaded is gone from the source where that was asked for. */
  async #expectDeleted({ source, plan, due }: Run): Promise<void> {
    if (plan.deletes !== true) return;
    const going = due.filter((file) => !isSame(file));
    const leftOf = (names: readonly string[]): readonly string[] =>
      going.map(({ name }) => this.#named(name)).filter((name) => names.includes(name));
    const see = (): Promise<readonly string[]> => source.directory.names();
    const names = await this.#look(this.#withinMs, see, (left) => leftOf(left).length === 0);
    this.#context
      .expect(leftOf(names), 'files that are left in the source though they were uploaded with deleteFilesAfterUpload')
      .toEqual([]);
    for (const { name } of going) source.files.delete(name);
  }

  /** The run leaves one log at the root of its source, which tells of its own files; then it is taken away, so that the next one is told from it. */
  async #expectLog(run: Run): Promise<void> {
    const { expect } = this.#context;
    const { plan, source } = run;
    if (!plan.logs || !source.areLogsSaid) return;
    const root = plan.below === undefined ? '' : `${this.#named(plan.below)}/`;
    const added = async (): Promise<readonly string[]> => this.#addedTo(source, await source.directory.names());
    const isLog = ([first = '', ...rest]: readonly string[]): boolean =>
      first.startsWith(root) && logName.test(first.slice(root.length)) && rest.length === 0;
    const names = await this.#look(this.#withinMs, added, isLog);
    expect(names, 'files that the run added to the source').toSatisfy(
      'one FileUpload_<timestamp>.log at the root of the source',
      isLog,
    );
    const name = names[0] ?? '';
    const read = async (): Promise<string> => Buffer.from(await source.directory.read(name)).toString('utf8');
    const parse = (text: string): unknown => jsonOf(text.replace(/^\uFEFF/, ''));
    const written = await this.#look(this.#withinMs, read, (text) => parse(text) !== undefined);
    const log = parse(written);
    expect(written, 'the log').toSatisfy('a JSON document', () => log !== undefined);
    this.#expectTold(run, textsIn(log));
    // where it belongs to somebody else it may stay, and then runs of one second need not have two
    await source.directory.remove(name).catch(() => (source.areLogsSaid = false));
  }

  #expectTold({ plan, kept, due }: Run, texts: readonly string[]): void {
    const { expect } = this.#context;
    if (kept.length > 0) return;
    const brought = due.filter((file) => !isSame(file)).map(({ path }) => path);
    const told = [...brought, ...(plan.target === undefined || plan.target === '/' ? [] : [plan.target])]
      .map((path) => this.#named(path).split('/').at(-1) ?? '')
      // others have several spellings
      .filter((name) => /^[\w.-]+$/.test(name));
    const missing = told.filter((name) => !texts.some((text) => text.includes(name)));
    expect(missing, 'names that the log does not tell of').toEqual([]);
    // how those are counted that took the place of others is not said
    if (due.some(({ former }) => former !== undefined)) return;
    expect(texts, 'values in the log').toSatisfy(`the number of files, ${due.length}, among them`, (all) =>
      all.some((text) => numbersIn(text).includes(String(due.length))),
    );
  }

  /** What is in the source beside its files; nothing where a log may be on its way to it. */
  #addedTo({ files, areLogsSaid }: Source, names: readonly string[]): readonly string[] {
    const own = new Set([...files.keys()].map((name) => this.#named(name)));
    return areLogsSaid ? names.filter((name) => !own.has(name)) : [];
  }

  /** The source holds what it has to and nothing else. */
  async #expectSource(source: Source): Promise<void> {
    const { expect } = this.#context;
    const names = await source.directory.names();
    const lost = [...source.files.keys()].filter((name) => !names.includes(this.#named(name)));
    expect(lost, 'files that are gone from the source', { lacks: true }).toEqual([]);
    expect(this.#addedTo(source, names), 'files in the source that nobody put there').toEqual([]);
    for (const [name, bytes] of source.files) {
      const read = await source.directory.read(this.#named(name));
      expect(contentOf(read, bytes), `content of ${name} in the source`).toEqual(contentOf(bytes));
    }
  }

  /** A refused one changes nothing, which is seen later. Source: extensions, Authentication 2; Bulk upload request body, row sourceDirectory */
  async #sendFlawed({ flaw, signedFor, ...plan }: RefusedUpload): Promise<void> {
    const { service, expect, profile } = this.#context;
    const run = this.#runOf(plan);
    const other = signedFor && areaNamed(this.#context, signedFor);
    if (run === undefined) return;
    const user = profile.all.identities.administrator === undefined ? run.held.area.as : 'administrator';
    const token = flaw === 'token of a user' ? await service.token(user) : null;
    if (flaw === 'token of a user' && token === null) return;
    const changes: Readonly<Record<typeof flaw, BulkChanges>> = {
      'no signature': { signature: null },
      'another key': { key: foreignKey.toString('base64') },
      'signature of another route':
        other === undefined ? { signature: null } : { signed: signedPathOf(this.#context, other) },
      'token of a user': { signature: token },
      'no sourceDirectory': {},
    };
    const reply = await this.#send(run, changes[flaw], flaw === 'no sourceDirectory' ? 'sourceDirectory' : undefined);
    expect(reply).notToSucceed();
  }

  async #change({ source: index, files }: Extract<BulkStep, { readonly kind: 'change' }>): Promise<void> {
    const source = this.#sources[index];
    if (source === undefined) return;
    for (const [name, content] of Object.entries(files)) {
      if (this.#ground.untaken.has(name)) continue;
      if (content === null) {
        await source.directory.remove(this.#named(name));
        source.files.delete(name);
      } else {
        const bytes = this.#bytesOf(content);
        await source.directory.write(this.#named(name), bytes);
        source.files.set(name, bytes);
      }
    }
  }

  #isUntaken(path: string): boolean {
    return [...this.#ground.untaken].some((name) => path.endsWith(name));
  }

  async #uploadByStream({ area, path, content }: Extract<BulkStep, { readonly kind: 'upload' }>): Promise<void> {
    const { files, expect } = this.#context;
    const held = this.#areas.get(area);
    if (held === undefined || this.#isUntaken(path)) return;
    const bytes = this.#bytesOf(content);
    this.#places.add(path);
    const reply = await files.upload(held.area, this.#named(path), bytes);
    if (held.files.has(path)) return expect(reply).notToSucceed();
    expect(reply).toSucceed();
    held.files.set(path, bytes);
  }

  async #delete({ area, path }: Extract<BulkStep, { readonly kind: 'deletion' }>): Promise<void> {
    const { files, expect } = this.#context;
    const held = this.#areas.get(area);
    if (held === undefined || this.#isUntaken(path)) return;
    this.#places.add(path);
    const reply = await files.remove(held.area, this.#named(path));
    // a role without DELETE leaves what is there
    if (reply.missingMethod !== undefined) return;
    if (held.files.delete(path)) expect(reply).toSucceed();
    else expect(reply).notToSucceed();
  }

  /** Everything that the area has to hold, and some of what it must not. */
  async #lookAt(held: Held): Promise<void> {
    const empty = [...this.#places].filter((path) => !held.files.has(path)).slice(-mostEmpty);
    const ends = await Promise.allSettled(
      [...held.files.keys(), ...empty].map((path) => this.#expectAt(held, path, held.files.get(path))),
    );
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  /** @param bytes undefined where nothing may be */
  async #expectAt(held: Held, path: string, bytes: Uint8Array | undefined): Promise<void> {
    const { files, expect } = this.#context;
    const reply = await files.download(held.area, this.#named(path));
    if (bytes === undefined) return expect(reply).notToSucceed();
    if (isSuccess(reply.status)) held.isRead = true;
    else await this.#assumeRead(held);
    expect(reply).toSucceed();
    expect(contentOf(reply.bytes, bytes), `content of ${path} in the ${held.name} area`, reply).toEqual(
      contentOf(bytes),
    );
  }

  /** Something was read in the area before, or what came there by stream can be: else that is not for bulk uploads to answer. */
  async #assumeRead(held: Held): Promise<void> {
    const { given, files } = this.#context;
    if (held.isRead) return;
    const { path } = await given.file({ area: held.area });
    given.succeeded(await files.download(held.area, path), 'a file that was uploaded by stream can be read', [
      'files.download.bearer',
      `files.${held.area.name}-area.base-path`,
    ]);
    held.isRead = true;
  }
}

/** Whether what is to come is there already. */
function isSame({ bytes, former }: Taken): boolean {
  return former !== undefined && Buffer.compare(bytes, former) === 0;
}
