// What k6 runs: the entry of the exported script. k6 is a program of its own; nothing of it is in this package.
import exec from 'k6/execution';
import { sleep } from 'k6';
import { waitMsOf } from '../../../contract/patience.ts';
import { chooser, pausesOf, randomFrom } from '../chance.ts';
import type { Ground, GroundObject } from '../ground.ts';
import type { JourneyEnv } from '../journey.ts';
import { journeys } from '../journeys/journeys.ts';
import { endsWithNext, prepareObjects, sharesOf, tryBatch } from '../journeys/prepare.ts';
import { noAnswer } from '../results.ts';
import type { HttpStep, Result, Step } from '../step.ts';
import { baseUrlOf, movedTo } from './environment.ts';
import { Counters } from './counters.ts';
import { allTokens, authorizationFor, type Tokens } from './credentials.ts';
import { optionsOf } from './options.ts';
import type { Plan } from './plan.ts';
import { type Answer, answerTo } from './request.ts';
import { countsOf, segmentText, type SummaryData } from './summary.ts';

/** What setup hands to every user. */
interface Prepared {
  readonly tokens: Tokens;
  readonly found: Pick<Ground, 'objects' | 'batchHrefPrefix'>;
  /** Whether a token ends with the next one of the same user, so that no journey may ask for one. */
  readonly endTokens: boolean;
}

const exported = JSON.parse(open('./ground.json')) as Plan;
const plan = movedTo(baseUrlOf(exported), exported);
const counters = new Counters(plan.mix);
const choose = chooser(plan.mix, plan.seed);
const usualCountsFile = 'counts.json';
/** Tokens of this user, and what it works on; from setup, once. */
let own: { readonly tokens: Tokens; readonly ground: Plan['ground'] } | undefined;

export const options = optionsOf(plan, __VU === 0);

/** Gets tokens and makes the objects that journeys work on. Each process makes its own: they follow from the seed, but for their ids. */
export function setup(): Prepared {
  const tokens = allTokens(plan);
  const given = plan.ground.objects;
  const objects =
    given.length > 0 ? given : sharesOf(plan.objects).flatMap(({ user, count }) => makeObjects(user, count, tokens));
  const env = envOf(plan.ground, 0, 0);
  const tried = driveSteps(tryBatch(env, objects[0]), tokens);
  const endTokens = driveSteps(endsWithNext(env, objects[0]), tokens);
  return { tokens: endTokens ? allTokens(plan) : tokens, found: { objects, ...tried.ground }, endTokens };
}

function groundOf({ found, endTokens }: Prepared): Plan['ground'] {
  const { grant, ...ground } = plan.ground;
  return { ...ground, ...found, ...(grant !== undefined && !endTokens && { grant }) };
}

function makeObjects(number: number, count: number, tokens: Tokens): readonly GroundObject[] {
  const { objects, problem } = driveSteps(prepareObjects(envOf(plan.ground, number, 0), count), tokens);
  if (problem === undefined) return objects;
  throw new Error(problem);
}

/** Sends what it asks for until it ends. */
function driveSteps<T>(generator: Generator<Step, T, Result>, tokens: Tokens): T {
  let next = generator.next();
  while (next.done !== true) {
    const step = next.value;
    next = generator.next(step.kind === 'http' ? sendPatiently(step, tokens) : noAnswer);
  }
  return next.value;
}

function sendPatiently(step: HttpStep, tokens: Tokens): Result {
  for (let repeated = 0; ; repeated += 1) {
    const { result } = send({ ...step, op: 'preparation' }, tokens);
    const { status, headers } = result;
    const answeredAt = Date.parse(headers['date'] ?? '');
    const waitMs = waitMsOf({ status, retryAfter: headers['retry-after'], answeredAt, now: Date.now }, repeated);
    if (waitMs === undefined) return result;
    wait(waitMs);
  }
}

/** One journey of an open model. Its number counts over all segments, so that together they make the journeys of one process. */
export function arrival(ready: Prepared): void {
  journeyOf(exec.scenario.iterationInTest, 0, ready);
}

/** One turn of a user in a closed loop. */
export function user(ready: Prepared): void {
  journeyOf(exec.vu.idInTest - 1, exec.vu.iterationInScenario, ready);
}

function journeyOf(number: number, iteration: number, ready: Prepared): void {
  own ??= { tokens: { ...ready.tokens }, ground: groundOf(ready) };
  const name = choose(number, iteration);
  const env = envOf(own.ground, number, iteration);
  const pause = pausesOf(plan.mix, name, env.random);
  const generator = journeys[name](env);
  let whole = true;
  counters.begun();
  let next = generator.next();
  while (next.done !== true) {
    const step = next.value;
    let result = noAnswer;
    if (step.kind === 'http') {
      const answer = send(step, own.tokens);
      if (!counters.answer(step, answer)) whole = false;
      ({ result } = answer);
      wait(pause());
    } else if (step.kind === 'think') wait(step.ms);
    else counters.condition(step);
    next = generator.next(result);
  }
  counters.journeyEnded(name, whole);
}

function envOf(ground: Plan['ground'], number: number, iteration: number): JourneyEnv {
  return {
    user: number,
    iteration,
    ground,
    now: () => Date.now(),
    random: randomFrom(plan.seed, number, iteration, 1),
  };
}

function send(step: HttpStep, tokens: Tokens): Answer {
  const authorization = authorizationFor(plan, tokens, step.as);
  return answerTo(step, authorization === undefined ? { plan } : { plan, authorization });
}

function wait(ms: number): void {
  if (ms > 0) sleep(ms / 1000);
}

/** Writes the counts to a file, `-` for standard output, where a cluster keeps them in the log. */
export function handleSummary(data: SummaryData): Record<string, string> {
  const { executionSegment = null, executionSegmentSequence = null } = exec.test.options;
  const counts = countsOf(plan, data, { executionSegment, executionSegmentSequence });
  const text = `${JSON.stringify(counts)}\n`;
  const file = __ENV['TRAFFIC_COUNTS'] ?? usualCountsFile;
  return file === '-' ? { stdout: text } : { stdout: segmentText(counts, file), [file]: text };
}
