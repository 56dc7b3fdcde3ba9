import {
  type BulkSource,
  completionMs,
  declaredLevels,
  expectUploaded,
  makeSource,
  namesBelow,
  sendInTurn,
  sendSource,
  uploadSource,
  usualLength,
  waitForNames,
  waitForUploaded,
  waitQuietly,
} from '../../judge/files/bulk-uploads.ts';
import type { BulkBody } from '../../judge/files/bulk.ts';
import { type CaseContext, scenario } from '../../judge/case.ts';
import { expectNothingAt, expectStored } from '../../judge/files/stored-files.ts';
import { jsonOf } from '../../judge/json.ts';
import { rules } from '../../judge/rule.ts';
import { placeFiles } from './bulk-upload.ts';
import { sleep } from '../../judge/time/real-time.ts';
import { isSuccess } from '../../judge/exchange.ts';

/** Name of a log at the root of the source. Source: extensions, Bulk upload request body, writeLog */
export const logName = /^FileUpload_([^/]+)\.log$/;

/** So many that they would not fit on a page of a hundred. */
const loggedFiles = 101;

/** A stamp of day and time, or of ms. */
const fewestDigitsWithSeconds = 13;

/** After which a stamp has another second, in ms. */
const nextSecondMs = 1100;

export const bulkUploadLogRules = rules('bulk-upload', {
  'bulk-upload.log.written': {
    source: 'extensions: Bulk upload request body, row writeLog',
    statement:
      'With writeLog true the end of the run leaves one new file `FileUpload_<timestamp>.log` directly in sourceDirectory, at each level, also where every file was there already, or there was none at all, and the call is accepted all the same.',
    fault: 'Log file is written with the extension `.json`.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    after: ['bulk-upload.space.uploads-tree'],
    test: scenario(async (context) => {
      for (const level of declaredLevels(context)) {
        const from = await makeSource(context, namesBelow(context, 'one.bin', 'below/two.bin'), level);
        await uploadSource(context, from, { writeLog: true });
        const [name = ''] = await expectLog(context, from);
        await expectUploaded(context, from);
        const stamp = (logName.exec(name)?.[1] ?? '').replaceAll(/\d/g, '0').replaceAll(/[a-z]/gi, 'a');
        context.notes.observe('stamp in the name of the log', stamp);
      }
      const names = namesBelow(context, 'one.bin', 'below/two.bin');
      await placeFiles(context, names);
      const conflicting = await makeSource(context, names);
      const { directory, level } = conflicting;
      const reply = await context.bulk.upload(level, { sourceDirectory: directory.path, writeLog: true });
      if (isSuccess(reply.status)) await expectLog(context, conflicting);
      const empty = await makeSource(context, []);
      const { status } = await sendInTurn(context, () => sendSource(context, empty, { writeLog: true }));
      context.notes.observe('status of a run over an empty directory', status);
      if (isSuccess(status)) await expectLog(context, empty);
    }),
  },
  'bulk-upload.log.is-json': {
    source: 'extensions: Bulk upload request body, row writeLog',
    statement:
      'The log file is one JSON document that carries the settings of the call, details per file, also of two of one name, errors and statistics, those of each run over one directory; member names are not documented.',
    fault: 'Log is plain text lines.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    after: ['bulk-upload.log.written'],
    test: scenario(async (context) => {
      const { expect, given, notes } = context;
      const target = given.unique('target');
      const settings = { writeLog: true, targetDirectory: target, replaceFiles: false, deleteFilesAfterUpload: false };
      const clean = await makeSource(
        context,
        Array.from({ length: loggedFiles }, (_name, index) => `${given.unique('logged')}-${index}.bin`),
      );
      await uploadSource(context, clean, settings);
      await waitForUploaded(context, clean, { target });
      const log = await readLog(context, clean, await expectLog(context, clean));
      expectTold(context, log, clean, target);
      notes.observe('members of the log', Object.keys(Object(log)).toSorted().join(', '));
      await expectLaterRunTold(context, clean, settings);
      await expectAlikeTold(context);
      await expectLogBehindFailure(context);

      const names = ['new.bin', 'old.bin'].map((name) => `${given.unique('logged')}-${name}`);
      await placeFiles(
        context,
        names.slice(1).map((name) => `${target}/${name}`),
      );
      const conflicting = await makeSource(context, names);
      // a run that a conflict ends need not tell of it in a log
      const { status } = await sendSource(context, conflicting, settings);
      if (!isSuccess(status)) return notes.observe('status of a run with a file that exists already', status);
      const other = await readLog(context, conflicting, await expectLog(context, conflicting));
      const [taken, refused] = names.map((name) => tellingOf(other, name));
      expect(refused, 'what the log says of a file that exists already').notToEqual(taken);
      notes.observe('what the log says of a file that exists already', textsIn(refused).join(', ').slice(0, 200));
    }),
  },
  'bulk-upload.log.not-written': {
    source: 'extensions: Bulk upload request body, row writeLog',
    statement: 'With writeLog false no log file is written, at any level.',
    fault: 'The log is always written.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    after: ['bulk-upload.space.uploads-tree'],
    test: scenario(async (context) => {
      const sources: BulkSource[] = [];
      for (const level of declaredLevels(context)) {
        const from = await makeSource(context, namesBelow(context, 'one.bin', 'below/two.bin'), level);
        await uploadSource(context, from);
        await expectUploaded(context, from);
        sources.push(from);
      }
      await waitQuietly(context);
      for (const from of sources)
        context
          .expect(addedTo(from, await from.directory.names()), 'files that the run added to the source directory')
          .toEqual([]);
    }),
  },
  'bulk-upload.log.survives-source-deletion': {
    source: 'extensions: Bulk upload request body, rows writeLog and deleteFilesAfterUpload',
    statement:
      'With writeLog and deleteFilesAfterUpload both true the log remains in the source root, and it is not among the uploaded files of that run; a later run that deletes what it uploaded takes it away only where it uploads it.',
    fault: 'Log is deleted together with the uploaded files.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    after: ['bulk-upload.log.written', 'bulk-upload.delete-after.true-removes-source'],
    test: scenario(async (context) => {
      const { expect, files } = context;
      const from = await makeSource(context, namesBelow(context, 'one.bin', 'below/two.bin'));
      await uploadSource(context, from, { writeLog: true, deleteFilesAfterUpload: true });
      await waitForNames(context, from, isLogAlone);
      await waitQuietly(context);
      const names = await from.directory.names();
      expect(names, 'files in the source directory after the run').toSatisfy('the log alone', isLogAlone);
      await expectUploaded(context, from);
      await expectNothingAt(context, files.area(from.level), names[0] ?? '');
      await expectFormerLogLeft(context, from, names[0] ?? '');
    }),
  },
});

