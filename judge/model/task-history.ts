import type { FinalStatus } from '../extension/tasks.ts';
import { Dice } from '../case/dice.ts';

/** Where the input of a job lies. `beside the first`: in the directory of the first input, under another name. */
type InputPlace = 'in a directory' | 'deeper' | 'in the root' | 'under odd names' | 'beside the first';

export interface InputPlan {
  readonly place: InputPlace;
  /** Who uploads it and schedules the jobs that work on it. */
  readonly by: 'editor' | 'secondEditor';
}

/** What the host answers to one attempt. */
export interface TaskAnswer {
  readonly status: number;
  readonly delayMs?: number;
  /** Chooses among bodies that say nothing. */
  readonly body: number;
}

export interface JobPlan {
  /** Index of the record whose endpoint is called. */
  readonly record: number;
  /** Index of the input; several jobs may have the same. */
  readonly input: number;
  /** In the second space, with an input at the same path there. */
  readonly isElsewhere: boolean;
  /** In the order of the attempts; the last one stays. */
  readonly answers: readonly TaskAnswer[];
  /** In seconds; that of the service unless given. */
  readonly timeout?: number;
  /** Chooses among settings. */
  readonly settings: number;
  /** Day of March 2026 in the information filter of the trigger. */
  readonly day: number;
}

/** By the link of the task, or by the documented route. */
type Way = 'link' | 'route';

/** Why a report is refused, or may be. The last two the documents leave open. */
type ReportFlaw =
  | 'of nobody'
  | 'under another space'
  | 'of an unknown status'
  | 'with the token of another job'
  | 'of somebody else';

/** What happens to a job. What does not fit to how it stands is passed over. */
export type TaskDeed =
  | { readonly kind: 'schedule' }
  /** `isRepeated`: with the text that another job was told last, where there is one. */
  | { readonly kind: 'progress'; readonly text: number; readonly way: Way; readonly isRepeated: boolean }
  /** Each job that is under way is told something, all at once. */
  | { readonly kind: 'together'; readonly text: number }
  | { readonly kind: 'upload'; readonly name: number; readonly by: 'stream' | 'chunks' }
  /** A file of this job, or of any other one that it may read, by the link of that id. */
  | { readonly kind: 'download'; readonly by: 'inputFile' | 'content' | 'downloadFile'; readonly choice: number }
  | { readonly kind: 'list' }
  /** `files`: 0 for no body, 1 for an output, 2 for a log, 3 for both, of those that were uploaded. */
  | { readonly kind: 'end'; readonly status: FinalStatus; readonly files: number; readonly way: Way }
  | { readonly kind: 'flawed'; readonly flaw: ReportFlaw; readonly report: 'progress' | FinalStatus }
  /** The registration of the host that is called gets another key. */
  | { readonly kind: 'update' };

/** What happens, and to which job. */
type TaskStep = TaskDeed & { readonly job: number };

export interface TaskHistory {
  /** The host of each record, by its index. */
  readonly records: readonly number[];
  readonly inputs: readonly InputPlan[];
  readonly jobs: readonly JobPlan[];
  readonly steps: readonly TaskStep[];
}

/** The same of some of its jobs alone: of others nothing happens. */
export function ofJobs(history: TaskHistory, indexes: readonly number[]): TaskHistory {
  return { ...history, steps: history.steps.filter(({ job }) => indexes.includes(job)) };
}

/** The same with every task taken at its first call. */
export function takenAtOnce(history: TaskHistory): TaskHistory {
  return { ...history, jobs: history.jobs.map((plan) => ({ ...plan, answers: [{ status: 200, body: 0 }] })) };
}

/** The history in words. */
export function tellTasks({ records, inputs, jobs, steps }: TaskHistory): string {
  const told = [...new Set(steps.map(({ job }) => job))].toSorted((one, other) => one - other);
  const begun = told.flatMap((index) => {
    const plan = jobs[index];
    const input = plan && inputs[plan.input];
    if (plan === undefined || input === undefined) return [];
    const host = (records[plan.record] ?? 0) + 1;
    const place = `input ${plan.input + 1} ${input.place}${plan.isElsewhere ? ' of the second space' : ''}`;
    const statuses = plan.answers.map(({ status, delayMs }) => `${status}${delayMs === undefined ? '' : ' late'}`);
    return `job ${index + 1} of ${input.by} with ${place} for record ${plan.record + 1} of host ${host}, which answers ${statuses.join(', ')}`;
  });
  return [...begun, ...steps.map((step) => `${step.job + 1}: ${tellDeed(step)}`)].join('; ');
}

