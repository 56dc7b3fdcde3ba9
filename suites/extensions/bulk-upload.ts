import { posix } from 'node:path';
import type { BulkBody, BulkLevel } from '../../judge/files/bulk.ts';
import {
  anyLevel,
  type BulkSource,
  completionMs,
  declaredLevels,
  expectKept,
  expectLeft,
  expectNotUploaded,
  expectUploaded,
  expectUploadedAgain,
  expectParticipantFoundAtHome,
  expectUploadedToSecond,
  joinPath,
  leaveOut,
  makeSource,
  namesBelow,
  namesTaken,
  sendInTurn,
  sendSource,
  sourceNamesIn,
  uploadSource,
  usualLength,
  waitForNames,
  waitQuietly,
} from '../../judge/files/bulk-uploads.ts';
import { type CaseContext, scenario } from '../../judge/case.ts';
import type { FileArea, GivenFile } from '../../judge/files/files.ts';
import { assumeNothingAt, expectNothingAt, holdsBytes, readFileBack } from '../../judge/files/stored-files.ts';
import { rules } from '../../judge/rule.ts';
import { unlessRefused } from '../../judge/violation.ts';
import { expectNothingLost, expectTextAsItIs } from './checks/bulk-sources.ts';
import { placeBystanders } from './checks/names-of-parts.ts';
import { smallChunkSize } from './checks/upload-in-chunks.ts';
import { isSuccess } from '../../judge/exchange.ts';
import { readToEnd } from './checks/every-area.ts';

/** So many that a service that answers first has not copied all of them yet. */
export const manyFiles = 120;

/** Of each of two uploads that are sent at once. */
const filesAtOnce = 5;

/** Files of many that are looked at. */
export const filesLookedAt = 20;

/** Lengths of files that are there before, in bytes: more than what a source holds, and as much. */
const oldLengths = [900, usualLength];

/** Names that some programs pass over, among them such as begin like that of a log, and those that not every service takes. */
const oddNames = [
  '.settings',
  'one/.settings',
  '.one/in.bin',
  'no-ending',
  '~lock.tmp',
  'FileUpload_plan.bin',
  'one/FileUpload.bin',
  'one/Thumbs.db',
  'one/same.bin.bak',
  'one/same.part',
  'zwei drei/Größe.bin',
  'one/ blank.bin',
  'one/100%.bin',
  'one/%41+b.bin',
  'one/run.log',
  'one/0',
  '0/in.bin',
];

/** In bytes. */
const unevenLengths = [1, 1_200_000, 65_537];

