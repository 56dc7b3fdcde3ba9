import type { CaseContext } from '../../../judge/case.ts';
import type { FileArea, GivenFile } from '../../../judge/files/files.ts';
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

/** Files beside one that a run brings or replaces. */
export interface Bystanders {
  /** Asserts that each is as it was. */
  expectKept(): Promise<void>;
}

/** Puts those beside it whose names a server could have for its parts, and those of its path into the other areas. */
export async function placeBystanders(context: CaseContext, area: FileArea, path: string): Promise<Bystanders> {
  const { given, files } = context;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const places = [
    ...namesBeside.map((beside) => ({ area, path: path.slice(0, -name.length) + beside(name) })),
    ...files.areas.filter((other) => other.name !== area.name).map((other) => ({ area: other, path })),
  ];
  const held: GivenFile[] = [];
  for (const place of places) {
    const bytes = given.bytes(40);
    const file = await unlessRefused(() => given.file({ ...place, bytes }));
    if (file !== undefined) held.push({ ...place, bytes });
  }
  return {
    expectKept: async () => {
      for (const file of held) await expectReadsBack(context, file.area, file.path, file.bytes);
    },
  };
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