function tellDeed(deed: TaskDeed): string {
  switch (deed.kind) {
    case 'schedule':
      return 'scheduled';
    case 'progress':
      return `progress by the ${deed.way}${deed.isRepeated ? ', with the text of another job' : ''}`;
    case 'together':
      return 'progress of all at once';
    case 'upload':
      return `a file by ${deed.by}`;
    case 'download':
      return `${deed.by} is followed`;
    case 'list':
      return 'inputDir is followed';
    case 'end':
      return `${deed.status} by the ${deed.way}${deed.files > 0 ? ', with files' : ''}`;
    case 'flawed':
      return `${deed.report} ${deed.flaw}`;
    case 'update':
      return 'an update of its host';
  }
}

/** What the target allows. */
export interface TaskScope {
  /** Whether triggers name the record that is meant, so that there may be several. */
  readonly several: boolean;
  /** Whether calls show which job they are of by what was sent, so that each can be answered as it is drawn. */
  readonly answers: boolean;
  readonly timeouts: boolean;
  /** `fixed`: every job has the input that the profile names. */
  readonly files: 'none' | 'fixed' | 'own';
  readonly secondEditor: boolean;
  /** Whether jobs can be scheduled in a second space. */
  readonly elsewhere: boolean;
  readonly updates: boolean;
}

/** The first two jobs have one input, so that two of one input are there in each history. */
const ofOneInput = 2;

/** Those that say most: one is the place of the input that two jobs have. */
const farPlaces: readonly InputPlace[] = ['deeper', 'under odd names'];

const nearPlaces: readonly [InputPlace, ...InputPlace[]] = [
  'in a directory',
  'in a directory',
  'in the root',
  'beside the first',
];

const statuses: readonly [FinalStatus, ...FinalStatus[]] = ['Completed', 'Completed', 'Failed', 'Canceled'];

/** How a task ends, and with how many files: none, and no body either, an output, a log, or both. */
interface End {
  readonly status: FinalStatus;
  readonly files: number;
}

const ends: readonly [End, ...End[]] = [
  { status: 'Completed', files: 0 },
  { status: 'Completed', files: 3 },
  { status: 'Completed', files: 2 },
  { status: 'Failed', files: 2 },
  { status: 'Canceled', files: 2 },
  { status: 'Canceled', files: 0 },
];

/** What the host does with the call of a job. */
type Host = 'takes it' | 'takes it late' | 'takes it again' | 'refuses it';

const hosts: readonly Host[] = ['takes it', 'takes it late', 'takes it again'];

const flaws: readonly [ReportFlaw, ...ReportFlaw[]] = [
  'of nobody',
  'under another space',
  'of an unknown status',
  'with the token of another job',
  'of somebody else',
];

/** In seconds: longer than any history lasts. */
const timeouts = [900, 1200, 86_400] as const;

/** So many that each text, name and setting comes. */
const choices = 60;

/** A history that follows from a seed: each job has a story of its own, and their steps come one after the other in any order. */
export function drawTasks(seed: number, scope: TaskScope): TaskHistory {
  const dice = new Dice(seed);
  const several = dice.pick([
    [0, 0],
    [0, 0, 1],
    [0, 1, 1],
  ]);
  const records = scope.several ? several : [0];
  const inputs = drawInputs(dice, scope);
  const count = dice.pick([4, 4, 5]);
  // one of each, before there are two of any
  const ownHosts = [undefined, ...dice.some(hosts, hosts.length), dice.pick<Host>(['takes it', 'refuses it'])];
  const jobs = Array.from({ length: count }, (_job, index) =>
    drawJob(dice, scope, { index, host: ownHosts[index], records: records.length, inputs: inputs.length }),
  );
  const ownFlaws = dice.some(flaws, flaws.length);
  const ownEnds = dice.some(ends, ends.length);
  const stories = jobs.map((plan, index) =>
    story(dice, scope, plan, {
      flaw: ownFlaws[index % ownFlaws.length] ?? flaws[0],
      end: ownEnds[index % ownEnds.length] ?? ends[0],
      isFirst: index === 0,
    }).map((deed): TaskStep => ({ ...deed, job: index })),
  );
  // where the second space has its trigger the first job shows
  const begin = stories[0]?.slice(0, 1) ?? [];
  // one that is called again is so while others are under way
  const halves = stories.map(({ length }, index) =>
    (jobs[index]?.answers.length ?? 0) > 1 ? 1 : Math.ceil(length / 2),
  );
  const early = dice.mingled(stories.map((steps, index) => steps.slice(index === 0 ? 1 : 0, halves[index])));
  const late = dice.mingled(stories.map((steps, index) => steps.slice(halves[index])));
  return { records, inputs, jobs, steps: [...begin, ...early, ...late] };
}

