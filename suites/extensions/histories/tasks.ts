import { defaultTaskTimeoutSeconds } from '../../../contract/limits.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Changes, type Reply } from '../../../judge/exchange.ts';
import { type Call, holdsWhole, tells } from '../../../judge/extension/call.ts';
import { type MetadataRecord, plentyOfExecutions, type Script } from '../../../judge/extension/extension.ts';
import type { FinalStatus, GivenTask } from '../../../judge/extension/tasks.ts';
import { namesExtension } from '../../../judge/extension/own-call.ts';
import { callWaitMs } from '../../../judge/extension/trigger-calls.ts';
import { requestsIn } from '../../../judge/extension/triggers.ts';
import { comparableId } from '../../../judge/service/guid.ts';
import { partHere } from '../../../judge/case/part.ts';
import { withCorrelationId } from '../../../judge/service/requests.ts';
import type { JobPlan, TaskAnswer, TaskDeed, TaskHistory } from '../../../judge/model/task-history.ts';
import { PreconditionFailed } from '../../../judge/violation.ts';
import { type TokenUse, tokenUse } from '../call-histories.ts';
import { expectSigned } from './calls.ts';
import { type Job, Jobs, type TaskHost } from './jobs.ts';
import { type Scheduled, TaskFiles } from './task-files.ts';
import { expectDocumentedLinks, expectReportsBy } from '../checks/task-jobs.ts';
import { hasPlaceFor, lastingExtension, takesTimeout, urlInSecondSpace } from '../checks/triggered-calls.ts';
import { tokensInQuery } from '../../../judge/service/token.ts';
import { filterAt } from '../../../judge/service/queries.ts';
import { inTime } from '../../../judge/model/failing-history.ts';

/** Answers one request after the other. */
type Answering = Extract<Script, (...args: never[]) => unknown>;

type Deed<Kind extends TaskDeed['kind']> = Extract<TaskDeed, { readonly kind: Kind }>;

const settings: readonly Readonly<Record<string, unknown>>[] = [
  { depth: 2, names: ['a', 'b'], nested: { isDeep: true } },
  {},
  { nothing: null, empty: '', none: [], bare: {}, no: false, zero: 0 },
  { text: 'Grüße &amp; <b>שלום</b> "quoted" 👩‍👩‍👧', line: '\r\none\ttwo\n' },
  { number: 1e21, small: 2.5e-7, deep: [[[{ a: [{ b: null }] }]]] },
];

/** Before and behind what no other message holds. */
const messages: readonly (readonly [before: string, behind: string])[] = [
  ['', ': 50 %'],
  ['100 % ', '.'],
  ['über ', ', 高さ 🙂'],
  ['"a" <b>&amp; C:\\new ', " 'c' $& $$"],
  ['0: ', `: ${'and on '.repeat(40)}to here`],
];

/** What an acknowledgement says decides nothing. */
const bodies: readonly Readonly<{ json?: unknown; text?: string }>[] = [
  {},
  { json: {} },
  { text: 'OK' },
  { json: { status: 'Failed' } },
];

const unknownStatuses = ['Running', 'Done', 'Cancelled', 'Complete'];

/** Lets a history of tasks happen and judges each step by how all jobs stand then. */
export class TaskPlay {
  readonly #context: CaseContext;
  readonly #history: TaskHistory;
  readonly #jobs: Jobs;
  readonly #files: TaskFiles;
  readonly #hosts = new Map<number, TaskHost>();
  /** What the next call is answered with, by the text that stands in it. */
  readonly #answers = new Map<string, readonly TaskAnswer[]>();
  readonly #counts = new Map<string, number>();
  /** A task of the first space, which shows where tasks are triggered. */
  #first: GivenTask | undefined;
  #use: TokenUse | undefined;
  /** Whether a job waits for others to end, so that nothing is known of further ones. */
  #isOneByOne = false;

  /** @param isAgain whether the service has shown already that it does not do it */
  constructor(context: CaseContext, history: TaskHistory, isAgain: boolean) {
    this.#context = context;
    this.#history = history;
    this.#jobs = new Jobs(context, isAgain);
    this.#files = new TaskFiles(context, history.inputs);
  }

