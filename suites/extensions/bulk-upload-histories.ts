import { drawBulkHistory } from '../../judge/bulk-history/draw.ts';
import { type BulkAreaName, type BulkHistory, tellBulkHistory } from '../../judge/bulk-history/history.ts';
import { type CaseContext, history } from '../../judge/case.ts';
import { findShortest } from '../../judge/model/shortest.ts';
import { rules } from '../../judge/rule.ts';
import { readTime } from '../../judge/time/part-time.ts';
import { unlessRefused, Violation } from '../../judge/violation.ts';
import { areaNamed, type Ground, groundOf } from './history-bulk-ground.ts';
import { BulkPlay } from './history-bulk-uploads.ts';

/** Longest search for a shorter history that fails, in ms. */
const longestMs = 12_000;

/** How long what is due is waited for while a shorter history is looked for, in ms. */
const shortWaitMs = 500;

const areaNames: readonly BulkAreaName[] = ['collection', 'participant', 'second space', 'second participant'];

export const bulkUploadHistoryRules = rules('bulk-upload', {
  'bulk-upload.history.matches-model': {
    level: 'must',
    source: 'extensions: Bulk upload request body; File areas; File routes, rows 1 and 3 to 7; Authentication, rule 2',
    statement:
      'Over any run of bulk uploads, refused ones, changes of their sources, and uploads and deletions by the other file routes, each area holds what the accepted ones have brought there and nothing else, and each source what they have left there.',
    fault:
      'A file that was uploaded in bulk and deleted since is not brought back by its source unless replaceFiles says so.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    repeats: ['bulk-upload', 'files', 'signing'],
    test: history(async (context, { seed, asFound }) => {
      const drawn = drawBulkHistory(seed, {
        areas: ['space', ...areaNames.filter((name) => areaNamed(context, name) !== undefined)],
      });
      const ground = await groundOf(context, drawn);
      const begunAt = readTime();
      const failed = await follow(context, ground, drawn);
      if (failed === undefined) return;
      // a service that takes its time leaves none for a search
      const isLong = failed.isSlow || readTime() - begunAt > longestMs;
      const { shortest, violation } =
        asFound === true || isLong
          ? { shortest: drawn, violation: failed.violation }
          : await reduced(context, ground, drawn, failed);
      violation.counterexample = `${tellBulkHistory(shortest)} (seed ${seed})`;
      throw violation;
    }),
  },
});

interface Failed {
  readonly violation: Violation;
  /** Where it showed. */
  readonly step: number;
  /** Whether something that was due came behind the answer. */
  readonly isSlow: boolean;
}

/** Lets the history happen; undefined where all is as it has to be. */
async function follow(
  context: CaseContext,
  ground: Ground,
  history: BulkHistory,
  withinMs?: number,
): Promise<Failed | undefined> {
  let step = 0;
  const play = new BulkPlay(context, ground, withinMs);
  try {
    await play.run(history, (index) => (step = index));
    return undefined;
  } catch (error) {
    if (error instanceof Violation) return { violation: error, step, isSlow: play.isSlow };
    throw error;
  }
}

/** The shortest history that still fails. */
async function reduced(
  context: CaseContext,
  ground: Ground,
  history: BulkHistory,
  { violation: first, step }: Failed,
): Promise<{ readonly shortest: BulkHistory; readonly violation: Violation }> {
  const until = readTime() + longestMs;
  let violation = first;
  const fails = async (candidate: BulkHistory): Promise<boolean> => {
    // a candidate that the service does not let us try is none
    const failed =
      readTime() > until ? undefined : await unlessRefused(() => follow(context, ground, candidate, shortWaitMs));
    if (failed !== undefined) ({ violation } = failed);
    return failed !== undefined;
  };
  const steps = await findShortest(history.steps.slice(0, step + 1), (less) => fails({ ...history, steps: less }));
  return { shortest: { ...history, steps }, violation };
}