export const bulkUploadRules = rules('bulk-upload', {
  'bulk-upload.collection.uploads-tree': {
    source: 'extensions: File routes, row 5; Bulk upload request body',
    statement:
      '`POST /admin/fileupload` with a valid key signature copies the files of sourceDirectory into the collection file area, what was deleted there since an earlier run as well, and while another call copies elsewhere.',
    fault: 'Collection-level call stores into the first space.',
    needs: ['admin-api-key', 'host-directory', 'file-area-collection', 'collection-admin'],
    test: scenario(async (context) => {
      await expectOnlyAt(context, 'collection', areasNamed(context, 'space'));
      await expectBesideAnother(context, 'collection');
    }),
  },
  'bulk-upload.space.uploads-tree': {
    source: 'extensions: File routes, row 6; Bulk upload request body',
    statement:
      '`POST /admin/fileupload/{spaceId}` copies into the file area of that space, be it one or another, what was deleted there since an earlier run as well.',
    fault: 'Space id of the bulk route is ignored.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    test: scenario(async (context) => {
      const others = context.profile.all.secondSpace === undefined ? [] : [context.files.secondSpace];
      await expectOnlyAt(context, 'space', [...areasNamed(context, 'collection'), ...others]);
      await expectUploadedToSecond(context, 'space');
    }),
  },
  'bulk-upload.participant.uploads-tree': {
    source: 'extensions: File routes, row 7; Bulk upload request body',
    statement:
      '`POST /admin/fileupload/{spaceId}/{participantId}` copies into the file area of that participant, be it one or another, what was deleted there since an earlier run as well.',
    fault: 'Participant-level call stores into the space area.',
    needs: ['admin-api-key', 'host-directory', 'file-area-participant'],
    test: scenario(async (context) => {
      await expectOnlyAt(context, 'participant', areasNamed(context, 'space'));
      await expectUploadedToSecond(context, 'participant');
      await expectParticipantFoundAtHome(context);
    }),
  },
  'bulk-upload.structure.preserved': {
    source: 'extensions: Bulk upload request body, rows sourceDirectory and targetDirectory',
    statement:
      'All files below sourceDirectory, which may have signs of URLs and of patterns in its name, get into the file area with their subdirectories, also those with a dot before their name, with a name that begins like that of a log, with no ending, with a tilde, with blanks or with letters beyond ASCII, as far as a stream upload takes such names, and those without a byte, as far as it takes such files; a text keeps its line ends and its encoding.',
    fault: 'Files are uploaded flat by base name.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    after: ['bulk-upload.space.uploads-tree'],
    test: scenario(async (context) => {
      const empty = await namesTaken(context, ['one/empty.bin'], 0);
      const names = namesBelow(
        context,
        ...empty,
        'same.bin',
        'one/same.bin',
        'one/two/same.bin',
        ...(await namesTaken(context, ['one/two/a/b/c/d/e/f/g/same.bin', ...oddNames])),
      );
      const lengths = empty.map(() => 0);
      const from = await makeSource(context, names, 'space', lengths);
      await uploadSource(context, from);
      await expectUploaded(context, from);
      await expectTextAsItIs(context);
    }),
  },
  'bulk-upload.target-directory.default-root': {
    source: 'extensions: Bulk upload request body, row targetDirectory',
    statement:
      'Without targetDirectory the structure starts at the area root, as with `/`, wherever a run before had its own, and as where sourceDirectory is taken with a slash at its end.',
    fault: 'Default target is the name of sourceDirectory.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    after: ['bulk-upload.space.uploads-tree'],
    test: scenario(async (context) => {
      for (const body of [{}, { targetDirectory: '/' }]) {
        const from = await makeSource(context, [context.given.filePath({ root: true })]);
        await runWith(context, { targetDirectory: context.given.unique('before') });
        await uploadSource(context, from, body);
        await expectUploaded(context, from);
        await expectNotUploaded(context, from, { target: lastSegment(from.directory.path) });
      }
      const from = await makeSource(context, [context.given.filePath({ root: true })]);
      const slashed = { sourceDirectory: `${from.directory.path}/` };
      const { status } = await sendInTurn(context, () => sendSource(context, from, slashed));
      context.notes.observe('a sourceDirectory with a slash at its end', status);
      // one that is only begun by now may still turn out to be refused
      if (isSuccess(status) && status !== 202) await expectUploaded(context, from);
    }),
  },
  'bulk-upload.target-directory.honoured': {
    source: 'extensions: Bulk upload request body, row targetDirectory',
    statement:
      'With targetDirectory the structure ends up below that relative path of the area of each level, which need not exist, also where its name has a dot or signs of URLs, begins with a dot or is 0.',
    fault: 'targetDirectory is ignored.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    after: ['bulk-upload.space.uploads-tree'],
    test: scenario(async (context) => {
      const { given, notes } = context;
      const target = `${given.unique('in')}/deep`;
      const taken = await namesTaken(context, ['v1.2/one.bin', 'v 100%41+b/one.bin']);
      for (const [index, level] of declaredLevels(context).entries()) {
        const below = posix.dirname(`${target}/${taken[index] ?? 'one.bin'}`);
        const from = await sourceFor(context, below, level);
        await uploadSource(context, from, { targetDirectory: below });
        await expectUploaded(context, from, { target: below });
        await expectNotUploaded(context, from);
      }
      const hidden = `.${given.unique('in')}`;
      const isHiddenTaken = (await namesTaken(context, [`${hidden}/one.bin`])).length > 0;
      for (const first of ['0', ...(isHiddenTaken ? [hidden] : [])]) {
        const from = await sourceFor(context, first);
        await uploadSource(context, from, { targetDirectory: first });
        await expectUploaded(context, from, { target: first });
        await expectNotUploaded(context, from);
      }
      for (const [which, spelled] of Object.entries({ leading: `/${target}`, trailing: `${target}/` })) {
        const other = await sourceFor(context, target);
        const { status } = await context.bulk.upload(other.level, {
          sourceDirectory: other.directory.path,
          writeLog: false,
          targetDirectory: spelled,
        });
        const isSame = isSuccess(status) && (await isAt(context, other, target));
        notes.observe(`a ${which} slash makes no difference`, isSame);
      }
    }),
  },
  'bulk-upload.target-directory.no-escape': {
    level: 'should',
    source: 'extensions: Bulk upload request body, row targetDirectory (relative path in the file area)',
    statement:
      'A targetDirectory with `..` segments or an absolute path never places files outside the addressed area.',
    fault: 'targetDirectory is joined without normalisation.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space', 'file-area-collection'],
    test: scenario(async (context) => {
      const { given, files, bulk, expect } = context;
      const outside = await given.sourceDirectory({});
      const directory = given.unique('outside');
      const from = await makeSource(context, namesBelow(context, 'escaped.bin'));
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
          for (const path of [name, joinPath(directory, name)]) await expectNothingAt(context, area, path);
      const plain = await makeSource(context, namesBelow(context, 'plain.bin'));
      await uploadSource(context, plain);
      await expectUploaded(context, plain);
    }),
  },
  'bulk-upload.replace-files.default-keeps': {
    source: 'extensions: Bulk upload request body, row replaceFiles',
    statement:
      'Without replaceFiles, or with false, a file that already exists in the target keeps its bytes, at each level and whatever the run before was told, be it from the same directory.',
    fault: 'replaceFiles defaults to true.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    after: ['bulk-upload.space.uploads-tree'],
    test: scenario(async (context) => {
      const levels = declaredLevels(context);
      for (const [level, body] of [
        ...levels.map((level) => [level, {}] as const),
        ...levels.slice(-1).map((level) => [level, { replaceFiles: false }] as const),
      ]) {
        const names = namesBelow(context, 'a.bin', 'm.bin', 'n.bin', 'z.bin', 'below/m.bin', 'below/n.bin');
        const old = await placeFiles(context, names.slice(1, 3), level);
        const from = await makeSource(context, names, level);
        await runWith(context, { replaceFiles: true });
        await uploadBeside(context, from, names.slice(1, 3), body);
        for (const file of old) await expectKept(context, file);
      }
      await expectKeptBehindReplacing(context);
    }),
  },
  'bulk-upload.replace-files.true-replaces': {
    source: 'extensions: Bulk upload request body, row replaceFiles',
    statement:
      'With replaceFiles true an existing file, also one that came in chunks, gets the bytes of the source file, which stays where it is, at each level and below a targetDirectory, also when the same source is uploaded again; once it is deleted nothing is there, of what it replaced neither. A download with a token in its query has them too. Files of its path in other areas stay, and so do those beside it whose names a server could have for parts of it. That the ETag of what was replaced holds for it as well is remarked on.',
    fault: 'Existing files are skipped although replaceFiles is true.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    after: ['bulk-upload.replace-files.default-keeps'],
    test: scenario(async (context) => {
      const { given, files, expect } = context;
      const empty = await namesTaken(context, ['emptied.bin'], 0);
      for (const [index, level] of declaredLevels(context).entries()) {
        const target = index % 2 === 0 ? undefined : given.unique('in');
        const names = namesBelow(context, 'in-chunks.bin', 'new.bin', 'old.bin', 'as-long.bin', ...empty);
        const places = names.map((name) => joinPath(target, name));
        const old = await placeFiles(context, places.slice(2), level);
        for (const file of old) await expectKept(context, file);
        const expectReplaced = await readToEnd(
          context,
          old.filter(({ bytes }) => bytes.length !== usualLength),
        );
        await placeInChunks(context, places[0] ?? '', level);
        const lengths = [usualLength, usualLength, usualLength, usualLength, 0];
        const from = await makeSource(context, names, level, lengths);
        for (const place of places) given.bookFile(files.area(level), place);
        const below = target !== undefined && { targetDirectory: target };
        const bystanders = await placeBystanders(context, files.area(level), places[index === 0 ? 1 : 2] ?? '');
        await uploadSource(context, from, { replaceFiles: true, ...below });
        await expectUploaded(context, from, target === undefined ? {} : { target });
        await expectReplaced();
        await bystanders.expectKept();
        if (index > 0) continue;
        await expectLeft(context, from);
        await expectUploadedAgain(context, from, target);
        for (const place of places.slice(0, 3)) {
          expect(await files.remove(files.area(level), place)).toSucceed();
          await expectNothingAt(context, files.area(level), place);
        }
      }
    }),
  },
  'bulk-upload.replace-files.others-continue': {
    level: 'should',
    source: 'extensions: Bulk upload request body, rows writeLog (errors per file) and replaceFiles',
    statement: 'A file that cannot be placed because it exists does not stop the remaining files of the same call.',
    fault: 'First conflict aborts the run.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    after: ['bulk-upload.replace-files.default-keeps'],
    test: scenario(async (context) => {
      const names = namesBelow(context, '1.bin', '2.bin', '3.bin', '4.bin', '5.bin');
      const taken = names.filter((_name, index) => index % 2 === 0);
      await placeFiles(context, taken);
      const from = await makeSource(context, names);
      // what is answered where a part of it is not placed is not said
      const { status } = await sendInTurn(context, () => sendSource(context, from, { replaceFiles: false }));
      context.notes.observe('a bulk upload of which some files exist already', status);
      await expectUploaded(context, leaveOut(from, taken));
    }),
  },
  'bulk-upload.delete-after.default-keeps-source': {
    source: 'extensions: Bulk upload request body, row deleteFilesAfterUpload',
    statement:
      "Without deleteFilesAfterUpload, or with false, the source files stay on the host's disk, whatever the run before was told.",
    fault: 'deleteFilesAfterUpload defaults to true.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    after: ['bulk-upload.space.uploads-tree'],
    test: scenario(async (context) => {
      const sources = [];
      for (const body of [{}, { deleteFilesAfterUpload: false }]) {
        const from = await makeSource(context, namesBelow(context, 'one.bin', 'below/two.bin'));
        await runWith(context, { deleteFilesAfterUpload: true });
        await uploadSource(context, from, body);
        await expectUploaded(context, from);
        await expectLeft(context, from);
        sources.push(from);
      }
      await waitQuietly(context);
      for (const from of sources) await expectLeft(context, from);
    }),
  },
  'bulk-upload.delete-after.true-removes-source': {
    source: 'extensions: Bulk upload request body, row deleteFilesAfterUpload',
    statement:
      'With deleteFilesAfterUpload true the uploaded files are gone from sourceDirectory, and are readable in the file area, at each level, also those that took the place of another, and all of more than a hundred.',
    fault: 'deleteFilesAfterUpload is ignored.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    after: ['bulk-upload.space.uploads-tree', 'bulk-upload.replace-files.true-replaces'],
    test: scenario(async (context) => {
      const empty = await namesTaken(context, ['empty.bin'], 0);
      for (const [index, level] of declaredLevels(context).entries()) {
        const names = namesBelow(context, 'one.bin', 'below/two.bin', ...empty);
        const from = await makeSource(context, names, level, [usualLength, usualLength, 0]);
        if (index === 0) await placeFiles(context, names.slice(0, 1), level);
        await uploadSource(context, from, { deleteFilesAfterUpload: true, replaceFiles: index === 0 });
        await waitForNames(context, from, (names) => sourceNamesIn(from, names).length === 0);
        await expectLeft(context, from, []);
        await expectUploaded(context, from);
      }
      await expectManyTaken(context);
    }),
  },
  'bulk-upload.delete-after.keeps-not-uploaded': {
    source: 'extensions: Bulk upload request body, rows deleteFilesAfterUpload (the uploaded files) and replaceFiles',
    statement:
      'Only files that were uploaded are deleted: a source file that was not taken because its target exists, be that in the root or below targetDirectory, stays on disk. So does one that cannot be taken because a directory has its name or a file that of its directory: what is gone from the source is in the area.',
    fault: 'The whole source directory is emptied after the run.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    after: ['bulk-upload.delete-after.true-removes-source', 'bulk-upload.replace-files.default-keeps'],
    test: scenario(async (context) => {
      const names = namesBelow(context, 'a.bin', 'm.bin', 'z.bin');
      const taken = names.slice(1, 2);
      await placeFiles(context, taken);
      const from = await makeSource(context, names);
      await expectDeletedBeside(context, from, taken);
      await waitQuietly(context);
      await expectLeftOf(context, from, taken);
      await expectTargetDecides(context);
      for (const replaceFiles of [false, true]) await expectNothingLost(context, replaceFiles);
    }),
  },
});

