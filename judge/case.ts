import fc from 'fast-check';
import type { Arbitrary, AsyncCommand } from 'fast-check';
import type { DetourLog } from './case/detour-log.ts';
import type { Expect } from './expect.ts';
import type { ApiKeys } from './extension/api-keys.ts';
import type { Call } from './extension/call.ts';
import type { Registrations } from './extension/registrations.ts';
import type { Tasks } from './extension/tasks.ts';
import type { Triggers } from './extension/triggers.ts';
import type { Bulk } from './files/bulk.ts';
import type { Files } from './files/files.ts';
import type { Given } from './given.ts';
import type { Notes } from './notes.ts';
import type { BoundProfile } from './profile.ts';
import type { EveryAnswer } from './every-answer/every-answer.ts';
import type { ServerErrors } from './every-answer/server-errors.ts';
import type { Target } from './service/target.ts';
import type { Clock } from './time/clock.ts';
import { Inconclusive, ObjectLost, PreconditionFailed, Violation } from './violation.ts';
import { readTime } from './time/real-time.ts';

const mostShrinks = 60;

const shrinkMs = 8000;

/** What came of the runs so far. */
class Trial {
  #violation: Violation | undefined;
  #obstacle: unknown;
  #shrinks = 0;
  #shrinkUntil = Infinity;
  readonly #mostShrinks: number;

  /** @param most tries for smaller data that fail */
  constructor(most: number) {
    this.#mostShrinks = most;
  }