function drawInputs(dice: Dice, { files, secondEditor }: TaskScope): readonly InputPlan[] {
  if (files !== 'own') return [{ place: 'in a directory', by: 'editor' }];
  return [...dice.some(farPlaces, farPlaces.length), dice.pick(nearPlaces)].map((place, index) => {
    const isOfSecond = secondEditor && index > 0 && place !== 'beside the first' && dice.below(2) === 0;
    return { place, by: isOfSecond ? 'secondEditor' : 'editor' };
  });
}

interface Place {
  readonly index: number;
  readonly host: Host | undefined;
  readonly records: number;
  readonly inputs: number;
}

function drawJob(dice: Dice, scope: TaskScope, { index, host, records, inputs }: Place): JobPlan {
  const isElsewhere = scope.elsewhere && index > ofOneInput && dice.below(2) === 0;
  // a user who has a role in one space need not have one in the other
  const input = isElsewhere ? 0 : Math.max(0, index - 1) % inputs;
  const timeout = dice.pick(timeouts);
  return {
    record: dice.below(records),
    input,
    isElsewhere,
    answers: drawAnswers(dice, scope.answers ? host : undefined),
    ...(scope.timeouts && dice.below(2) === 0 && { timeout }),
    settings: dice.below(choices),
    day: 1 + dice.below(28),
  };
}

function drawAnswers(dice: Dice, host: Host = 'takes it'): readonly TaskAnswer[] {
  const taken: TaskAnswer = { status: dice.pick([200, 200, 201]), body: dice.below(choices) };
  switch (host) {
    case 'takes it':
      return [taken];
    case 'takes it late':
      return [{ ...taken, delayMs: 300 }];
    case 'takes it again':
      return [{ status: 503, body: 0 }, taken];
    case 'refuses it':
      return [{ status: 400, body: 0 }];
  }
}

/** What no other job of the history has. */
interface Own {
  readonly flaw: ReportFlaw;
  readonly end: End;
  readonly isFirst: boolean;
}

/** What happens to one job. */
function story(dice: Dice, scope: TaskScope, { answers }: JobPlan, { flaw, end, isFirst }: Own): readonly TaskDeed[] {
  const isLost = answers.every(({ status }) => status === 400);
  if (isLost) return [{ kind: 'schedule' }];
  const progress = (): TaskDeed => drawProgress(dice);
  const hasFiles = scope.files !== 'none';
  const middle: readonly (() => TaskDeed)[] = [
    progress,
    progress,
    () => drawTogether(dice),
    ...(scope.updates ? [(): TaskDeed => ({ kind: 'update' })] : []),
    ...(hasFiles ? [(): TaskDeed => drawUpload(dice), (): TaskDeed => drawDownload(dice)] : []),
  ];
  const told = [
    progress(),
    drawFlawed(dice, flaw),
    ...(isFirst ? [drawTogether(dice)] : []),
    ...(hasFiles ? [drawUpload(dice), { kind: 'list' } as const] : []),
    ...dice.some(middle, 2).map((tell) => tell()),
  ];
  const late = dice.below(2) === 0 ? [dice.below(2) === 0 ? progress() : drawEnd(dice, dice.pick(ends))] : [];
  return [{ kind: 'schedule' }, ...dice.some(told, told.length), drawEnd(dice, end), ...late];
}

function drawProgress(dice: Dice): TaskDeed {
  return {
    kind: 'progress',
    text: dice.below(choices),
    way: dice.pick(['link', 'route']),
    isRepeated: dice.below(6) === 0,
  };
}

function drawTogether(dice: Dice): TaskDeed {
  return { kind: 'together', text: dice.below(choices) };
}

function drawEnd(dice: Dice, end: End): TaskDeed {
  return { kind: 'end', ...end, way: dice.pick(['link', 'route']) };
}

function drawFlawed(dice: Dice, flaw: ReportFlaw): TaskDeed {
  const report = dice.pick<'progress' | FinalStatus>(['progress', ...statuses]);
  // how a job stands that somebody else has ended is not known
  const isOpen = flaw === 'of somebody else' || flaw === 'with the token of another job';
  return { kind: 'flawed', flaw, report: isOpen && dice.below(4) > 0 ? 'progress' : report };
}

function drawUpload(dice: Dice): TaskDeed {
  return { kind: 'upload', name: dice.below(choices), by: dice.pick(['stream', 'chunks']) };
}

function drawDownload(dice: Dice): TaskDeed {
  return { kind: 'download', by: dice.pick(['inputFile', 'content', 'downloadFile']), choice: dice.below(choices) };
}