/** What a run is told counts for it alone, also where the next one takes its files from the same directory. */
async function expectKeptBehindReplacing(context: CaseContext): Promise<void> {
  const { given, notes } = context;
  const from = await makeSource(context, namesBelow(context, 'one.bin', 'below/two.bin'));
  await uploadSource(context, from, { replaceFiles: true });
  await expectUploaded(context, from);
  for (const name of Object.keys(from.tree)) await from.directory.write(name, given.bytes(usualLength));
  const { status } = await sendSource(context, from, {});
  notes.observe('a bulk upload of files that are all there already', status);
  await waitQuietly(context);
  await expectUploaded(context, from);
}

/** Asserts that a source gets into the area of that level and not into the others. */
async function expectOnlyAt(context: CaseContext, level: BulkLevel, others: readonly FileArea[]): Promise<void> {
  const names = namesBelow(context, 'one.bin', 'two.bin', 'below/three.bin', 'below/deep/one.bin');
  const atRoot = context.given.filePath({ root: true });
  const from = await makeSource(context, [...names, atRoot], level, unevenLengths);
  for (const name of Object.keys(from.tree)) await assumeNothingAt(context, context.files.area(level), name);
  await uploadSource(context, from);
  await expectUploaded(context, from);
  for (const area of others) await expectNotUploaded(context, from, { area });
  await expectTakenElsewhere(context, level, others);
  await expectBroughtBack(context, level);
}

