import { bytesOfContent, fileContent } from '../../fixtures/files.ts';
import { property, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { FileArea } from '../../judge/files/files.ts';
import { accessToken, alteredInside, basicOf, withAlteredPat, withPat } from './credentials.ts';
import { areaByArea, everyArea, expectBytes, inEvery, readsBack, stored } from './words.ts';

const longest = 100_000;

export const downloadCases = {
  'files.download.bearer': areaByArea(async (context, area) => {
    const { given, files, service, expect } = context;
    const { path, bytes } = await given.file({ area });
    const token = await accessToken(context, area);
    const request = files.downloadRequest(area, path, { as: null });
    expectBytes(context, await service.send(request, { headers: { Authorization: `Bearer ${token}` } }), bytes);
    expect(await service.send(request)).toAnswer(401);
  }),

  'files.download.query-token': everyArea(async (context, area) => {
    const { given, files, expect } = context;
    const { path, bytes } = await given.file({ area });
    expectBytes(context, await files.download(area, path, { token: 'query' }), bytes);
    expect(await files.download(area, path, { as: null })).toAnswer(401);
  }),

  'files.download.query-token-invalid-refused': everyArea(async (context, area) => {
    const { given, files, expect, notes } = context;
    const { path } = await given.file({ area });
    const token = await accessToken(context, area);
    const works = async (): Promise<void> =>
      given.succeeded(await files.download(area, path, { token: 'query' }), 'a download with the token as it is', [
        'files.download.query-token',
      ]);
    await works();
    for (const [what, text] of Object.entries({ altered: alteredInside(token), empty: '', garbage: 'abc' })) {
      const reply = await files.download(area, path, { token: { text } });
      expect(reply).notToSucceed();
      notes.observe(`${area.name}: query token that is ${what}`, reply.status, reply);
    }
    await works();
  }),

  'files.download.basic-pat': withPat(async (context, area) => {
    const { given, files, expect } = context;
    const { path, bytes } = await given.file({ area });
    expectBytes(context, await files.download(area, path, files.basic(area.as)), bytes);
    expect(await files.download(area, path, withAlteredPat(context, area))).notToSucceed();
  }),

  'files.download.basic-wrong-pat-refused': withPat(async (context, area) => {
    const { given, files, expect, notes, profile } = context;
    const { path } = await given.file({ area });
    const { pat = '' } = profile.all.identities[area.as] ?? {};
    const wrong = {
      'an altered token': withAlteredPat(context, area),
      'no password': files.basic(area.as, ''),
      'the name of nobody': basicOf(given.unique('nobody'), pat),
    };
    for (const [what, credentials] of Object.entries(wrong)) {
      const reply = await files.download(area, path, credentials);
      expect(reply).notToSucceed();
      notes.observe(`${area.name}: Basic with ${what}`, reply.status, reply);
    }
    given.succeeded(await files.download(area, path, files.basic(area.as)), 'a download with Basic', [
      'files.download.basic-pat',
    ]);
  }),

  'files.download.bytes-identical': property(
    fileContent(longest),
    (context, content) => {
      const bytes = bytesOfContent(content);
      return inEvery(context, context.files.areas, async (area) => {
        await comesBack(context, area, bytes);
        await comesBackFromChunks(context, area, bytes);
      });
    },
    {
      always: [
        { length: longest, seed: 7, head: 'invalid UTF-8' },
        { length: 2000, seed: 7, head: 'wide byte order mark' },
        { length: 6, seed: 7, head: 'line ends' },
      ],
      share: 0.1,
    },
  ),

  'files.download.missing-file-fails': everyArea(async (context, area) => {
    const { given, files, expect } = context;
    const { path, bytes } = await given.file({ area });
    await readsBack(context, area, path, bytes);
    expect(await files.download(area, siblingOf(path, given.unique('missing')))).notToSucceed();
    expect(await files.download(area, given.filePath())).notToSucceed();
    await readsBack(context, area, path, bytes);
  }),

  'files.download.missing-file-404': everyArea(async ({ given, files, expect, notes }, area) => {
    const path = given.filePath();
    const replies = { GET: await files.download(area, path), DELETE: await files.remove(area, path) };
    for (const [method, reply] of Object.entries(replies)) {
      notes.observe(`${area.name}: ${method} of a missing file`, reply.status, reply);
      expect(reply).toAnswer(404);
    }
  }),
} satisfies SomeCasesOf<'files'>;

async function comesBack(context: CaseContext, area: FileArea, bytes: Uint8Array): Promise<void> {
  const path = context.given.filePath();
  await stored(context, area, path, bytes);
  await readsBack(context, area, path, bytes);
}

async function comesBackFromChunks(context: CaseContext, area: FileArea, file: Uint8Array): Promise<void> {
  const { given, files, profile } = context;
  const path = given.filePath();
  const chunkSize = Math.max(profile.all.files?.minChunkSize ?? 1, Math.ceil(file.byteLength / 3));
  for (const reply of await files.chunks(area, { path, file, chunkSize }))
    given.succeeded(reply, 'a chunk is taken', ['files.chunk.single-chunk', 'files.chunk.many-chunks']);
  await readsBack(context, area, path, file);
}

function siblingOf(path: string, name: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1) + name;
}
