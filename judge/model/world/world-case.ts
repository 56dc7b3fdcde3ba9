import type { Case } from '../../rule.ts';
import { textsEnding } from '../../service/texts.ts';
import { assertHistories, attemptHistory, type Failed } from '../failing-history.ts';
import { findShortest, findSimplest } from '../shortest.ts';
import type { Going } from './edits.ts';
import { openWorld, type World } from './homes.ts';
import { lookBy } from './look.ts';
import { firstLook } from './ways.ts';
import { drawHistories, type Histories, kindsIn, plainHistory, tellWorldHistory, type WorldHistory } from './step.ts';
import { begin, takeStep } from './take-step.ts';

/** Longest search for a shorter history that fails, in ms. */
const longestMs = 8000;

/**
 * Histories over everything that the documents let happen to objects, each read held against the model; the shortest that fails is reported.
 * @param size of a run of 20; other runs follow more or fewer histories
 */
export function worldCase({ always, ...size }: Histories): Case {
  return {
    kind: 'model',
    run: async (context, generation) => {
      const world = await openWorld(context);
      const histories = Math.max(1, Math.round((size.histories * generation.runs) / 20));
      const kinds = kindsIn(world);
      const drawn = drawHistories(kinds, { ...size, histories }, generation.seed);
      const attempt = (history: WorldHistory): Promise<Failed | undefined> =>
        attemptHistory(generation, 0, (reached) => follow(world, history, reached));
      await assertHistories(
        [...always.map((steps) => plainHistory(kinds, steps)), ...drawn],
        {
          attempt,
          shorten: (history, reached, search) =>
            shortened(history, reached, (candidate) => search.fails(() => attempt(candidate))),
          longestMs,
          tell: tellWorldHistory,
        },
        generation,
      );
    },
  };
}

/** Takes the steps one after the other, looks where they say it, and at every object in the end. @throws {Violation} where the service differs */
async function follow(world: World, { starts, steps }: WorldHistory, reached: (index: number) => void): Promise<void> {
  const going = openGoing(world);
  await begin(going, starts);
  for (const [index, step] of steps.entries()) {
    reached(index);
    const touched = await takeStep(going, step);
    const { residents } = going;
    const others = residents.filter((one) => !touched.includes(one));
    const candidates = step.looksAside && others.length > 0 ? others : touched;
    const resident = candidates[step.dice % Math.max(1, candidates.length)];
    if (step.look === undefined || resident === undefined) continue;
    const where = `object ${residents.indexOf(resident) + 1} after step ${index + 1}, ${step.kind}`;
    await lookBy(step.look, { world, residents, resident, where });
  }
  reached(steps.length);
  for (const [index, resident] of going.residents.entries()) {
    const looking = { world, residents: going.residents, resident, where: `object ${index + 1} at the end` };
    await lookBy(firstLook, looking);
  }
}

function openGoing(world: World): Going {
  const endings = world.homes[0]?.shape.endings ?? [];
  return { world, residents: [], fresh: textsEnding(world.context.given, endings) };
}

/** The shortest history that still fails: without steps, then without looks, then with less to begin with. */
async function shortened(
  history: WorldHistory,
  reached: number,
  fails: (candidate: WorldHistory) => Promise<boolean>,
): Promise<WorldHistory> {
  const steps = await findShortest(history.steps.slice(0, reached + 1), (less) => fails({ ...history, steps: less }));
  const changes = [
    ...steps.map((_step, index) => (from: WorldHistory) => withoutLook(from, index)),
    ...history.starts.map((_start, index) => (from: WorldHistory) => withSmallStart(from, index)),
  ];
  const small = await findSimplest({ ...history, steps }, changes, fails);
  await fails(small);
  return small;
}

function withoutLook({ starts, steps }: WorldHistory, index: number): WorldHistory {
  return { starts, steps: steps.map((step, at) => (at === index ? { ...step, look: undefined } : step)) };
}

function withSmallStart({ starts, steps }: WorldHistory, index: number): WorldHistory {
  const small = { entries: 0, second: 0, age: 0, filled: false };
  return { starts: starts.map((start, at) => (at === index ? small : start)), steps };
}