  async run(run: () => Promise<void>): Promise<void> {
    if (this.#isOver()) throw endOfTrial();
    try {
      await run();
    } catch (error) {
      this.#note(error);
      throw error instanceof Violation ? error : endOfTrial();
    }
  }

  rethrow(counterexample: string, path: string | null, seed: number): void {
    if (this.#violation !== undefined) {
      this.#violation.counterexample = `${counterexample} (seed ${seed}, path ${path ?? ''})`;
      throw this.#violation;
    }
    if (this.#obstacle !== undefined) throw this.#obstacle;
  }

  /** Nothing smaller is looked for once an obstacle was met or shrinking took long enough. */
  #isOver(): boolean {
    if (this.#obstacle !== undefined) return true;
    if (this.#violation === undefined) return false;
    this.#shrinks += 1;
    return this.#shrinks > this.#mostShrinks || readTime() > this.#shrinkUntil;
  }

  #note(error: unknown): void {
    if (!(error instanceof Violation)) {
      this.#obstacle = error;
      return;
    }
    if (this.#violation === undefined) this.#shrinkUntil = readTime() + shrinkMs;
    this.#violation = error;
  }
}

/** Ends the generation of values at once: to go on through all that are smaller computes for a minute where texts are long. */
function endOfTrial(): Error {
  return new fc.PreconditionFailure(true);
}

/** Values as another arbitrary draws them. One that a rule names is told as it is: how it could have been drawn is never guessed, which takes for ever with a long text. */
class Drawn<T> extends fc.Arbitrary<T> {
  readonly #from: Arbitrary<T>;

  constructor(from: Arbitrary<T>) {
    super();
    this.#from = from;
  }

  override generate(...how: Parameters<Arbitrary<T>['generate']>): fc.Value<T> {
    return this.#from.generate(...how);
  }

  override canShrinkWithoutContext(_value: unknown): _value is T {
    return false;
  }

  override shrink(value: T, context: unknown): fc.Stream<fc.Value<T>> {
    return this.#from.shrink(value, context);
  }
}

export interface CaseContext {
  /** The implementation under test: typed routes, every exchange recorded. */
  readonly service: Target;
  /** Makes what the case needs and books it for clean-up. A failure in here is never a `fail` of the rule. */
  readonly given: Given;
  /** Assertions; a breach throws a Violation of the rule. */
  readonly expect: Expect;
  /** What is recorded without judging it. */
  readonly notes: Notes;
  readonly profile: BoundProfile;
  /** The same for another SoftType that meets the needs of the rule, which is the primary one then; undefined where there is none. */
  readonly other: () => CaseContext | undefined;
  /** The same in the second space of the profile, for its SoftType; undefined where there is none that meets the needs of the rule. */
  readonly elsewhere: () => CaseContext | undefined;
  /** The registration routes. Extensions and endpoints that the suite plays come from `given.extension` and `given.endpoint`. */
  readonly registrations: Registrations;
  /** Requests of the profile that make the service call out. */
  readonly triggers: Triggers;
  /** The file routes. Files that a case starts from come from `given.file`. */
  readonly files: Files;
  /** The bulk upload routes; `given.sourceDirectory` makes what they upload. */
  readonly bulk: Bulk;
  /** What external tasks call back, and the jobs behind them. `given.task` makes one. */
  readonly tasks: Tasks;
  /** The acquire route of API keys and what comes of it. `given.keyHolder` makes something that may have some. */
  readonly apiKeys: ApiKeys;
  /** Time, for cases of the kind `schedule`. */
  readonly clock: Clock;
  /** Answers of this run so far that no sentence asks a server error of, whatever case they were for. */
  readonly serverErrors: ServerErrors;
  /** The same for answers that cannot be right, whatever was asked for. */
  readonly everyAnswer: EveryAnswer;
  /** What cases came to where their requests took detours, and not without. */
  readonly detours: Pick<DetourLog, 'found'>;
  /** Everything that arrived at the listener in this run so far, whatever case it was for. */
  readonly trace: () => Promise<readonly Call[]>;
}

export type CaseKind = 'scenario' | 'property' | 'model' | 'race' | 'schedule';

export interface ServiceCase {
  readonly side?: undefined;
  readonly kind: CaseKind;
  /** Time of the service that a schedule takes. */
  readonly seconds?: number;
  /** What it takes where the run gives it more than that, in real time. */
  readonly atMostSeconds?: number;
  /** Whether no other case may run beside it: what a schedule registers holds up the objects of others, or what others write hides what it looks for. */
  readonly isAlone?: true;
  /** Whether it leaves calls unanswered for seconds. */
  readonly holdsCalls?: true;
  /** Whether it looks at what the whole run has seen, and so comes last. */
  readonly looksBack?: true;
  readonly run: (context: CaseContext, generation: Generation) => Promise<void>;
}

/** How generated data of a run is chosen: the same seed gives the same requests. */
export interface Generation {
  readonly seed: number;
  /** Number of generated runs of a property. */
  readonly runs: number;
  /** Whether data that fail are told as they were found; else the smallest that fail are looked for. */
  readonly asFound?: boolean;
  /** Told before each generated run, so that a report shows the requests of that run only, the last `kept` of them. */
  readonly begin?: (kept?: number) => void;
}

interface PropertyOptions<T> {
  /** Values that are tried in every run, whatever the seed. */
  readonly always?: readonly T[];
  /** Share of the runs that this property makes: 0.5 for a costly one. */
  readonly share?: number;
  /** The value that fails, in words; as JSON unless given. */
  readonly tell?: (value: T) => string;
}

/** A fixed sequence of steps. */
export function scenario(run: (context: CaseContext, generation: Generation) => Promise<void>): ServiceCase {
  return { kind: 'scenario', run };
}

/**
 * The same steps once more for another SoftType of the profile that meets the needs of the rule. Where that one keeps them from being gone
 * the rule is judged by the first.
 */
export function onEveryType(test: ServiceCase): ServiceCase {
  return onceMore(test, (context) => context.other());
}

/** The same steps once more in the second space of the profile. Where that one keeps them from being gone the rule is judged by the first. */
export function onEverySpace(test: ServiceCase): ServiceCase {
  return onceMore(test, (context) => context.elsewhere());
}

/** @param to where it is done again; undefined where there is no such place */
function onceMore({ run, ...test }: ServiceCase, to: (context: CaseContext) => CaseContext | undefined): ServiceCase {
  return {
    ...test,
    run: async (context, generation) => {
      await run(context, generation);
      const place = to(context);
      if (place !== undefined) await unlessKept(() => run(place, generation), context);
    },
  };
}

/** What is done beside the first, as for another SoftType or in another space, counts where it can be done. */
export async function unlessKept(work: () => Promise<void>, { notes }: Pick<CaseContext, 'notes'>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isKept = error instanceof PreconditionFailed || error instanceof Inconclusive;
    if (!isKept || error instanceof ObjectLost) throw error;
    notes.observe('what is judged beside the first would need', error.message);
  }
}

/** Steps that come behind those of all other cases, and judge what all of them have met. */
export function review(run: (context: CaseContext) => Promise<void>): ServiceCase {
  return { kind: 'scenario', looksBack: true, run };
}

/** Steps that come behind those of all other cases, where nobody else writes: the writes of others may be what empties a cache. */
export function undisturbed(run: (context: CaseContext) => Promise<void>): ServiceCase {
  return { kind: 'scenario', isAlone: true, run };
}

/** Steps that hold for every value of an arbitrary; a counterexample is shrunk before it is reported. */
export function property<T>(
  arbitrary: Arbitrary<T> | ((context: CaseContext) => Arbitrary<T>),
  run: (context: CaseContext, value: T) => Promise<void>,
  options: PropertyOptions<NoInfer<T>> = {},
): ServiceCase {
  return {
    kind: 'property',
    run: (context, generation) => {
      const values = typeof arbitrary === 'function' ? arbitrary(context) : arbitrary;
      return assertProperty(values, (value) => run(context, value), generation, options);
    },
  };
}

/** A model, and the real thing that has to be like it. */
interface Modelled<M extends object, R> {
  readonly model: M;
  readonly real: R;
}

interface ModelOptions<M extends object, R> {
  /** A fresh object and the model of it. */
  readonly begin: (context: CaseContext) => Promise<Modelled<M, R>>;
  /** Compares the whole of both when a sequence is over, so that no command need look further than its own end. */
  readonly compare?: (modelled: Modelled<M, R>) => Promise<void>;
  /** Most commands of one sequence; 12 unless given. */
  readonly maxCommands?: number;
  readonly share?: number;
}

/**
 * Sequences of commands run against a model; the shortest that fails is reported with the requests it sent.
 * @param commands what each sequence chooses from, drawn anew for each of them
 */
export function model<M extends object, R>(
  commands: Arbitrary<readonly Arbitrary<AsyncCommand<M, R>>[]>,
  { begin, compare, maxCommands = 12, share = 1 }: ModelOptions<M, R>,
): ServiceCase {
  return {
    kind: 'model',
    run: (context, generation) => {
      const sequences = commands.chain((some) => fc.commands([...some], { maxCommands, size: 'max' }));
      return assertProperty(
        sequences,
        async (sequence) => {
          const modelled = await begin(context);
          await fc.asyncModelRun(() => modelled, sequence);
          await compare?.(modelled);
        },
        generation,
        { share },
      );
    },
  };
}

/** Steps that follow from the seed of the run, each held against a model; the case shrinks what fails by itself. */
export function history(run: (context: CaseContext, generation: Generation) => Promise<void>): ServiceCase {
  return { kind: 'model', run };
}

/** Steps in which requests meet each other; repeated, because one meeting proves little. @param rounds 3 unless given */
export function race(
  run: (context: CaseContext, generation: Generation) => Promise<void>,
  { rounds = 3 }: { readonly rounds?: number } = {},
): ServiceCase {
  return {
    kind: 'race',
    run: async (context, generation) => {
      for (let round = 0; round < rounds; round += 1) {
        generation.begin?.();
        await run(context, generation);
      }
    },
  };
}

/**
 * Steps between which time of the service has to pass; all schedules of a run start together. Where the suite moves the clock of the
 * service it does so whenever all of them wait for `clock` or for a call.
 * @param seconds time of the service from the first step to the last
 */
export function schedule(
  seconds: number,
  run: (context: CaseContext, generation: Generation) => Promise<void>,
  { isAlone, atMostSeconds }: Pick<ServiceCase, 'isAlone' | 'atMostSeconds'> = {},
): ServiceCase {
  return {
    kind: 'schedule',
    seconds,
    ...(atMostSeconds !== undefined && { atMostSeconds }),
    ...(isAlone && { isAlone }),
    run: async (context, generation) => {
      const leave = await context.clock.enter();
      await run(context, generation).finally(leave);
    },
  };
}

/** A schedule that leaves calls unanswered for seconds, which take their places from others where a service makes few at once. */
export function holdingSchedule(...parts: Parameters<typeof schedule>): ServiceCase {
  return { ...schedule(...parts), holdsCalls: true };
}

/** Runs the predicate on generated values. @throws {Violation} of the smallest failing value, or whatever else a run threw, unshrunk */
async function assertProperty<T>(
  arbitrary: Arbitrary<T>,
  run: (value: T) => Promise<void>,
  { seed, runs, begin, asFound }: Generation,
  { always = [], share = 1, tell = fc.stringify }: PropertyOptions<T>,
): Promise<void> {
  const trial = new Trial(asFound === true ? 0 : mostShrinks);
  const property = fc.asyncProperty(new Drawn(arbitrary), (value) =>
    trial.run(async () => {
      begin?.();
      await run(value);
    }),
  );
  const examples = always.map((value): [T] => [value]);
  // fast-check counts the examples among its runs
  const numRuns = examples.length + Math.max(1, Math.round(runs * share));
  const details = await fc.check(property, { seed, numRuns, examples, endOnFailure: false });
  const [smallest] = details.counterexample ?? [];
  trial.rethrow(smallest === undefined ? '' : tell(smallest), details.counterexamplePath, seed);
}
