import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { GivenFile } from '../../judge/files/files.ts';
import { bulkUpload, expectUploaded, namesBelow, source, type Source } from '../../judge/bulk/upload-tree.ts';
import { contentOf } from '../../judge/files/stored-file.ts';

/** Longer than what a source holds. */
const oldLength = 900;

export const replaceCases = {
  'bulk-upload.replace-files.default-keeps': scenario(async (context) => {
    for (const body of [{}, { replaceFiles: false }]) {
      const names = namesBelow(context, 'a.bin', 'm.bin', 'z.bin');
      const [old] = await existing(context, names.slice(1, 2));
      const from = await source(context, names);
      await bulkUpload(context, from, body);
      await expectUploaded(context, without(from, names.slice(1, 2)));
      if (old !== undefined) await expectKept(context, old);
    }
  }),

  'bulk-upload.replace-files.true-replaces': scenario(async (context) => {
    const names = namesBelow(context, 'new.bin', 'old.bin');
    await existing(context, names.slice(1));
    const from = await source(context, names);
    await bulkUpload(context, from, { replaceFiles: true });
    await expectUploaded(context, from);
  }),

  'bulk-upload.replace-files.others-continue': scenario(async (context) => {
    const names = namesBelow(context, '1.bin', '2.bin', '3.bin', '4.bin', '5.bin');
    const taken = names.filter((_name, index) => index % 2 === 0);
    await existing(context, taken);
    const from = await source(context, names);
    await bulkUpload(context, from, { replaceFiles: false });
    await expectUploaded(context, without(from, taken));
  }),
} satisfies SomeCasesOf<'bulk-upload'>;

/** Files that are there before the bulk upload. */
export async function existing({ given, files }: CaseContext, names: readonly string[]): Promise<readonly GivenFile[]> {
  const made: GivenFile[] = [];
  for (const path of names)
    made.push(await given.file({ area: files.area('space'), path, bytes: given.bytes(oldLength) }));
  return made;
}

export function without(from: Source, names: readonly string[]): Source {
  return { ...from, tree: Object.fromEntries(Object.entries(from.tree).filter(([name]) => !names.includes(name))) };
}

/** Asserts that the file still has its bytes, at the first look. */
async function expectKept({ files, expect }: CaseContext, { area, path, bytes }: GivenFile): Promise<void> {
  const reply = await files.download(area, path);
  expect(contentOf(reply.bytes), `content of ${path}, which was there before`, reply).toEqual(contentOf(bytes));
}
