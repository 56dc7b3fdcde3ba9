import { permissionNames } from '../../contract/names.ts';
import { expectUploaded, namesBelow, source } from '../../judge/bulk/upload-tree.ts';
import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import { uploadedWith } from './words.ts';

export const keyCases = {
  'api-keys.key.administration-on-bulk': scenario(async (context) => {
    const { given, apiKeys, bulk, expect } = context;
    const { AdministrationAPI: key = '' } = await apiKeys.keysOf(await given.keyHolder());
    const from = await source(context, namesBelow(context, 'keyed.bin'));
    const body = { sourceDirectory: from.directory.path, writeLog: false };
    expect(await bulk.upload('space', body, { key })).toSucceed();
    await expectUploaded(context, from);
    expect(await uploadedWith(context, flipped(key))).notToSucceed();
  }),

  'api-keys.key.other-permission-not-on-bulk': scenario(async (context) => {
    const { given, apiKeys, expect } = context;
    const keys = await apiKeys.keysOf(await given.keyHolder({ permissions: permissionNames }));
    const { AdministrationAPI: right = '', ...others } = keys;
    for (const key of Object.values(others)) expect(await uploadedWith(context, key)).notToSucceed();
    given.succeeded(await uploadedWith(context, right), 'a bulk upload signed with the AdministrationAPI key', [
      'api-keys.key.administration-on-bulk',
    ]);
  }),
} satisfies SomeCasesOf<'api-keys'>;

/** The key with one bit of its first byte changed. */
function flipped(key: string): string {
  const bytes = Buffer.from(key, 'base64');
  bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0);
  return bytes.toString('base64');
}
