import {
  type BulkAreaName,
  type BulkHistory,
  drawBulkHistory,
  tellBulkHistory,
} from '../../judge/model/bulk-history.ts';
import { history } from '../../judge/case.ts';
import { assertHistory, type Following } from '../../judge/model/failing-history.ts';
import { rules } from '../../judge/rule.ts';
import { areaNamed, groundOf } from './histories/bulk-ground.ts';
import { BulkPlay } from './histories/bulk-uploads.ts';

/** How long what is due is waited for while a shorter history is looked for at a service that was prompt before, in ms. */
const shortWaitMs = 500;

const areaNames: readonly BulkAreaName[] = ['collection', 'participant', 'second space', 'second participant'];

export const bulkUploadHistoryRules = rules('bulk-upload', {
  'bulk-upload.history.matches-model': {
    source: 'extensions: Bulk upload request body; File areas; File routes, rows 1 and 3 to 7; Authentication, rule 2',
    statement:
      'Over any run of bulk uploads, refused ones, changes of their sources, and uploads and deletions by the other file routes, each area holds what the accepted ones have brought there and nothing else, and each source what they have left there.',
    fault:
      'A file that was uploaded in bulk and deleted since is not brought back by its source unless replaceFiles says so.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    repeats: ['bulk-upload', 'files', 'signing'],
    test: history(async (context, generation) => {
      const areas = areaNames.filter((name) => areaNamed(context, name) !== undefined);
      const drawn = drawBulkHistory(generation.seed, { areas: ['space', ...areas] });
      const ground = await groundOf(context, drawn);
      let wasPrompt = false;
      const play: Following<BulkHistory>['play'] = async (one, reached) => {
        const bulk = new BulkPlay(context, ground, wasPrompt ? shortWaitMs : undefined);
        try {
          await bulk.run(one, (step) => reached(step, 0));
        } finally {
          wasPrompt = !bulk.isSlow;
        }
      };
      await assertHistory(drawn, { play, fewer: () => [], tell: tellBulkHistory }, generation);
    }),
  },
});
