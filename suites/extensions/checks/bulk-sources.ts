import { posix } from 'node:path';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess } from '../../../judge/exchange.ts';
import {
  expectUploaded,
  leaveOut,
  makeSource,
  namesBelow,
  sendSource,
  sourceNamesIn,
  uploadSource,
  waitQuietly,
} from '../../../judge/files/bulk-uploads.ts';

/** A text in the encoding of another time, with line ends of each kind, is bytes like any others. */
export async function expectTextAsItIs(context: CaseContext): Promise<void> {
  const { given, files } = context;
  const [name = ''] = namesBelow(context, 'lines.txt');
  const tree = { [name]: Buffer.from('Gr\u00fc\u00dfe\r\none\rtwo\n\nthree \t\r\n', 'latin1') };
  given.bookFile(files.area('space'), name);
  const from = { level: 'space', tree, directory: await given.sourceDirectory(tree) } as const;
  // a directory may be spelled with a slash behind it, which a service may refuse
  const { status } = await sendSource(context, from, { sourceDirectory: `${from.directory.path}/` });
  if (!isSuccess(status)) await uploadSource(context, from);
  await expectUploaded(context, from);
}

/**
 * A run that deletes what it uploads meets a directory in the place of a file, and a file in that of a directory. Some services end there, some
 * can have both: what is gone from the source is in the area, and the rest has its bytes. Source: ledger bulk-conflict-handling
 */
export async function expectNothingLost(context: CaseContext, replaceFiles: boolean): Promise<void> {
  const { given, files, notes } = context;
  const area = files.area('space');
  const names = namesBelow(context, 'a.bin', 'file.bin', 'folder/in.bin', 'z.bin');
  const [, file = '', below = ''] = names;
  for (const path of [`${file}/below.bin`, posix.dirname(below)]) await given.file({ area, path });
  const from = await makeSource(context, names);
  const { status } = await sendSource(context, from, { deleteFilesAfterUpload: true, replaceFiles });
  notes.observe(`a bulk upload with a directory in the way, replaceFiles ${replaceFiles}`, status);
  await waitQuietly(context);
  await expectUploaded(context, leaveOut(from, sourceNamesIn(from, await from.directory.names())));
}