/** A file of the same name in another area is in nobody's way, and stays. */
async function expectTakenElsewhere(
  context: CaseContext,
  level: BulkLevel,
  others: readonly FileArea[],
): Promise<void> {
  const [path = ''] = namesBelow(context, 'elsewhere.bin');
  const kept: GivenFile[] = [];
  for (const area of others) {
    const file = await unlessRefused(() => context.given.file({ area, path }));
    if (file !== undefined) kept.push(file);
  }
  const from = await makeSource(context, [path], level);
  await uploadSource(context, from);
  await expectUploaded(context, from);
  for (const file of kept) await expectKept(context, file);
}

/** Two uploads at once, to two levels: each brings its files to its own. A service may refuse one while another goes on. */
async function expectBesideAnother(context: CaseContext, level: BulkLevel): Promise<void> {
  const { notes } = context;
  const names = Array.from({ length: filesAtOnce }, (_, index) => `${index}.bin`);
  const [other] = declaredLevels(context).filter((each) => each !== level);
  if (other === undefined) return;
  const sources: BulkSource[] = [];
  for (const each of [level, other]) sources.push(await makeSource(context, namesBelow(context, ...names), each));
  const replies = await Promise.all(sources.map((from) => sendSource(context, from)));
  for (const [index, from] of sources.entries()) {
    const reply = replies[index];
    notes.observe(`an upload to the ${from.level} area beside another`, reply?.status ?? 0, reply);
    if (reply !== undefined && isSuccess(reply.status)) await expectUploaded(context, from);
  }
}

