import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Changes, Reply } from '../../judge/exchange.ts';
import type { FileArea, GivenFile } from '../../judge/files/files.ts';
import { bearing } from '../auth/token.ts';
import { expectNothingAt } from '../../judge/files/stored-file.ts';
import { accessToken, forgedFrom, withAlteredPat, withPat } from './credentials.ts';
import { everyArea, readsBack, stored, usedBy } from './words.ts';

const nobody: Changes = { as: null };

export const authCases = {
  'files.auth.stream-missing-credential-401': everyArea(async (context, area) => {
    const { given, files, expect } = context;
    const path = given.filePath();
    expect(await files.upload(area, path, given.bytes(100), nobody)).toAnswer(401);
    await expectNothingAt(context, area, path);
    await stored(context, area, given.filePath(), given.bytes(100));
  }),

  'files.auth.chunk-missing-credential-401': everyArea(async (context, area) => {
    const { given, expect } = context;
    const path = given.filePath();
    expect(await oneChunk(context, area, path, nobody)).toAnswer(401);
    await expectNothingAt(context, area, path);
    given.succeeded(await oneChunk(context, area, given.filePath()), 'the same with a credential', [
      'files.chunk.single-chunk',
    ]);
  }),

  'files.auth.download-missing-credential-401': everyArea(async (context, area) => {
    const { given, files, expect, notes } = context;
    const { path, bytes } = await given.file({ area });
    const reply = await files.download(area, path, nobody);
    expect(reply).toAnswer(401);
    expect(Buffer.from(reply.bytes).includes(Buffer.from(bytes)), 'the answer shows the content', reply).toEqual(false);
    notes.observe(
      `${area.name}: a missing file without a credential`,
      (await files.download(area, given.filePath(), nobody)).status,
    );
    given.succeeded(await files.download(area, path), 'the same with a credential', ['files.download.bearer']);
  }),

  'files.auth.delete-missing-credential-401': everyArea(async (context, area) => {
    const { given, files, expect } = context;
    const { path, bytes } = await given.file({ area });
    expect(await files.remove(area, path, nobody)).toAnswer(401);
    await readsBack(context, area, path, bytes);
  }),

  'files.auth.invalid-bearer-refused': everyArea(async (context, area) => {
    const { given, expect, notes } = context;
    const file = await given.file({ area });
    const token = await accessToken(context, area);
    for (const [what, forged] of Object.entries(forgedFrom(token))) {
      const replies = await fourRoutes(context, file, bearing(forged));
      for (const reply of replies) expect(reply).notToSucceed();
      notes.observe(`${area.name}: token ${what}`, replies.map(({ status }) => status).join(', '));
    }
    for (const reply of await fourRoutes(context, file, bearing(token)))
      given.succeeded(reply, 'the same with the token as it is', ['files.download.bearer']);
  }),

  'files.auth.space-non-member-403': scenario(async (context) => {
    const file = await context.given.file({ area: context.files.area('space') });
    await isForbidden(context, file, 'outsider');
  }),

  'files.auth.collection-non-admin-403': scenario(async (context) => {
    const { given, files } = context;
    await isForbidden(context, await given.file({ area: files.area('collection') }), 'editor');
    const space = files.areas.find(({ name }) => name === 'space');
    if (space !== undefined) await stored(context, usedBy(space, 'editor'), given.filePath(), given.bytes(100));
  }),

  'files.auth.participant-foreign-role': scenario(async (context) => {
    const { given, files, notes } = context;
    const { area, path } = await given.file({ area: files.secondParticipant });
    const foreign = usedBy(area, 'editor');
    const replies = {
      POST: await files.upload(foreign, given.filePath(), given.bytes(100)),
      GET: await files.download(foreign, path),
      DELETE: await files.remove(foreign, path),
    };
    for (const [method, reply] of Object.entries(replies))
      notes.observe(`${method} by a member without a role on the participant`, reply.status, reply);
  }),

  'files.auth.upload-basic-pat': withPat(async (context, area) => {
    const { given, files, expect } = context;
    const basic = files.basic(area.as);
    const [path, chunked, refused] = [given.filePath(), given.filePath(), given.filePath()];
    const bytes = given.bytes(100);
    expect(await files.upload(area, path, bytes, basic)).toSucceed();
    await readsBack(context, area, path, bytes);
    expect(await oneChunk(context, area, chunked, basic)).toSucceed();
    given.succeeded(await files.download(area, chunked), 'the chunk upload reads back', ['files.chunk.single-chunk']);
    expect(await files.upload(area, refused, bytes, withAlteredPat(context, area))).notToSucceed();
    await expectNothingAt(context, area, refused);
  }),
} satisfies SomeCasesOf<'files'>;

/** A whole file in one chunk. */
function oneChunk({ given, files }: CaseContext, area: FileArea, path: string, changes?: Changes): Promise<Reply> {
  const file = given.bytes(100);
  return files.chunk(area, { path, file, chunkSize: file.byteLength, number: 1 }, changes);
}

/** One request to each route that a file has; the last one deletes the file. */
async function fourRoutes(
  context: CaseContext,
  { area, path }: GivenFile,
  changes: Changes,
): Promise<readonly Reply[]> {
  const { given, files } = context;
  return [
    await files.upload(area, given.filePath(), given.bytes(100), changes),
    await oneChunk(context, area, given.filePath(), changes),
    await files.download(area, path, changes),
    await files.remove(area, path, changes),
  ];
}

/** Every route answers 403 to that identity, and the file stays. */
async function isForbidden(context: CaseContext, file: GivenFile, sender: FileArea['as']): Promise<void> {
  for (const reply of await fourRoutes(context, file, { as: sender })) context.expect(reply).toAnswer(403);
  await readsBack(context, file.area, file.path, file.bytes);
}
