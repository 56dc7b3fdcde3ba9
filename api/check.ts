import { type Area, areas } from '../contract/areas.ts';
import type { Options } from '../contract/option.ts';
import type { Profile } from '../contract/profile.ts';
import type { ExtensionProfile } from '../contract/profile/extension-profile.ts';
import type { Level } from '../contract/rule.ts';
import type { Outcome, RunFooter, RunHeader } from '../judge/outcome.ts';
import type { Run } from '../reports/run.ts';
import type { ExtensionHost } from './extension-host.ts';
import type { KnownRuleId } from './rule-ids.ts';
import type { Server } from './server.ts';

/** Which rules are judged, and how; what both kinds of targets have in common. */
export interface CheckSelection {
  /** Ids, in which `*` stands for any text; all unless given. */
  readonly rules?: readonly (KnownRuleId | (string & {}))[];
  readonly areas?: readonly Area[];
  readonly levels?: readonly Level[];
  /** What generated values and names come from; made anew unless given. A run with the same seed does the same. */
  readonly seed?: number;
  /** Generated runs of each property; 20 unless given. */
  readonly runs?: number;
  /** Cases under way at once; 16 unless given. */
  readonly concurrency?: number;
  /** `real` leaves the clock of the target alone, even where it can be moved. */
  readonly time?: 'real';
  /** Real time for schedules, in seconds, where the clock cannot be moved. */
  readonly timeBudget?: number;
  /** Ends with the first violation. */
  readonly bail?: boolean;
  /** Leaves on the target what the cases have created; it is deleted unless given. */
  readonly keepData?: boolean;
  /** Ends the run early; the result holds what was judged by then and says why there is no more. */
  readonly signal?: AbortSignal;
  /** Told before the first case what is going to be judged, and with which seed. */
  readonly onStart?: (header: RunHeader) => void;
  /** Told of each outcome as it comes, as of `Check`. */
  readonly onOutcome?: (outcome: Outcome) => void;
  /** Told of a part of the target that cannot be judged, in a sentence. */
  readonly onNote?: (sentence: string) => void;
}

/** What `check` is told. With neither target nor profile it judges the bundled server and extension host. */
export interface CheckOptions extends CheckSelection {
  /** A server that was started in this process. */
  readonly target?: Pick<Server, 'profile' | 'port'>;
  /** Profile of a deployment: a YAML file, an http address, or what would stand in it. */
  readonly profile?: string | URL | Profile;
}

/** What `checkExtensionHost` is told. With neither target nor profile it judges the bundled extension host. */
export interface CheckExtensionHostOptions extends CheckSelection {
  /** An extension host that was started in this process, or the address and the key of any, in Base64. */
  readonly target?: Pick<ExtensionHost, 'profile'> | { readonly url: string; readonly apiKey: string };
  /** Profile of an extension host: a YAML file, an http address, or what would stand in it. */
  readonly profile?: string | URL | ExtensionProfile;
}

/** What `check` and `checkExtensionHost` take. */
export const checkOptions: Options<CheckOptions & CheckExtensionHostOptions> = {
  rules: 'list',
  areas: { each: areas },
  levels: { each: ['must', 'should', 'observe'] },
  seed: 'number',
  runs: 'number',
  concurrency: 'number',
  time: { words: { real: true } },
  timeBudget: 'number',
  bail: 'boolean',
  keepData: 'boolean',
  signal: 'any',
  onStart: 'function',
  onOutcome: 'function',
  onNote: 'function',
  target: 'any',
  profile: 'any',
};

/** What a run came to. `render` makes documents of it. */
export interface CheckResult extends Run {
  /** Settled: what stands on a rule that was violated is blocked. One outcome a rule. */
  readonly outcomes: readonly Outcome[];
  readonly footer: RunFooter;
  /**
   * `conforms`, `violated` (a rule, or a known failure that is none any more), or `incomplete`: something was not judged, so that the run
   * proves nothing. The profile explains what is not offered and what is known to fail.
   */
  readonly verdict: 'conforms' | 'violated' | 'incomplete';
  /** What the command would end with: 0, 1 or 3, in the order of the verdicts. */
  readonly exitCode: 0 | 1 | 3;
}

/**
 * A run under way: a promise of its result, and its outcomes as they come, each once and as it stays: what stands on another rule waits for
 * that. To stop reading before the end ends the run.
 */
export type Check = Promise<CheckResult> & AsyncIterable<Outcome>;

/** Does the work of a run, telling each outcome, until the signal aborts. */
type Work = (onOutcome: (outcome: Outcome) => void, signal: AbortSignal) => Promise<CheckResult>;

/**
 * Judges a service by the rules, over HTTP, as the command does.
 * @throws {OptionError} an option that is none, or a value that it does not take, with the nearest
 * @throws {ProfileError} a profile that is not right, with line and column
 * @throws {SelectionError} a pattern that fits no rule, with the nearest one; or nothing is left to judge
 */
export function check(options: CheckOptions = {}): Check {
  return underWay(options, async (onOutcome, signal) => {
    const { checkService } = await import('./checking.ts');
    return checkService(options, onOutcome, signal);
  });
}

/** Judges an extension host by the rules about extension hosts; the suite plays the service. @throws as `check` */
export function checkExtensionHost(options: CheckExtensionHostOptions = {}): Check {
  return underWay(options, async (onOutcome, signal) => {
    const { checkHost } = await import('./checking.ts');
    return checkHost(options, onOutcome, signal);
  });
}

function underWay({ signal, onOutcome }: CheckSelection, work: Work): Check {
  const told: Outcome[] = [];
  const leaving = new AbortController();
  let more = Promise.withResolvers<void>();
  let ended = false;
  const tell = (outcome: Outcome): void => {
    told.push(outcome);
    onOutcome?.(outcome);
    more.resolve();
    more = Promise.withResolvers<void>();
  };
  const result = work(tell, signal === undefined ? leaving.signal : AbortSignal.any([leaving.signal, signal])).finally(
    () => {
      ended = true;
      more.resolve();
    },
  );
  async function* outcomes(): AsyncGenerator<Outcome, void, undefined> {
    let next = 0;
    try {
      while (true) {
        for (; next < told.length; next += 1) {
          const outcome = told[next];
          if (outcome !== undefined) yield outcome;
        }
        if (ended) break;
        await Promise.race([more.promise, result]);
      }
      await result;
    } finally {
      leaving.abort('nobody reads on');
      await result.catch(() => undefined);
    }
  }
  return Object.assign(result, { [Symbol.asyncIterator]: outcomes });
}
