import type { RuleId } from '../../contract/rule.ts';
import { type JudgeOpener, openJudgeWith } from '../run/judge.ts';
import type { Run } from '../run/run.ts';
import { readTape } from './file.ts';
import { PlayedTime } from './played-time.ts';
import { Player } from './player.ts';

/** A run whose cases see what is on a cassette, and nothing else of the world. */
export interface PlayedRun extends Run {
  /** What a recorder left. */
  readonly tape: Uint8Array;
}

/** Opens the judge of a run that is played; nothing else is done in its thread afterwards. */
export const openJudge: JudgeOpener = (catalogue, run) => {
  const { head, lines } = readTape((run as PlayedRun).tape);
  const { openedAt, timeOrigin } = head;
  const time = new PlayedTime(openedAt, timeOrigin);
  const player = new Player(lines, time);
  const open = openJudgeWith(catalogue, run, player);
  // each case begins when it did, whatever the others do meanwhile
  const { standsOn, realMs } = open.plan;
  const plan = { secondsOf: () => undefined, jumps: false, ...(realMs && { realMs }) };
  return {
    ...open,
    plan: { ...plan, standsOn: (rule) => standsOn?.(rule) ?? [] },
    heldBackMs: (rule: RuleId) => open.heldBackMs(rule) + player.heldBackMs(rule),
  };
};
