import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import { expectNothingAt, holds, readOf } from '../../judge/files/stored-file.ts';
import { expectUploaded, oneChunk, send } from './chunk-words.ts';

export const chunkTargetCases = {
  'files.chunk.relative-path-subdirectories': scenario(async (context) => {
    const { given } = context;
    const name = `${given.unique('name')}.bin`;
    const upload = oneChunk(context, { path: `${given.unique('root')}/x/y/z/${name}` });
    await expectUploaded(context, upload);
    await expectNothingAt(context, upload.area, name);
  }),

  'files.chunk.relative-path-root': scenario(async (context) => {
    const { given, notes } = context;
    await expectUploaded(context, oneChunk(context, { path: given.filePath({ root: true }) }));
    const upload = oneChunk(context, { path: given.filePath({ root: true }) });
    const reply = await send(context, upload, 1, { parts: { resumableRelativePath: `/${upload.path}` } });
    notes.observe('status of a chunk whose relative path starts with a slash', reply.status, reply);
    notes.observe('the leading slash makes no difference', holds(await readOf(context, upload, 500), upload.bytes));
    notes.remarkServerError(reply);
  }),
} satisfies SomeCasesOf<'files'>;
