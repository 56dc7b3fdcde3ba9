import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { BulkLevel } from '../../judge/bulk/bulk.ts';
import type { FileArea } from '../../judge/files/files.ts';
import { bulkUpload, expectNotUploaded, expectUploaded, namesBelow, source } from '../../judge/bulk/upload-tree.ts';
import { assumeNothingAt } from '../../judge/files/stored-file.ts';

export const levelCases = {
  'bulk-upload.collection.uploads-tree': scenario((context) =>
    expectOnlyAt(context, 'collection', declared(context, 'space')),
  ),

  'bulk-upload.space.uploads-tree': scenario((context) => {
    const others = context.profile.all.secondSpace === undefined ? [] : [context.files.secondSpace];
    return expectOnlyAt(context, 'space', [...declared(context, 'collection'), ...others]);
  }),

  'bulk-upload.participant.uploads-tree': scenario((context) =>
    expectOnlyAt(context, 'participant', declared(context, 'space')),
  ),
} satisfies SomeCasesOf<'bulk-upload'>;

/** Asserts that a source gets into the area of that level and not into the others. */
async function expectOnlyAt(context: CaseContext, level: BulkLevel, others: readonly FileArea[]): Promise<void> {
  const from = await source(context, namesBelow(context, 'one.bin', 'two.bin', 'below/three.bin'), level);
  for (const name of Object.keys(from.tree)) await assumeNothingAt(context, context.files.area(level), name);
  await bulkUpload(context, from);
  await expectUploaded(context, from);
  for (const area of others) await expectNotUploaded(context, from, { area });
}

function declared({ files }: CaseContext, name: BulkLevel): readonly FileArea[] {
  return files.areas.filter((area) => area.name === name);
}