/** What is deleted in the area is not there, whatever an earlier run has brought: the next one brings it. */
async function expectBroughtBack(context: CaseContext, level: BulkLevel): Promise<void> {
  const { files, notes } = context;
  const from = await makeSource(context, namesBelow(context, 'again.bin'), level);
  const [name = ''] = Object.keys(from.tree);
  await uploadSource(context, from);
  await expectUploaded(context, from);
  const reply = await files.remove(files.area(level), name);
  notes.observe(`a file that was uploaded to the ${level} area is deleted`, isSuccess(reply.status), reply);
  if (!isSuccess(reply.status)) return;
  await uploadSource(context, from);
  await expectUploaded(context, from);
  // and what had its name may be a directory
  if (!isSuccess((await files.remove(files.area(level), name)).status)) return;
  const below = await makeSource(context, [`${name}/below.bin`], level);
  await uploadSource(context, below);
  await expectUploaded(context, below);
}

function areasNamed({ files }: CaseContext, name: BulkLevel): readonly FileArea[] {
  return files.areas.filter((area) => area.name === name);
}

function lastSegment(path: string): string {
  return path.split(/[/\\]/).findLast((segment) => segment !== '') ?? '';
}

async function sourceFor(context: CaseContext, target: string, level?: BulkLevel): Promise<BulkSource> {
  const names = [context.given.filePath({ root: true }), ...namesBelow(context, 'one.bin', 'below/two.bin')];
  const from = await makeSource(context, names, level);
  for (const name of Object.keys(from.tree))
    context.given.bookFile(context.files.area(from.level), joinPath(target, name));
  return from;
}

