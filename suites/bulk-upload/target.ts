import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import {
  at,
  bulkUpload,
  completionMs,
  expectNotUploaded,
  expectUploaded,
  namesBelow,
  source,
  waitQuietly,
  type Source,
} from '../../judge/bulk/upload-tree.ts';
import { expectNothingAt, holds, isSuccess, readOf } from '../../judge/files/stored-file.ts';

export const targetCases = {
  'bulk-upload.structure.preserved': scenario(async (context) => {
    const from = await source(
      context,
      namesBelow(context, 'same.bin', 'one/same.bin', 'one/two/same.bin', 'one/zwei drei/Größe ß.bin'),
    );
    await bulkUpload(context, from);
    await expectUploaded(context, from);
  }),

  'bulk-upload.target-directory.default-root': scenario(async (context) => {
    for (const body of [{}, { targetDirectory: '/' }]) {
      const from = await source(context, [context.given.filePath({ root: true })]);
      await bulkUpload(context, from, body);
      await expectUploaded(context, from);
      await expectNotUploaded(context, from, { target: lastSegment(from.directory.path) });
    }
  }),

  'bulk-upload.target-directory.honoured': scenario(async (context) => {
    const { given, notes } = context;
    const target = `${given.unique('in')}/deep`;
    const from = await sourceFor(context, target);
    await bulkUpload(context, from, { targetDirectory: target });
    await expectUploaded(context, from, { target });
    await expectNotUploaded(context, from);
    for (const spelled of [`/${target}`, `${target}/`]) {
      const other = await sourceFor(context, target);
      const { status } = await context.bulk.upload(other.level, {
        sourceDirectory: other.directory.path,
        writeLog: false,
        targetDirectory: spelled,
      });
      const isSame = isSuccess(status) && (await isAt(context, other, target));
      notes.observe(
        spelled.startsWith('/') ? 'a leading slash makes no difference' : 'a trailing slash makes no difference',
        isSame,
      );
    }
  }),

  'bulk-upload.target-directory.no-escape': scenario(async (context) => {
    const { given, files, bulk, expect } = context;
    const outside = await given.sourceDirectory({});
    const directory = given.unique('outside');
    const from = await source(context, namesBelow(context, 'escaped.bin'));
    for (const targetDirectory of [
      `../../${directory}`,
      `../collection/${directory}`,
      `../../collection/${directory}`,
      outside.path,
    ]) {
      const reply = await bulk.upload(from.level, {
        sourceDirectory: from.directory.path,
        writeLog: false,
        targetDirectory,
      });
      context.notes.observe(
        `status with ${targetDirectory === outside.path ? 'an absolute path' : 'segments of two dots'}`,
        reply.status,
        reply,
      );
    }
    await waitQuietly(context);
    expect(await outside.names(), 'files in a directory of the host that is no area').toEqual([]);
    for (const area of files.areas.filter(({ name }) => name !== from.level))
      for (const name of Object.keys(from.tree))
        for (const path of [name, at(directory, name)]) await expectNothingAt(context, area, path);
    const plain = await source(context, namesBelow(context, 'plain.bin'));
    await bulkUpload(context, plain);
    await expectUploaded(context, plain);
  }),
} satisfies SomeCasesOf<'bulk-upload'>;

async function sourceFor(context: CaseContext, target: string): Promise<Source> {
  const from = await source(context, [context.given.filePath({ root: true })]);
  for (const name of Object.keys(from.tree)) context.given.bookFile(context.files.area(from.level), at(target, name));
  return from;
}

async function isAt(context: CaseContext, { level, tree }: Source, target: string): Promise<boolean> {
  const area = context.files.area(level);
  for (const [name, bytes] of Object.entries(tree)) {
    const file = { area, path: at(target, name), bytes };
    if (!holds(await readOf(context, file, completionMs(context)), bytes)) return false;
  }
  return true;
}

function lastSegment(path: string): string {
  return path.split(/[/\\]/).findLast((segment) => segment !== '') ?? '';
}
