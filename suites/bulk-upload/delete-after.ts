import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import {
  bulkUpload,
  expectLeft,
  expectUploaded,
  leftOf,
  namesBelow,
  namesWhen,
  source,
  waitQuietly,
} from '../../judge/bulk/upload-tree.ts';
import { existing, without } from './replace.ts';

export const deleteAfterCases = {
  'bulk-upload.delete-after.default-keeps-source': scenario(async (context) => {
    const sources = [];
    for (const body of [{}, { deleteFilesAfterUpload: false }]) {
      const from = await source(context, namesBelow(context, 'one.bin', 'below/two.bin'));
      await bulkUpload(context, from, body);
      await expectUploaded(context, from);
      await expectLeft(context, from);
      sources.push(from);
    }
    await waitQuietly(context);
    for (const from of sources) await expectLeft(context, from);
  }),

  'bulk-upload.delete-after.true-removes-source': scenario(async (context) => {
    const from = await source(context, namesBelow(context, 'one.bin', 'below/two.bin'));
    await bulkUpload(context, from, { deleteFilesAfterUpload: true });
    await namesWhen(context, from, (names) => leftOf(from, names).length === 0);
    await expectLeft(context, from, []);
    await expectUploaded(context, from);
  }),

  'bulk-upload.delete-after.keeps-not-uploaded': scenario(async (context) => {
    const names = namesBelow(context, 'a.bin', 'm.bin', 'z.bin');
    const taken = names.slice(1, 2);
    await existing(context, taken);
    const from = await source(context, names);
    await bulkUpload(context, from, { replaceFiles: false, deleteFilesAfterUpload: true });
    await namesWhen(context, from, (names) => leftOf(from, names).length <= taken.length);
    await expectLeft(context, from, taken);
    await expectUploaded(context, without(from, taken));
    await waitQuietly(context);
    await expectLeft(context, from, taken);
  }),
} satisfies SomeCasesOf<'bulk-upload'>;