async function isAt(context: CaseContext, { level, tree }: BulkSource, target: string | undefined): Promise<boolean> {
  const area = context.files.area(level);
  for (const [name, bytes] of Object.entries(tree)) {
    const file = { area, path: joinPath(target, name), bytes };
    if (!holdsBytes(await readFileBack(context, file, completionMs(context)), bytes)) return false;
  }
  return true;
}

/** A run of files of its own, right before another one that leaves out what this one says; whether it does so is for other rules to say. */
async function runWith(context: CaseContext, body: BulkBody): Promise<void> {
  const from = await makeSource(context, namesBelow(context, 'before.bin'));
  const { targetDirectory } = body;
  if (typeof targetDirectory === 'string')
    for (const name of Object.keys(from.tree))
      context.given.bookFile(context.files.area(from.level), joinPath(targetDirectory, name));
  await sendInTurn(context, () => sendSource(context, from, body));
}

/** A run takes a directory as a whole, however many files are in it. */
async function expectManyTaken(context: CaseContext): Promise<void> {
  const names = namesBelow(context, ...Array.from({ length: manyFiles }, (_name, index) => `${index}.bin`));
  const from = await makeSource(context, names, anyLevel(context));
  await uploadSource(context, from, { deleteFilesAfterUpload: true });
  await waitForNames(context, from, (left) => sourceNamesIn(from, left).length === 0);
  await expectLeft(context, from, []);
  await expectUploaded(
    context,
    leaveOut(
      from,
      names.filter((_name, index) => (index + 1) % filesLookedAt > 0),
    ),
  );
}

