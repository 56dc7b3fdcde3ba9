import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import type { TaskInput } from '../../../judge/extension/tasks.ts';
import type { FileArea } from '../../../judge/files/files.ts';
import { contentOf, expectStored } from '../../../judge/files/stored-files.ts';
import { plainTextOf } from '../../../judge/service/answers.ts';
import type { InputPlan, JobPlan, TaskDeed } from '../../../judge/model/task-history.ts';
import { unlessRefused } from '../../../judge/violation.ts';
import type { Job } from './jobs.ts';
import {
  chunkSize,
  expectDelivered,
  inputFileOf,
  nameFor,
  pathBeside,
  sendInChunks,
  streamOf,
} from '../checks/task-jobs.ts';

/** Names of outputs, some of which two jobs give theirs. */
const outputNames = ['result.csv', 'result.csv', 'result.log', 'résult #2 50% a+b.csv'];

const uploadBytes = 120;

/** A file that is known to be there. */
interface Stored {
  readonly area: FileArea;
  readonly space: string;
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly as: InputPlan['by'];
}

/** Who has scheduled a job, and with which input. */
export interface Scheduled {
  readonly as: InputPlan['by'];
  readonly input: TaskInput | undefined;
}

/** The files of a history: inputs of its jobs and what their tasks upload. */
export class TaskFiles {
  readonly #context: CaseContext;
  readonly #inputs: readonly InputPlan[];
  readonly #stored: Stored[] = [];
  /** By the index of the input, in the first space. */
  readonly #places = new Map<number, string>();
  /** By space and index. */
  readonly #made = new Map<string, Scheduled>();
  #oddNames: Promise<boolean> | undefined;
  /** Paths that the task of each job has uploaded. */
  readonly #uploaded = new Map<Job, string[]>();

  constructor(context: CaseContext, inputs: readonly InputPlan[]) {
    this.#context = context;
    this.#inputs = inputs;
  }

  /** The input of a job, made where it is not there yet. @param isOwn whether it is to be one that no other job has */
  async inputFor({ input: index, isElsewhere }: JobPlan, space: string, isOwn = false): Promise<Scheduled> {
    const { all } = this.#context.profile;
    const plan = this.#inputs[index];
    if (plan === undefined || all.files?.areas.space === undefined) return { as: 'editor', input: undefined };
    const key = `${space} ${index}`;
    const known = isOwn ? undefined : this.#made.get(key);
    if (known !== undefined) return known;
    const made = await (all.tasks?.inputPath === undefined
      ? this.#make(plan, { index, space, isElsewhere, isOwn })
      : this.#fixed(all.tasks.inputPath, space));
    this.#made.set(key, made);
    return made;
  }

  async #fixed(named: string, space: string): Promise<Scheduled> {
    const { files, given } = this.#context;
    const [area, path] = [files.area('space'), named.replace(/^\/+/, '')];
    const read = await files.download(area, path);
    given.succeeded(read, 'a download of tasks.inputPath', ['files.download.bearer']);
    this.#stored.push({ area, space, path, bytes: read.bytes, as: 'editor' });
    return { as: 'editor', input: { area, path, bytes: read.bytes } };
  }

