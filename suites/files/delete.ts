import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import { expectNothingAt } from '../../judge/files/stored-file.ts';
import { accessToken, withPat } from './credentials.ts';
import { everyArea, readsBack, uploadWorks, withToken } from './words.ts';

export const deleteCases = {
  'files.delete.removes-file': everyArea(async (context, area) => {
    const { given, files, expect, profile } = context;
    const { path } = await given.file({ area });
    given.succeeded(await files.download(area, path), 'the file is there', uploadWorks);
    expect(await files.remove(area, path)).toSucceed();
    const fresh = { headers: { 'Cache-Control': 'no-cache' } };
    expect(await files.download(area, path, fresh)).notToSucceed();
    expect(await files.download(area, path, { ...fresh, token: 'query' })).notToSucceed();
    const { username, pat } = profile.all.identities[area.as] ?? {};
    if (username !== undefined && pat !== undefined)
      expect(await files.download(area, path, files.basic(area.as))).notToSucceed();
  }),

  'files.delete.missing-file-fails': everyArea(async ({ given, files, expect }, area) => {
    expect(await files.remove(area, given.filePath())).notToSucceed();
    const { path } = await given.file({ area });
    given.succeeded(await files.remove(area, path), 'the first deletion', ['files.delete.removes-file']);
    expect(await files.remove(area, path)).notToSucceed();
  }),

  'files.delete.leaves-siblings': everyArea(async (context, area) => {
    const { given, files } = context;
    const directory = given.unique('siblings');
    const [first, ...others] = ['a', 'a.txt', 'ab', 'a.d/x'].map((name) => ({
      area,
      path: `${directory}/${name}`,
      bytes: given.bytes(150),
    }));
    if (first === undefined) return;
    for (const file of [first, ...others]) await given.file(file);
    given.succeeded(await files.remove(area, first.path), 'the deletion', ['files.delete.removes-file']);
    for (const { path, bytes } of others) await readsBack(context, area, path, bytes);
  }),

  'files.delete.basic-pat': withPat(async (context, area) => {
    const { given, files, expect, profile, notes } = context;
    const { path } = await given.file({ area });
    const reply = await files.remove(area, path, files.basic(area.as));
    notes.observe(`${area.name}: DELETE with Basic`, reply.status, reply);
    if (profile.all.files?.basicOnDelete === false) return expect(reply).notToSucceed();
    expect(reply).toSucceed();
    await expectNothingAt(context, area, path);
  }),

  'files.delete.query-token': scenario(async (context) => {
    const { given, files, service, notes } = context;
    const area = files.any;
    const token = await accessToken(context, area);
    const [path, chunked, file] = [given.filePath(), given.filePath(), await given.file({ area })];
    const bytes = given.bytes(100);
    given.bookFile(area, path);
    given.bookFile(area, chunked);
    const requests = {
      'stream upload': files.uploadRequest(area, path, bytes),
      'chunk upload': files.chunkRequest(area, { path: chunked, file: bytes, chunkSize: bytes.byteLength, number: 1 }),
      deletion: files.removeRequest(area, file.path),
    };
    for (const [what, request] of Object.entries(requests)) {
      const reply = await service.send(request, { url: withToken(request.url, token), as: null });
      notes.observe(`${what} with the query token alone`, reply.status, reply);
      notes.remarkServerError(reply);
    }
  }),
} satisfies SomeCasesOf<'files'>;