/** Files that are there before the bulk upload. */
export async function placeFiles(
  { given, files }: CaseContext,
  names: readonly string[],
  level: BulkLevel = 'space',
): Promise<readonly GivenFile[]> {
  const made: GivenFile[] = [];
  for (const [index, path] of names.entries()) {
    const bytes = given.bytes(oldLengths[index % oldLengths.length] ?? usualLength);
    made.push(await given.file({ area: files.area(level), path, bytes }));
  }
  return made;
}

/** A file is there that came in chunks, where the target takes such. */
async function placeInChunks(context: CaseContext, path: string, level: BulkLevel): Promise<void> {
  const { given, files, notes } = context;
  const chunkSize = smallChunkSize(context);
  const [area, bytes] = [files.area(level), given.bytes(chunkSize + 1)];
  const replies = await files.chunks(area, { path, file: bytes, chunkSize });
  notes.observe('a file in chunks to be replaced', replies.at(-1)?.status ?? 'not sent');
  // it may be put together behind the answer to its last chunk
  if (replies.every(({ status }) => isSuccess(status))) await readFileBack(context, { area, path, bytes });
}

/** A file is there already where it would go to, not where it would go to without targetDirectory. */
async function expectTargetDecides(context: CaseContext): Promise<void> {
  const { given, files } = context;
  const target = given.unique('in');
  const names = namesBelow(context, 'at-target.bin', 'at-root.bin', 'nowhere.bin');
  const [atTarget = '', atRoot = ''] = names;
  const old = await placeFiles(context, [joinPath(target, atTarget), atRoot]);
  const from = await makeSource(context, names);
  for (const name of names) given.bookFile(files.area(from.level), joinPath(target, name));
  await expectDeletedBeside(context, from, [atTarget], target);
  for (const file of old) await expectKept(context, file);
}

/**
 * Uploads a source of which some names are taken, until the others are there. A service may end its run at such a name, or refuse it as a
 * whole. Source: ledger bulk-conflict-handling. @returns whether it went on
 */
async function uploadBeside(
  context: CaseContext,
  from: BulkSource,
  taken: readonly string[],
  body: BulkBody,
  target?: string,
): Promise<boolean> {
  const { status } = await sendSource(context, from, {
    ...body,
    ...(target !== undefined && { targetDirectory: target }),
  });
  const goesOn = isSuccess(status) && (await isAt(context, leaveOut(from, taken), target));
  context.notes.observe('a bulk upload with a file that is there already', goesOn ? 'goes on' : `ends, with ${status}`);
  if (!goesOn) await waitQuietly(context);
  return goesOn;
}

/** Asserts that the run deletes what it uploaded and nothing else, be that all that is free or less. */
async function expectDeletedBeside(
  context: CaseContext,
  from: BulkSource,
  taken: readonly string[],
  target?: string,
): Promise<void> {
  const body = { replaceFiles: false, deleteFilesAfterUpload: true };
  const goesOn = await uploadBeside(context, from, taken, body, target);
  if (goesOn) await waitForNames(context, from, (names) => sourceNamesIn(from, names).length <= taken.length);
  const left = goesOn ? taken : await expectLeftOf(context, from, taken);
  await expectLeft(context, from, left);
  await expectUploaded(context, leaveOut(from, left), target === undefined ? {} : { target });
}

/** Asserts that these are among what is left in the source; all of it. */
async function expectLeftOf(
  { expect }: CaseContext,
  from: BulkSource,
  taken: readonly string[],
): Promise<readonly string[]> {
  const left = sourceNamesIn(from, await from.directory.names());
  expect(left, 'files that are left in the source directory').toSatisfy(`${taken.join(', ')} among them`, (names) =>
    taken.every((name) => names.includes(name)),
  );
  return left;
}