  /** @param reached told the index of each step, and of the job that it is about */
  async run(reached: (step: number, job: number) => void): Promise<void> {
    const { steps, jobs, records } = this.#history;
    // whose token a job gets that somebody else schedules hangs on who that is
    const { task } = this.#context.profile.all.triggers ?? {};
    if (task !== undefined && requestsIn(task).every(({ as }) => as === undefined))
      this.#use = await tokenUse(this.#context);
    for (const [index, { job, ...deed }] of inTime(steps, this.#context.profile.all)) {
      reached(index, job);
      await this.#do(job, deed);
    }
    for (const job of this.#jobs.all.filter(({ state }) => state === 'open')) {
      reached(steps.length, job.index);
      await this.#end(job, { kind: 'end', status: 'Completed', files: 0, way: 'link' });
    }
    await this.#jobs.expectAll();
    await this.#files.expectAll(this.#jobs.all);
    for (const [index, host] of records.entries()) {
      if (!this.#hosts.has(host)) continue;
      const last = jobs.length + index;
      await this.#schedule(last, { ...lastJob, record: index });
      const job = this.#jobs.at(last);
      if (job === undefined) continue;
      reached(steps.length, last);
      await this.#begun(job);
      this.#context.expect(await this.#report(job, 'Completed', 'link', {})).toSucceed();
      job.state = 'completed';
      await this.#jobs.expectOpen(job);
    }
    await this.#jobs.expectAll();
    this.#expectNoFurtherCalls();
  }

  async #do(index: number, deed: TaskDeed): Promise<void> {
    const plan = this.#history.jobs[index];
    if (deed.kind === 'schedule') return plan && this.#schedule(index, plan);
    const job = this.#jobs.at(index);
    if (job === undefined || plan?.answers.at(-1)?.status === 400) return;
    await this.#begun(job);
    switch (deed.kind) {
      case 'progress':
        return this.#progress(job, deed);
      case 'end':
        return this.#end(job, deed);
      case 'flawed':
        return job.state === 'open' ? this.#sendFlawed(job, deed) : undefined;
      case 'update':
        return this.#update(job.host);
      case 'together':
        return this.#together(deed);
      default:
        return job.state === 'open' ? this.#useLinks(job, deed) : undefined;
    }
  }

  #useLinks(job: Job, deed: Deed<'upload' | 'download' | 'list'>): Promise<void> {
    if (job.task.input === undefined) return Promise.resolve();
    switch (deed.kind) {
      case 'upload':
        return this.#files.upload(job, deed);
      case 'download':
        return this.#files.download(job, deed);
      case 'list':
        return this.#files.expectListed(job);
    }
  }

