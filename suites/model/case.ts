import { noShrink } from 'fast-check';
import { assertProperty } from '../engine/case/assert-property.ts';
import type { Case, Generation } from '../engine/case.ts';
import { Violation } from '../engine/violation.ts';
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
      let smallest: History | undefined;
      const run = async (history: History): Promise<void> => {
        const attempt = (candidate: History, closely: boolean): Promise<Failed | undefined> =>
          violationOf({ context, shape, compare, closely }, generation, candidate);
        const violation = await attempt(history, true);
        if (violation === undefined) return;
        const found = await reduced(history, violation.reached, attempt);
        smallest = found.history;
        throw Object.assign(found.violation ?? violation.violation, { isScript: true });
      };
      const tell = (): string => (smallest === undefined ? '' : told(smallest));
      await assertProperty(noShrink(histories(emphasis, shape)), run, generation, { always, share, tell });
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