/** Asserts that the run leaves one log, in the root of the source, beside the files; its name. It may take that name only when it was written to its end. */
async function expectLog(context: CaseContext, from: BulkSource): Promise<readonly string[]> {
  const added = addedTo(from, await waitForNames(context, from, (names) => isLogAlone(addedTo(from, names))));
  context
    .expect(added, 'files that the run added to the source directory')
    .toSatisfy('one FileUpload_<timestamp>.log at its root', isLogAlone);
  return added;
}

/** A run that goes on behind a file in whose place a directory is has an end as well, at which it tells of that. */
async function expectLogBehindFailure(context: CaseContext): Promise<void> {
  const { given, files, notes } = context;
  const names = namesBelow(context, 'a.bin', 'file.bin', 'z.bin');
  const [first = '', blocked = '', last = ''] = names;
  await given.file({ area: files.area('space'), path: `${blocked}/below.bin` });
  const from = await makeSource(context, names);
  const { status } = await sendSource(context, from, { writeLog: true, deleteFilesAfterUpload: true });
  await waitQuietly(context);
  const left = await from.directory.names();
  const goesOn = isSuccess(status) && !left.includes(first) && !left.includes(last);
  notes.observe('a bulk upload goes on behind a file in whose place a directory is', goesOn);
  if (goesOn) await expectLog(context, from);
}

function isLogAlone([first = '', ...rest]: readonly string[]): boolean {
  return logName.test(first) && rest.length === 0;
}

function addedTo({ tree }: BulkSource, names: readonly string[]): readonly string[] {
  return names.filter((name) => tree[name] === undefined);
}

/** Whether a run uploads the log of an earlier one is not said: where it does not, it deletes it as little. */
async function expectFormerLogLeft(context: CaseContext, { level, directory }: BulkSource, log: string): Promise<void> {
  const { given, files, notes } = context;
  const bytes = await directory.read(log);
  const [name = ''] = namesBelow(context, 'later.bin');
  const from = { level, directory, tree: { [name]: given.bytes(usualLength) } };
  await directory.write(name, given.present(from.tree[name], 'bytes'));
  const target = given.unique('later');
  const area = files.area(level);
  for (const each of [name, log]) given.bookFile(area, `${target}/${each}`);
  await uploadSource(context, from, { deleteFilesAfterUpload: true, targetDirectory: target });
  await waitForNames(context, from, (names) => !names.includes(name));
  await waitQuietly(context);
  const isLeft = (await directory.names()).includes(log);
  notes.observe('the log of an earlier run stays where a later one deletes what it uploaded', isLeft);
  if (!isLeft) await expectStored(context, { area, path: `${target}/${log}`, bytes });
}

/** A mark of its encoding is no part of it. */
async function textOfLog({ directory }: BulkSource, name: string): Promise<string> {
  const bytes = await directory.read(name);
  return Buffer.from(bytes)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
}

/** The log as JSON, as soon as it was written to its end. */
async function readLog(context: CaseContext, from: BulkSource, [name = '']: readonly string[]): Promise<unknown> {
  const read = (): Promise<string> => textOfLog(from, name);
  const text = await context.clock.look(completionMs(context), read, (log) => jsonOf(log) !== undefined);
  context.expect(text, 'text of the log').toSatisfy('one JSON document', (log) => jsonOf(log) !== undefined);
  return jsonOf(text);
}

/**
 * Asserts that a later run over the same directory leaves a log of its own settings and files. It may take the name of the first one, whose
 * stamp need not tell seconds apart, and may take the first log for a file of the source.
 */