  /** The host of a record, registered with all of its records. */
  async #hostOf(record: number): Promise<TaskHost> {
    const { given } = this.#context;
    const host = this.#history.records[record] ?? 0;
    const known = this.#hosts.get(host);
    if (known !== undefined) return known;
    const records = new Map<number, MetadataRecord>();
    for (const [index, of] of this.#history.records.entries())
      if (of === host) records.set(index, recordOf(given.unique('record')));
    const script: Answering = (request) => this.#answerTo(new TextDecoder().decode(request.body));
    const extension = await lastingExtension(this.#context, { records: [...records.values()], script });
    const made = { extension, records, keys: [extension.apiKey] };
    this.#hosts.set(host, made);
    return made;
  }

  /** As the plan of the job has it whose settings stand in the call; the right one for any other. */
  #answerTo(text: string): ReturnType<Answering> {
    const marker = [...this.#answers.keys()].find((one) => holdsWhole(text, one));
    const answers = marker === undefined ? undefined : this.#answers.get(marker);
    if (marker === undefined || answers === undefined) return undefined;
    const count = this.#counts.get(marker) ?? 0;
    this.#counts.set(marker, count + 1);
    const { status, delayMs, body } = answers[Math.min(count, answers.length - 1)] ?? { status: 200, body: 0 };
    return { status, ...(delayMs !== undefined && { delayMs }), ...bodies[body % bodies.length] };
  }

  async #schedule(index: number, plan: JobPlan): Promise<void> {
    const { given, notes, profile } = this.#context;
    if (this.#jobs.at(index) !== undefined) return;
    const host = await this.#hostOf(plan.record);
    const { triggered } = (plan.isElsewhere ? this.#likeFor(plan, host) : undefined) ?? {};
    const url = triggered && urlInSecondSpace(this.#context, triggered, 'task');
    const elsewhere = url === undefined ? undefined : profile.all.secondSpace?.space;
    const space = elsewhere ?? profile.all.space;
    const here = { ...plan, isElsewhere: elsewhere !== undefined };
    const changes = { filter: this.#filterOf(plan), ...this.#correlated(), ...(url !== undefined && { url }) };
    const send = async ({ as, input }: Scheduled): Promise<Pick<Job, 'as' | 'marker' | 'settings' | 'task'>> => {
      const marker = given.unique('job');
      const own = { ...settings[plan.settings % settings.length], marker };
      this.#answers.set(marker, plan.answers);
      const task = await given.task(this.#named(host, plan.record), {
        like: { input },
        taskSettings: own,
        ...(plan.timeout !== undefined && { timeout: plan.timeout }),
        changes: { ...changes, ...(as === 'secondEditor' && { as }) },
      });
      return { as, marker, settings: own, task };
    };
    const isLast = index >= this.#history.jobs.length;
    const made =
      this.#first === undefined
        ? await send(await this.#files.inputFor(here, space))
        : ((await this.#unlessNotCalled(async () => send(await this.#files.inputFor(here, space)), isLast)) ??
          // one input may be worked on by one job at a time
          (await this.#unlessNotCalled(async () => send(await this.#files.inputFor(here, space, true)), isLast)));
    if (made === undefined) return notes.observe('a further job of a history', 'is not called');
    if (elsewhere === undefined) this.#first ??= made.task;
    const job: Job = {
      ...made,
      index,
      plan,
      space,
      host,
      formerKeys: host.keys.length - 1,
      isAcknowledged: false,
      state: plan.answers.at(-1)?.status === 400 ? 'unknown' : 'open',
      message: undefined,
      texts: new Set(),
      paths: new Set(),
      reported: new Map(),
    };
    this.#jobs.all.push(job);
    this.#expectCall(job, job.task);
    await this.#jobs.expectOpen();
  }

  /** A task of the first space that was triggered as one of this plan is: a path may name the record. */
  #likeFor({ record }: JobPlan, host: TaskHost): GivenTask | undefined {
    const { space, triggers } = this.#context.profile.all;
    const { task = [] } = triggers ?? {};
    if (!requestsIn(task).some(({ path }) => namesExtension(path))) return this.#first;
    return this.#jobs.all.find((job) => job.host === host && job.plan.record === record && job.space === space)?.task;
  }

  /** Undefined where the job is not taken, or its task not called: while others are under way that may be right, once they have ended it is not. */
  async #unlessNotCalled<T>(work: () => Promise<T>, isLast: boolean): Promise<T | undefined> {
    if (this.#isOneByOne) return undefined;
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PreconditionFailed)) throw error;
      const isTaken = error.reply !== undefined && isSuccess(error.reply.status);
      if (isLast && isTaken) this.#context.clock.expectCame('the call of a task, once all others had ended', undefined);
      // it may be called as soon as another one ends, and hold up those behind it
      this.#isOneByOne ||= isTaken;
      return undefined;
    }
  }

  #named({ extension, records }: TaskHost, index: number): TaskHost['extension'] {
    const record = this.#context.given.present(records.get(index), 'a record');
    return { ...extension, record: () => record };
  }

  #filterOf({ day }: JobPlan): Readonly<Record<string, unknown>> {
    return filterAt(this.#context, `2026-03-${String(day).padStart(2, '0')}T00:00:00Z`);
  }

  #correlated(): Changes {
    return this.#context.profile.all.triggers?.carryHeaders === false ? {} : withCorrelationId(partHere().id());
  }

  /** An attempt is one of this job: to its record, with the key of its host, with settings and links of its own. */
  #expectCall(job: Job, { call, payload, ...task }: GivenTask): void {
    const { expect, tasks } = this.#context;
    const { host, plan, settings: sent } = job;
    const name = `the task of job ${job.index + 1}`;
    // a trigger that names no record may mean any of the host
    const isNamed = JSON.stringify(this.#context.profile.all.triggers?.task ?? {}).includes('{{recordId}}');
    const own = isNamed ? [host.records.get(plan.record)] : [...host.records.values()];
    expect(call.path, `path of the call of ${name}`).toBeOneOf(own.map((record) => `/${record?.endpoint}`));
    expectSigned(
      { expect },
      call,
      host.keys.slice(job.formerKeys).map((apiKey) => ({ apiKey })),
    );
    const id = task.triggered.id ?? tasks.jobIdIn({ call, payload, ...task });
    if (id !== undefined)
      expect(comparableId(call.envelope.id), `id of the envelope of ${name}`).toEqual(comparableId(id));
    expect(tokensInQuery(call).length, `query parameters of the call of ${name} that hold its accessToken`).toEqual(1);
    if (hasPlaceFor(this.#context, 'task', 'taskSettings'))
      this.#expectSettings(plan, payload['taskSettings'], sent, name);
    if (plan.timeout === undefined || takesTimeout(this.#context))
      expect(payload['timeout'], `timeout of ${name}`).toEqual(plan.timeout ?? defaultTaskTimeoutSeconds);
    expectDocumentedLinks(this.#context, { call, links: task.links });
    expectReportsBy(this.#context, { call, payload, ...task }, job.space);
  }

  #expectSettings({ timeout }: JobPlan, found: unknown, own: Job['settings'], name: string): void {
    const { expect, profile } = this.#context;
    const { timeoutSetting } = profile.all.tasks ?? {};
    // what becomes of the member that configures the timeout is not said
    const isMixed = timeoutSetting !== undefined && timeout !== undefined;
    const { [timeoutSetting ?? '']: _timeout, ...others } = Object(found);
    expect(isMixed ? others : found, `taskSettings of ${name}`).toEqual(own);
  }

  /** Once the task is acknowledged its links and its token are those of that attempt. */
  async #begun(job: Job): Promise<void> {
    const { clock, expect, given } = this.#context;
    if (job.isAcknowledged) return;
    const isOwn = (call: Call): boolean => this.#jobs.of(call) === job;
    const isTaken = (call: Call): boolean => isOwn(call) && isSuccess(call.answered ?? 0);
    const [taken] = await job.host.extension.ended(1, { kind: 'task', where: isTaken }, { withinMs: callWaitMs });
    if (taken === undefined)
      return clock.expectCame(`an attempt of the task of job ${job.index + 1} that is acknowledged`, undefined);
    job.isAcknowledged = true;
    if (taken !== job.task.call) {
      job.task = given.taskAgain(job.task, taken);
      this.#expectCall(job, job.task);
    }
    if (this.#use !== undefined) expect(await this.#use(job.task.token, job.as)).toSucceed();
    await this.#files.expectInput(job);
  }

  async #progress(job: Job, { text, way, isRepeated }: Deed<'progress'>): Promise<void> {
    const { expect } = this.#context;
    const others = this.#jobs.all.filter(({ message }) => message !== undefined && message !== job.message);
    const said = isRepeated ? others[text % Math.max(1, others.length)]?.message : undefined;
    const message = said ?? this.#message(text);
    const reply = await this.#report(job, 'progress', way, { message });
    if (job.state === 'open') {
      expect(reply).toSucceed();
      job.message = message;
    } else this.#tooLate(job, reply);
    if (isSuccess(reply.status)) job.texts.add(message);
    else if (said === undefined) this.#jobs.refused.add(message);
    await this.#jobs.expectOpen(job);
  }

  /** All that are under way say something at once. */
  async #together({ text }: Deed<'together'>): Promise<void> {
    const { expect } = this.#context;
    const open = this.#jobs.all.filter(({ state, isAcknowledged }) => state === 'open' && isAcknowledged);
    const said = open.map((job, index) => ({ job, message: this.#message(text + index) }));
    for (const { job, message } of said) job.texts.add(message);
    const replies = await Promise.all(
      said.map(({ job, message }, index) =>
        this.#report(job, 'progress', index % 2 === 0 ? 'link' : 'route', { message }),
      ),
    );
    for (const reply of replies) expect(reply).toSucceed();
    for (const { job, message } of said) job.message = message;
    await this.#jobs.expectOpen(...open);
  }

  #message(choice: number): string {
    const [before, behind] = messages[choice % messages.length] ?? ['', ':'];
    return `${before}${this.#context.given.unique('said')}${behind}`;
  }

  async #end(job: Job, { status, files, way }: Deed<'end'>): Promise<void> {
    const { expect } = this.#context;
    await this.#begun(job);
    const wasOpen = job.state === 'open';
    const paths = this.#files.uploadedBy(job);
    const members = [
      ...(files % 2 === 1 && status === 'Completed' ? [['outputFilePath', paths[0]] as const] : []),
      ...(files >= 2 ? [['logFilePath', paths.at(-1)] as const] : []),
    ];
    const named = members.flatMap(([member, path]) => (path === undefined ? [] : [[member, path] as const]));
    if (wasOpen) await this.#sayBefore(job, way);
    const reply = await this.#report(
      job,
      status,
      way,
      named.length === 0 && files === 0 ? undefined : Object.fromEntries(named),
    );
    for (const [, path] of named) job.paths.add(path);
    if (wasOpen) {
      expect(reply).toSucceed();
      for (const [member, path] of named) job.reported.set(member, path);
      job.state = status === 'Completed' ? 'completed' : 'failed';
    } else this.#tooLate(job, reply);
    await this.#jobs.expectAll(job);
  }

  /** The end follows at once: what is still being written of a message must not undo it. */
  async #sayBefore(job: Job, way: Deed<'end'>['way']): Promise<void> {
    const message = this.#message(job.index);
    job.texts.add(message);
    this.#context.expect(await this.#report(job, 'progress', way, { message })).toSucceed();
  }

  /** What a report behind the end does is not said, unless it is refused. Source: ledger task-final-state-changes */
  #tooLate(job: Job, reply: Reply): void {
    this.#context.notes.observe(
      'a report behind the end of a task',
      isSuccess(reply.status) ? 'is taken' : 'is refused',
      reply,
    );
    if (isSuccess(reply.status)) job.state = 'unknown';
  }

  #report(
    job: Job,
    what: 'progress' | (string & {}),
    way: Deed<'end'>['way'],
    body: unknown,
    changes: Changes = {},
  ): Promise<Reply> {
    const { tasks } = this.#context;
    const { task } = job;
    const isProgress = what === 'progress';
    if (way === 'link') {
      const link = task.link(isProgress ? 'taskProgress' : 'taskStatus');
      const filled = isProgress ? {} : { status: what };
      return tasks.follow(link, filled, { ...(body !== undefined && { body }), ...changes });
    }
    const url = `${tasks.route(task.jobId, job.space)}/${isProgress ? what : `status/${encodeURIComponent(what)}`}`;
    const there = { url, ...changes };
    return isProgress ? tasks.progress(task, body, there) : tasks.status(task, what, body, there);
  }

