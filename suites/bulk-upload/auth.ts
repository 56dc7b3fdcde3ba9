import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import { declaredLevels, expectNotUploaded, namesBelow, source, waitQuietly, type Source } from '../../judge/bulk/upload-tree.ts';

export const authCases = {
  'bulk-upload.auth.missing-credential-401': scenario(async (context) => {
    const { bulk, expect } = context;
    const sources: Source[] = [];
    for (const level of declaredLevels(context)) {
      const from = await source(context, namesBelow(context, 'one.bin'), level);
      expect(await bulk.upload(level, bodyOf(from), { signature: null })).toAnswer(401);
      sources.push(from);
    }
    await waitQuietly(context);
    for (const from of sources) await expectNotUploaded(context, from);
  }),

  'bulk-upload.auth.jwt-refused': scenario(async (context) => {
    const { service, bulk, files, expect, given, profile } = context;
    const { collection, identities } = profile.all;
    const [read] = collection?.reads ?? [];
    if (read !== undefined)
      given.succeeded(
        await service.get(read, { as: 'administrator' }),
        'the token of the administrator opens a collection route',
      );
    const from = await source(context, namesBelow(context, 'one.bin'));
    const token = given.present(await service.token('administrator'), 'a token of the administrator');
    expect(await bulk.upload(from.level, bodyOf(from), { signature: token })).notToSucceed();
    if (identities.administrator?.pat !== undefined && identities.administrator.username !== undefined)
      expect(
        await bulk.upload(from.level, bodyOf(from), { signature: null, ...files.basic('administrator') }),
      ).notToSucceed();
    await waitQuietly(context);
    await expectNotUploaded(context, from);
  }),
} satisfies SomeCasesOf<'bulk-upload'>;

function bodyOf({ directory }: Source): Parameters<CaseContext['bulk']['upload']>[1] {
  return { sourceDirectory: directory.path, writeLog: false };
}
