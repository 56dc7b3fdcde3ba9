import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import { bulkUpload, expectUploaded, namesBelow, namesWhen, source, waitQuietly, type Source } from '../../judge/bulk/upload-tree.ts';
import { expectNothingAt } from '../../judge/files/stored-file.ts';
import { expectTold, logName, readLog, tellingOf, textsIn } from './log-content.ts';
import { existing } from './replace.ts';

export const logCases = {
  'bulk-upload.log.written': scenario(async (context) => {
    const from = await source(context, namesBelow(context, 'one.bin', 'below/two.bin'));
    await bulkUpload(context, from, { writeLog: true });
    const [name = ''] = await expectLog(context, from);
    await expectUploaded(context, from);
    context.notes.observe(
      'stamp in the name of the log',
      (logName.exec(name)?.[1] ?? '').replaceAll(/\d/g, '0').replaceAll(/[a-z]/gi, 'a'),
    );
  }),

  'bulk-upload.log.is-json': scenario(async (context) => {
    const { expect, given, notes } = context;
    const target = given.unique('target');
    const settings = { writeLog: true, targetDirectory: target, replaceFiles: false, deleteFilesAfterUpload: false };
    const clean = await source(
      context,
      ['one.bin', 'two.bin', 'three.bin'].map((name) => `${given.unique('logged')}-${name}`),
    );
    await bulkUpload(context, clean, settings);
    const log = await readLog(context, clean, await expectLog(context, clean));
    expectTold(context, log, clean, target);
    notes.observe('members of the log', Object.keys(Object(log)).toSorted().join(', '));

    const names = ['new.bin', 'old.bin'].map((name) => `${given.unique('logged')}-${name}`);
    await existing(
      context,
      names.slice(1).map((name) => `${target}/${name}`),
    );
    const conflicting = await source(context, names);
    await bulkUpload(context, conflicting, settings);
    const other = await readLog(context, conflicting, await expectLog(context, conflicting));
    const [taken, refused] = names.map((name) => tellingOf(other, name));
    expect(refused, 'what the log says of a file that exists already').notToEqual(taken);
    notes.observe('what the log says of a file that exists already', textsIn(refused).join(', ').slice(0, 200));
  }),

  'bulk-upload.log.not-written': scenario(async (context) => {
    const from = await source(context, namesBelow(context, 'one.bin', 'below/two.bin'));
    await bulkUpload(context, from);
    await expectUploaded(context, from);
    await waitQuietly(context);
    context.expect(await addedTo(from), 'files that the run added to the source directory').toEqual([]);
  }),

  'bulk-upload.log.survives-source-deletion': scenario(async (context) => {
    const { expect, files } = context;
    const from = await source(context, namesBelow(context, 'one.bin', 'below/two.bin'));
    await bulkUpload(context, from, { writeLog: true, deleteFilesAfterUpload: true });
    await namesWhen(context, from, (names) => names.length <= 1 && names.some((name) => logName.test(name)));
    await waitQuietly(context);
    const names = await from.directory.names();
    expect(names, 'files in the source directory after the run').toSatisfy(
      'the log alone',
      ([first = '', ...rest]) => logName.test(first) && rest.length === 0,
    );
    await expectUploaded(context, from);
    await expectNothingAt(context, files.area(from.level), names[0] ?? '');
  }),
} satisfies SomeCasesOf<'bulk-upload'>;

/** Asserts that the run leaves one log, in the root of the source, beside the files; its name. */
async function expectLog(context: CaseContext, from: Source): Promise<readonly string[]> {
  await namesWhen(context, from, (names) => names.some((name) => logName.test(name)));
  const added = await addedTo(from);
  context
    .expect(added, 'files that the run added to the source directory')
    .toSatisfy(
      'one FileUpload_<timestamp>.log at its root',
      ([first = '', ...rest]) => logName.test(first) && rest.length === 0,
    );
  return added;
}

async function addedTo({ directory, tree }: Source): Promise<readonly string[]> {
  return (await directory.names()).filter((name) => tree[name] === undefined);
}
