import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import { expectNothingAt, expectStored, isSuccess } from '../../judge/files/stored-file.ts';
import { begun, expectUploaded, inChunks, uploadOf, type Upload } from './chunk-words.ts';

/** How long an unfinished upload is watched, in ms; shorter where time stands still, since then nothing tidies up. */
const watchMs = { real: 3000, controlled: 1000 } as const;

export const chunkPartialCases = {
  'files.chunk.partial-deletable': scenario(async (context) => {
    const { files, expect, notes } = context;
    const upload = inChunks(context, 3);
    await begun(context, upload, 2);
    const partial = await files.download(upload.area, upload.path);
    const removed = await files.remove(upload.area, upload.path);
    notes.observe('status of a GET of the partial file', partial.status, partial);
    notes.observe('status of its DELETE', removed.status, removed);
    if (isSuccess(partial.status)) expect(removed).toSucceed();
    await expectNothingAt(context, upload.area, upload.path);
  }),

  'files.chunk.restart-after-interruption': scenario(async (context) => {
    const { files, expect } = context;
    const first = await interrupted(context);
    await expectUploaded(context, uploadOf(context, Math.floor(2.25 * first.chunkSize), { path: first.path }));
    const second = await interrupted(context);
    const bytes = context.given.bytes(500);
    expect(await files.upload(second.area, second.path, bytes)).toSucceed();
    await expectStored(context, { ...second, bytes });
  }),

  'files.chunk.partial-visibility': scenario(async (context) => {
    const { clock, notes } = context;
    const upload = inChunks(context, 3);
    await begun(context, upload, 1);
    await observePartial(context, upload, 'after 1 of 3 chunks');
    await begun(context, upload, 2, 2);
    const before = await observePartial(context, upload, 'after 2 of 3 chunks');
    await clock.until(new Promise<never>(() => undefined), watchMs[clock.controlled ? 'controlled' : 'real']);
    const after = await context.files.download(upload.area, upload.path);
    notes.observe(
      'the partial file changes by itself',
      after.status !== before.status || Buffer.compare(after.bytes, before.bytes) !== 0,
      after,
    );
  }),
} satisfies SomeCasesOf<'files'>;

/** One chunk of three was sent, then the path was deleted, with whatever answer. */
async function interrupted(context: CaseContext): Promise<Upload> {
  const upload = inChunks(context, 3);
  await begun(context, upload, 1);
  await context.files.remove(upload.area, upload.path);
  return upload;
}

async function observePartial({ files, notes }: CaseContext, { area, path }: Upload, when: string): Promise<Reply> {
  const slash = path.lastIndexOf('/');
  const [directory, name] = [path.slice(0, slash), path.slice(slash + 1)];
  const reply = await files.download(area, path);
  const listing = await files.directory(area, directory);
  notes.observe(`status of a GET ${when}`, reply.status, reply);
  if (isSuccess(reply.status)) notes.observe(`bytes that a GET shows ${when}`, reply.bytes.byteLength, reply);
  notes.observe(
    `the listing names the file ${when}`,
    isSuccess(listing.status) ? listing.text.includes(name) : `status ${listing.status}`,
    listing,
  );
  return reply;
}
