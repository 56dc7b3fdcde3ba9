import type { FinalStatus } from '../extension/tasks.ts';

/** Where the input of a job lies. `beside the first`: in the directory of the first input, under another name. */
export type InputPlace = 'in a directory' | 'deeper' | 'in the root' | 'under odd names' | 'beside the first';

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
export type ReportFlaw =
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
export type TaskStep = TaskDeed & { readonly job: number };

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