async function expectLaterRunTold(context: CaseContext, first: BulkSource, settings: BulkBody): Promise<void> {
  const { given, expect, files, notes } = context;
  const added = `${given.unique('logged')}-later.bin`;
  const from = { ...first, tree: { ...first.tree, [added]: given.bytes(usualLength) } };
  await from.directory.write(added, given.present(from.tree[added], 'bytes'));
  const logNames = async (): Promise<readonly string[]> =>
    (await from.directory.names()).filter((name) => logName.test(name));
  const textOf = async (name: string): Promise<string> => textsIn(jsonOf(await textOfLog(from, name))).join('\n');
  /** Whether a log tells of one more run. */
  const isNextTold = async (): Promise<boolean> => {
    const target = given.unique('later');
    for (const name of await from.directory.names()) given.bookFile(files.area(from.level), `${target}/${name}`);
    await uploadSource(context, from, { ...settings, targetDirectory: target });
    await waitForUploaded(context, from, { target });
    const read = async (): Promise<readonly string[]> => Promise.all((await logNames()).map(textOf));
    const isToldIn = (texts: readonly string[]): boolean =>
      texts.some((text) => text.includes(target) && text.includes(added));
    return isToldIn(await context.clock.look(completionMs(context), read, isToldIn));
  };
  const isTold = await isNextTold();
  const [one = '', ...others] = await logNames();
  notes.observe('logs of two runs over one directory', others.length + 1);
  const what = 'a log tells of a later run over the same directory, its target and a new file';
  if (isTold || others.length > 0) return expect(isTold, what).toEqual(true);
  // where a run finds its name taken, what becomes of its log is not said: a stamp that has seconds is another one by then
  if (one.replaceAll(/\D/g, '').length < fewestDigitsWithSeconds) return;
  await sleep(nextSecondMs);
  expect(await isNextTold(), `${what}, which begins in another second`).toEqual(true);
}

/** Files of one name in two directories are two files, be each told by its name alone or with its directory. */
async function expectAlikeTold(context: CaseContext): Promise<void> {
  const { given, expect } = context;
  const directories = [given.unique('one'), given.unique('other')];
  const name = `${given.unique('alike')}.bin`;
  const from = await makeSource(
    context,
    directories.map((directory) => `${directory}/${name}`),
  );
  await uploadSource(context, from, { writeLog: true });
  await expectUploaded(context, from);
  const texts = textsIn(await readLog(context, from, await expectLog(context, from)));
  const times = texts.join('\n').split(name).length - 1;
  const isToldApart = directories.every((directory) => texts.some((text) => text.includes(directory)));
  expect(times, `how often a log names ${name}, which is in two directories, one of which it does not name`).toSatisfy(
    'twice at least',
    () => times >= 2 || isToldApart,
  );
}

/** Asserts that settings, files and their number are in the log, wherever. */
function expectTold({ expect }: CaseContext, log: unknown, { tree }: BulkSource, target: string): void {
  const texts = textsIn(log);
  const names = Object.keys(tree);
  expect(texts, 'values in the log').toSatisfy(`the target directory ${target} among them`, (all) =>
    all.some((text) => text.includes(target)),
  );
  for (const flag of ['true', 'false'])
    expect(texts, 'values in the log').toSatisfy(`a flag that was sent as ${flag} among them`, (all) =>
      all.some((text) => new RegExp(String.raw`\b${flag}\b`, 'i').test(text)),
    );
  for (const name of names)
    expect(texts, 'values in the log').toSatisfy(`the file ${name} among them`, (all) =>
      all.some((text) => text.includes(name)),
    );
  expect(texts, 'values in the log').toSatisfy(`the number of files, ${names.length}, among them`, (all) =>
    all.some((text) => numbersIn(text).includes(String(names.length))),
  );
}

/** Numbers that stand for themselves, and are no part of a date, a time or a fraction. */
export function numbersIn(text: string): readonly string[] {
  return text.match(/(?<![\w.:-])\d+(?![\w:-]|\.\d)/g) ?? [];
}

/** Every value of a JSON document as text, and the names of its members, since files may be told by those. */
export function textsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => textsIn(item));
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, member]) => [name, ...textsIn(member)]);
  return [String(value)];
}

/** What a log says about a file, whose name is replaced, so that it can be compared with what it says about another. */
export function tellingOf(log: unknown, name: string): readonly unknown[] {
  return innermost(log, name).map((part) => JSON.parse(JSON.stringify(part).replaceAll(name, 'the file')) as unknown);
}

/** The smallest objects and texts of the log in which the name occurs. */
function innermost(value: unknown, name: string): readonly unknown[] {
  if (!JSON.stringify(value ?? null).includes(name)) return [];
  if (Array.isArray(value)) return value.flatMap((item: unknown) => innermost(item, name));
  if (typeof value !== 'object' || value === null) return [value];
  const deeper = Object.values(value)
    .filter((member) => typeof member === 'object' && member !== null)
    .flatMap((member: unknown) => innermost(member, name));
  return deeper.length > 0 ? deeper : [value];
}