  async #make(
    { place, by }: InputPlan,
    { index, space, isElsewhere, isOwn }: { index: number; space: string; isElsewhere: boolean; isOwn: boolean },
  ): Promise<Scheduled> {
    const { files, given } = this.#context;
    const area = isElsewhere ? files.secondSpace : files.area('space');
    const make = (as: InputPlan['by'], path: string) =>
      given.file({ area: as === 'editor' ? area : { ...area, as }, path });
    // in another space the same path leads to another file
    const path = isOwn
      ? given.filePath({ name: 'input.csv' })
      : (this.#places.get(index) ?? this.#pathOf(place, index));
    if (!isOwn) this.#places.set(index, path);
    const second = by === 'secondEditor' && !isElsewhere ? await unlessRefused(() => make(by, path)) : undefined;
    const odd =
      place === 'under odd names' && second === undefined ? await unlessRefused(() => make('editor', path)) : undefined;
    const as = second === undefined ? 'editor' : by;
    const made =
      second ??
      odd ??
      (await make('editor', place === 'under odd names' ? this.#pathOf('in a directory', index) : path));
    this.#stored.push({ ...made, space, as });
    return { as, input: made };
  }

  #pathOf(place: InputPlan['place'], index: number): string {
    const { given } = this.#context;
    const odd = `${given.unique('in')} #1 ü 50% a+b`;
    const first = this.#places.get(0);
    switch (place) {
      case 'in a directory':
        return given.filePath({ name: 'input.csv' });
      case 'deeper':
        return given.filePath({ name: `${given.unique('in')}/input.csv` });
      case 'in the root':
        return given.filePath({ root: true, name: `${given.unique('input')}.csv` });
      case 'under odd names':
        return given.filePath({ name: `${odd}/${odd}.csv` });
      case 'beside the first':
        return first === undefined || !first.includes('/')
          ? given.filePath({ name: 'input.csv' })
          : `${first.slice(0, first.lastIndexOf('/'))}/${given.unique('input')}-${index}.csv`;
    }
  }

  /** inputFile of the task delivers the file that its job was scheduled with. */
  async expectInput({ task, index }: Job): Promise<void> {
    const { bytes } = task.input ?? {};
    if (bytes === undefined) return;
    const { reply } = await inputFileOf(this.#context, task);
    expectDelivered(this.#context, reply, bytes, `the input file of job ${index + 1}`);
  }

  async expectListed({ task }: Job): Promise<void> {
    const { expect, tasks } = this.#context;
    const { path = '' } = task.input ?? {};
    const name = path.split('/').at(-1) ?? '';
    const listing = await tasks.follow(task.link('inputDir'));
    expect(listing).toSucceed();
    // the root may hold more than one answer has room for, and a listing may spell signs as it likes
    if (path === name || encodeURIComponent(name) !== name) return;
    expect(plainTextOf(listing), 'what inputDir shows', listing).toSatisfy(`a text that holds ${name}`, (text) =>
      text.includes(name),
    );
  }

  /** The task uploads a file to where it goes by default: it is there, and one that was there before stays as it is. */
  async upload(job: Job, { name: choice, by }: Extract<TaskDeed, { readonly kind: 'upload' }>): Promise<void> {
    const { expect, given, notes } = this.#context;
    const { input } = job.task;
    if (input === undefined) return;
    const name = this.#nameOf(input, choice);
    const path = pathBeside(input, name);
    const former = this.#stored.find((one) => one.space === job.space && one.path === path);
    // what a chunk does to a file that is there is not said
    if (former !== undefined && by === 'chunks') return;
    given.bookFile(input.area, path);
    const bytes = given.bytes(by === 'chunks' ? chunkSize(this.#context) + 1 : uploadBytes);
    const replies =
      by === 'chunks'
        ? await sendInChunks(this.#context, job.task, path, bytes)
        : [await this.#stream(job, name, bytes)];
    if (former !== undefined) {
      for (const reply of replies) expect(reply).notToSucceed();
      return expectStored(this.#context, former);
    }
    // which names a service takes is its own business
    const isOdd = encodeURIComponent(name) !== name;
    if (isOdd && replies.some(({ status }) => !isSuccess(status)))
      return notes.observe('an upload by a link under a name with signs', 'is refused');
    for (const reply of replies) expect(reply).toSucceed();
    // the name in a form passes gateways that let no such path through
    if (isOdd && by === 'chunks' && !(await this.#readsOddNames(input.area)))
      return notes.observe('a name with signs that an editor gives a file by chunks', 'is not read by its path');
    const stored = { area: input.area, space: job.space, path, bytes, as: job.as };
    this.#stored.push(stored);
    this.#uploaded.set(job, [...(this.#uploaded.get(job) ?? []), path]);
    await expectStored(this.#context, stored);
  }

  /** Whether the editor reads what he has stored by chunks under a name with signs. */
  #readsOddNames(area: FileArea): Promise<boolean> {
    const { files, given } = this.#context;
    const read = async (): Promise<boolean> => {
      const [own, path] = [{ ...area, as: 'editor' } as const, given.filePath({ name: outputNames.at(-1) ?? '' })];
      await files.chunks(own, { path, file: given.bytes(uploadBytes), chunkSize: uploadBytes });
      return isSuccess((await files.download(own, path)).status);
    };
    return (this.#oddNames ??= read());
  }

  #stream({ task }: Job, name: string, bytes: Uint8Array): Promise<Reply> {
    const { given, tasks } = this.#context;
    const link = task.link('uploadFileStream');
    const input = given.present(task.input, 'an input file');
    return tasks.follow(link, { path: nameFor(this.#context, link, input, name) }, streamOf(this.#context, bytes));
  }

  /** In a directory that only this history knows the names are the same for all jobs. */
  #nameOf({ path }: TaskInput, choice: number): string {
    const { given, profile } = this.#context;
    const name = outputNames[choice % outputNames.length] ?? 'result.csv';
    const isOwn = path.includes('/') && profile.all.tasks?.inputPath === undefined;
    return isOwn ? name : `${given.unique('of')}-${name}`;
  }

  uploadedBy(job: Job): readonly string[] {
    return this.#uploaded.get(job) ?? [];
  }

  /** A file that the job may read, by one of its links. */
  async download(job: Job, { by, choice }: Extract<TaskDeed, { readonly kind: 'download' }>): Promise<void> {
    if (by === 'inputFile') return this.expectInput(job);
    const open = this.#stored.filter(({ space, as }) => space === job.space && as === job.as);
    const file = open[choice % Math.max(1, open.length)];
    if (file !== undefined) await this.#expectBy(job, by, file);
  }

  async #expectBy({ task }: Job, by: 'content' | 'downloadFile', { path, bytes }: Stored): Promise<void> {
    const fill = { path, ...(by === 'downloadFile' && { token: 'query' as const }) };
    const link = task.link(by);
    if (!this.#context.tasks.takesPath(link)) return;
    const reply = await this.#context.tasks.follow(link, fill);
    expectDelivered(this.#context, reply, bytes, `what ${by} delivers for ${path}`);
  }

  /** All files are there as they were uploaded, by one way or the other. */
  async expectAll(jobs: readonly Job[]): Promise<void> {
    const { expect, files } = this.#context;
    for (const [index, file] of this.#stored.entries()) {
      const readers = jobs.filter(
        ({ space, as, isAcknowledged }) => isAcknowledged && space === file.space && as === file.as,
      );
      const job = readers[index % Math.max(1, readers.length)];
      if (job !== undefined && index % 2 === 0) {
        await this.#expectBy(job, index % 4 === 0 ? 'content' : 'downloadFile', file);
        continue;
      }
      const reply = await files.download(file.area, file.path);
      expect(reply).toSucceed();
      expect(contentOf(reply.bytes, file.bytes), `content of ${file.path} in the end`, reply).toEqual(
        contentOf(file.bytes),
      );
    }
  }
}