  /** A report that is refused changes nothing; whether somebody else's is the documents leave open. */
  async #sendFlawed(job: Job, { flaw, report }: Deed<'flawed'>): Promise<void> {
    const { expect, notes } = this.#context;
    const status: FinalStatus | undefined = report === 'progress' ? undefined : report;
    const message = this.#message(0);
    const body = status === undefined ? { message } : {};
    const send = (what: string, changes?: Changes) => this.#report(job, what, 'route', body, changes);
    switch (flaw) {
      case 'of nobody':
        expect(await send(report, { as: null })).toAnswer(401);
        break;
      case 'of an unknown status':
        for (const unknown of unknownStatuses.slice(0, 2))
          expect(await this.#report(job, unknown, 'route', {})).notToSucceed();
        break;
      case 'under another space': {
        const url = this.#elsewhere(job, report);
        if (url === undefined) return;
        expect(await send(report, { url })).notToSucceed();
        break;
      }
      default: {
        const changes = this.#ofAnother(job, flaw);
        if (changes === undefined) return;
        const reply = await send(report, changes);
        notes.observe(`a report ${flaw}`, isSuccess(reply.status) ? 'is taken' : 'is refused', reply);
        if (!isSuccess(reply.status)) break;
        job.texts.add(message);
        if (status === undefined) job.message = undefined;
        else job.state = 'unknown';
        return this.#jobs.expectOpen();
      }
    }
    if (status === undefined) this.#jobs.refused.add(message);
    await this.#jobs.expectOpen();
  }

