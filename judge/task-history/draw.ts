import { Dice } from '../call-history/dice.ts';
import type { FinalStatus } from '../extension/tasks.ts';
import type {
  InputPlace,
  InputPlan,
  JobPlan,
  ReportFlaw,
  TaskAnswer,
  TaskDeed,
  TaskHistory,
  TaskStep,
} from './history.ts';

/** What the target allows. */
export interface TaskScope {
  /** Whether triggers name the record that is meant, so that there may be several. */
  readonly several: boolean;
  /** Whether calls show which job they are of by what was sent, so that each can be answered as it is drawn. */
  readonly answers: boolean;
  readonly timeouts: boolean;
  /** `fixed`: every job has the input that the profile names. */
  readonly files: 'none' | 'fixed' | 'own';
  /** Whether the second editor may schedule jobs. */
  readonly secondEditor: boolean;
  /** Whether jobs can be scheduled in a second space. */
  readonly elsewhere: boolean;
  readonly updates: boolean;
}

/** The first two jobs have one input, so that two of one input are there in each history. */
const ofOneInput = 2;

const places: readonly [InputPlace, ...InputPlace[]] = [
  'in a directory',
  'deeper',
  'in the root',
  'under odd names',
  'beside the first',
];

const statuses: readonly [FinalStatus, ...FinalStatus[]] = ['Completed', 'Completed', 'Failed', 'Canceled'];

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
  const count = dice.pick([3, 4, 4, 5]);
  const jobs = Array.from({ length: count }, (_job, index) =>
    drawJob(dice, scope, { index, records: records.length, inputs }),
  );
  const [first = [], ...others] = jobs.map((plan) => story(dice, scope, plan));
  // where the second space has its trigger the first job shows
  const [begin, ...rest] = first;
  const steps = dice.mingled<TaskStep>([rest, ...others].map((deeds, job) => deeds.map((deed) => ({ ...deed, job }))));
  return { records, inputs, jobs, steps: [...(begin === undefined ? [] : [{ ...begin, job: 0 }]), ...steps] };
}

function drawInputs(dice: Dice, { files, secondEditor }: TaskScope): readonly InputPlan[] {
  if (files !== 'own') return [{ place: 'in a directory', by: 'editor' }];
  const further = Array.from({ length: 3 }, (): InputPlan => {
    const place = dice.pick(places);
    const isOfSecond = secondEditor && place !== 'beside the first' && dice.below(2) === 0;
    return { place, by: isOfSecond ? 'secondEditor' : 'editor' };
  });
  return [
    { place: dice.pick(['in a directory', 'deeper', 'in the root', 'under odd names']), by: 'editor' },
    ...further,
  ];
}

interface Place {
  readonly index: number;
  readonly records: number;
  readonly inputs: readonly InputPlan[];
}

function drawJob(dice: Dice, scope: TaskScope, { index, records, inputs }: Place): JobPlan {
  const isElsewhere = scope.elsewhere && index >= ofOneInput && dice.below(3) === 0;
  // a user who has a role in one space need not have one in the other
  const input = index < ofOneInput || isElsewhere ? 0 : dice.below(inputs.length);
  const timeout = dice.pick(timeouts);
  return {
    record: dice.below(records),
    input,
    isElsewhere,
    answers: drawAnswers(dice, scope, index),
    ...(scope.timeouts && dice.below(2) === 0 && { timeout }),
    settings: dice.below(choices),
    day: 1 + dice.below(28),
  };
}

function drawAnswers(dice: Dice, scope: TaskScope, index: number): readonly TaskAnswer[] {
  const taken: TaskAnswer = { status: dice.pick([200, 200, 201]), body: dice.below(choices) };
  const turn = dice.below(6);
  if (!scope.answers || index === 0) return [taken];
  if (turn === 0) return [{ status: 503, body: 0 }, taken];
  if (turn === 1) return [{ ...taken, delayMs: 300 }];
  return turn === 2 && index >= ofOneInput ? [{ status: 400, body: 0 }] : [taken];
}

/** What happens to one job. */
function story(dice: Dice, scope: TaskScope, { answers }: JobPlan): readonly TaskDeed[] {
  const progress = (): TaskDeed => drawProgress(dice);
  const isLost = answers.every(({ status }) => status === 400);
  if (isLost) return [{ kind: 'schedule' }];
  const middle: readonly (() => TaskDeed)[] = [
    progress,
    () => drawFlawed(dice),
    () => ({ kind: 'together', text: dice.below(choices) }),
    ...(scope.updates ? [(): TaskDeed => ({ kind: 'update' })] : []),
    ...(scope.files === 'none' ? [] : fileDeeds(dice)),
  ];
  const told = [progress, ...dice.some(middle, 3)];
  const end: TaskDeed = {
    kind: 'end',
    status: dice.pick(statuses),
    files: dice.below(4),
    way: dice.pick(['link', 'route']),
  };
  const late: readonly TaskDeed[] =
    dice.below(3) === 0 ? [dice.below(2) === 0 ? progress() : { ...end, status: dice.pick(statuses) }] : [];
  return [{ kind: 'schedule' }, ...dice.some(told, told.length).map((tell) => tell()), end, ...late];
}

function drawProgress(dice: Dice): TaskDeed {
  return {
    kind: 'progress',
    text: dice.below(choices),
    way: dice.pick(['link', 'route']),
    isRepeated: dice.below(6) === 0,
  };
}

function drawFlawed(dice: Dice): TaskDeed {
  const flaw = dice.pick(flaws);
  const report = dice.pick<'progress' | FinalStatus>(['progress', ...statuses]);
  return { kind: 'flawed', flaw, report };
}

function fileDeeds(dice: Dice): readonly (() => TaskDeed)[] {
  const upload = (): TaskDeed => ({
    kind: 'upload',
    name: dice.below(choices),
    by: dice.pick(['stream', 'stream', 'chunks']),
  });
  return [
    upload,
    upload,
    () => ({
      kind: 'download',
      by: dice.pick(['inputFile', 'content', 'downloadFile']),
      choice: dice.below(choices),
    }),
    () => ({ kind: 'list' }),
  ];
}
