import { sample } from 'fast-check';
import { firstFound } from '../case/first-found.ts';
import type { Case, Generation } from '../case.ts';
import { Violation } from '../violation.ts';
import { histories, type Emphasis, type History } from './command.ts';
import { compareWhole, type Compare } from './compare.ts';
import { follow, type Following } from './follow.ts';
import { reduced } from './reduced.ts';
import { shapeOf } from './shape.ts';
import { told } from './told.ts';

export interface HistoryOptions {
  /** Histories that are followed in every run, whatever the seed. */
  readonly always?: readonly History[];
  /** Share of the runs that this case makes. */
  readonly share?: number;
  /** What is compared after each command; everything that can be seen unless given. */
  readonly compare?: Compare;
}

/** Requests that are kept of one history, so that it can be told from its beginning. */
const keptRequests = 400;
/** Histories followed at a time: each is a chain of requests that wait for one another. */
const lanes = 4;

/** Random histories of that emphasis, each compared with the model; the shortest one that fails is reported, as a shell script. */
export function historyCase(
  emphasis: Emphasis,
  { always = [], share = 1, compare = compareWhole }: HistoryOptions = {},
): Case {
  return {
    kind: 'model',
    run: async (context, generation) => {
      const whole = await shapeOf(context);
      const shape = { ...whole, ports: whole.ports.slice(0, emphasis.ports) };
      const attempt = (history: History, closely: boolean): Promise<Failed | undefined> =>
        violationOf({ context, shape, compare, closely }, generation, history);
      const numRuns = Math.max(1, Math.round(generation.runs * share));
      const generated = sample(histories(emphasis, shape), { seed: generation.seed, numRuns });
      const all = [...always, ...generated];
      const failing = await firstFound(all, lanes, (history) => attempt(history, true));
      const history = failing && all[failing.index];
      if (failing === undefined || history === undefined) return;
      // followed once more by itself: until now its requests stand among those of others
      const { history: smallest, violation } = await reduced(history, failing.found.reached, attempt);
      throw Object.assign(violation ?? failing.found.violation, {
        isScript: violation !== undefined,
        counterexample: `${told(smallest)} (seed ${generation.seed}, history ${failing.index + 1})`,
      });
    },
  };
}

export interface Failed {
  readonly violation: Violation;
  /** Index of the command at which it showed. */
  readonly reached: number;
}

async function violationOf(following: Following, { begin }: Generation, history: History): Promise<Failed | undefined> {
  let reached = 0;
  begin?.(keptRequests);
  try {
    await follow({ ...following, reached: (index) => (reached = index) }, history);
    return undefined;
  } catch (error) {
    if (error instanceof Violation) return { violation: error, reached };
    throw error;
  }
}