  /** Where the job would be reported on in the other space. */
  #elsewhere(job: Job, report: string): string | undefined {
    const { profile, tasks } = this.#context;
    const { space, secondSpace } = profile.all;
    const other = job.space === space ? secondSpace?.space : space;
    if (other === undefined) return undefined;
    return `${tasks.route(job.task.jobId, other)}/${report === 'progress' ? report : `status/${report}`}`;
  }

  #ofAnother(job: Job, flaw: 'with the token of another job' | 'of somebody else'): Changes | undefined {
    const { identities } = this.#context.profile.all;
    const as = job.as === 'editor' ? 'secondEditor' : 'editor';
    if (flaw === 'of somebody else') return identities[as] === undefined ? undefined : { as };
    const other = this.#jobs.all.findLast((one) => one !== job && one.isAcknowledged);
    return other && { headers: { Authorization: `Bearer ${other.task.token}` } };
  }

  /** Its next calls are signed with another key; jobs under way go on. */
  async #update(host: TaskHost): Promise<void> {
    const { given, notes, registrations } = this.#context;
    const { extension, keys } = host;
    const apiKey = partHere().key(64).toString('base64');
    const asked = extension.metadata().length;
    const registration = given.present(extension.registration, 'a registration');
    const reply = await registrations.update(registration, { apiKey });
    if (!isSuccess(reply.status)) return notes.observe('an update of the host of tasks', 'is not taken', reply);
    keys.push(apiKey);
    await extension.ended(asked + 1, { kind: 'metadata' }, { withinMs: callWaitMs });
    await this.#jobs.expectOpen();
  }

  /** Nothing has come but the attempts of these jobs, of each one that was acknowledged at most. */
  #expectNoFurtherCalls(): void {
    const { expect } = this.#context;
    for (const { extension } of this.#hosts.values()) {
      const calls = extension.everything().filter(({ kind }) => kind !== 'metadata');
      const strays = calls.filter((call) => !this.#isExplained(call)).map(({ method, path }) => `${method} ${path}`);
      expect(strays, 'requests that no job set off').toEqual([]);
      for (const job of this.#jobs.all) {
        const own = calls.filter((call) => this.#jobs.of(call) === job);
        const taken = own.filter(({ answered }) => isSuccess(answered ?? 0));
        expect(taken.length, `calls of the task of job ${job.index + 1} that were acknowledged`).toSatisfy(
          'one at most',
          (count) => count <= 1,
        );
        for (const call of own) this.#expectCall(job, this.#context.given.taskAgain(job.task, call));
      }
    }
  }

  /** One that was given up while its call was on its way is no job of the history. */
  #isExplained(call: Call): boolean {
    return this.#jobs.of(call) !== undefined || [...this.#answers.keys()].some((marker) => tells(call, marker));
  }
}

/** With what each record is called once more at the end. */
const lastJob: Omit<JobPlan, 'record'> = {
  input: 0,
  isElsewhere: false,
  answers: [{ status: 200, body: 0 }],
  settings: 0,
  day: 1,
};

function recordOf(id: string): MetadataRecord {
  return {
    id,
    version: '1.0.0',
    name: 'Conformance task',
    endpoint: `T/${id}`,
    extensionType: 'ExternalTask',
    category: 'conformance',
    rateLimitNumberOfExecutions: plentyOfExecutions,
  };
}
