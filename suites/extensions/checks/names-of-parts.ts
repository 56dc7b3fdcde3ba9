import type { CaseContext } from '../../../judge/case.ts';
import { expectStored } from '../../../judge/files/stored-files.ts';
import { unlessRefused } from '../../../judge/violation.ts';
import { expectReadsBack, expectStoredAndReadBack } from './every-area.ts';
import { chunksOf, expectSent, expectUploaded, fileInChunks, type Upload } from './upload-in-chunks.ts';

/** What a server may call a file while it comes, or a part of it. */
const namesBeside: readonly ((name: string) => string)[] = [
  ...['.part', '.part1', '.partial', '.1', '.001', '.tmp', '.temp', '.chunk1', '.upload', '~'].map(
    (ending) => (name: string) => name + ending,
  ),
  (name) => `.${name}`,
  (name) => `.${name}.tmp`,
  (name) => `${name}.d/1`,
];

type Beside = (typeof namesBeside)[number];

/**
 * Asserts that a file which comes, in chunks or whole, leaves those beside it whose names a server could have for its parts: such as are there
 * before it, and such as come between its chunks. A service may refuse a name wherever it is.
 */
export async function expectNamesOfPartsFree(context: CaseContext): Promise<void> {
  const { given } = context;
  const [first, second, third] = ['in chunks', 'between', 'whole'].map(() => given.unique('beside'));
  const name = `${given.unique('parts')}.bin`;
  const held: { readonly path: string; readonly bytes: Uint8Array }[] = [];
  const taken: Beside[] = [];
  const { area } = fileInChunks(context, 2);
  for (const beside of namesBeside) {
    const file = await unlessRefused(() =>
      given.file({ area, path: `${first}/${beside(name)}`, bytes: given.bytes(40) }),
    );
    if (file === undefined) continue;
    held.push(file);
    taken.push(beside);
  }
  const putBeside = async (directory: string | undefined): Promise<void> => {
    for (const beside of taken) {
      const file = { path: `${directory}/${beside(name)}`, bytes: given.bytes(40) };
      await expectStoredAndReadBack(context, { area, ...file });
      held.push(file);
    }
  };
  await expectUploaded(context, fileInChunks(context, 3, { path: `${first}/${name}` }));
  await expectUploadedAround(context, fileInChunks(context, 3, { path: `${second}/${name}` }), () => putBeside(second));
  await putBeside(third);
  await expectStoredAndReadBack(context, { area, path: `${third}/${name}`, bytes: given.bytes(90) });
  for (const { path, bytes } of held) await expectReadsBack(context, area, path, bytes);
}

/** Sends all chunks, and does something behind the first. */
async function expectUploadedAround(
  context: CaseContext,
  upload: Upload,
  meanwhile: () => Promise<void>,
): Promise<void> {
  await expectSent(context, upload, 1);
  await meanwhile();
  for (let number = 2; number <= chunksOf(upload); number += 1) await expectSent(context, upload, number);
  await expectStored(context, upload);
}
