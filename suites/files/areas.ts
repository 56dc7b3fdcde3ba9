import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { FileArea } from '../../judge/files/files.ts';
import { roundTrip, usedBy } from './words.ts';

export const areaCases = {
  'files.collection-area.base-path': scenario((context) => serves(context, context.files.area('collection'))),
  'files.space-area.base-path': scenario((context) => serves(context, usedBy(context.files.area('space'), 'editor'))),
  'files.user-area.base-path': scenario((context) => serves(context, usedBy(context.files.area('user'), 'editor'))),
  'files.participant-area.base-path': scenario((context) =>
    serves(context, usedBy(context.files.area('participant'), 'editor')),
  ),
} satisfies SomeCasesOf<'files'>;

function serves(context: CaseContext, area: FileArea): Promise<void> {
  return roundTrip(context, area, context.given.filePath(), context.given.bytes(300));
}
