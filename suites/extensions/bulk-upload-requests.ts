import type { BulkBody } from '../../judge/files/bulk.ts';
import {
  anyLevel,
  type BulkSource,
  declaredLevels,
  expectNotUploaded,
  expectUploaded,
  makeSource,
  namesBelow,
  uploadSource,
  waitQuietly,
} from '../../judge/files/bulk-uploads.ts';
import { type CaseContext, scenario } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import { holdsBytes } from '../../judge/files/stored-files.ts';
import { rules } from '../../judge/rule.ts';
import { filesLookedAt, manyFiles } from './bulk-upload.ts';

const fewFiles = 3;

export const bulkUploadRequestRules = rules('bulk-upload', {
  'bulk-upload.body.source-directory-required': {
    source: 'extensions: Bulk upload request body, row sourceDirectory (required)',
    statement: 'A body without sourceDirectory is refused (no 2xx).',
    fault: 'A missing sourceDirectory means an empty upload and answers 2xx.',
    needs: ['admin-api-key', 'host-directory'],
    test: scenario(async (context) => {
      const { bulk, expect, notes } = context;
      const from = await makeSource(context, namesBelow(context, 'one.bin'), anyLevel(context));
      const reply = await bulk.upload(from.level, { writeLog: false });
      expect(reply).notToSucceed();
      notes.observe('status without sourceDirectory', reply.status, reply);
      await uploadSource(context, from);
    }),
  },
  'bulk-upload.body.write-log-required': {
    level: 'should',
    source: 'extensions: Bulk upload request body, row writeLog (required)',
    statement: 'A body without writeLog is refused and nothing is uploaded.',
    fault: 'writeLog defaults to false.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    test: scenario(async (context) => {
      const { bulk, expect, notes } = context;
      const from = await makeSource(context, namesBelow(context, 'one.bin', 'two.bin'));
      const reply = await bulk.upload(from.level, { sourceDirectory: from.directory.path });
      expect(reply).notToSucceed();
      notes.observe('status without writeLog', reply.status, reply);
      await waitQuietly(context);
      await expectNotUploaded(context, from);
      await uploadSource(context, from);
      await expectUploaded(context, from);
    }),
  },
  'bulk-upload.body.source-not-accessible': {
    level: 'observe',
    source: 'extensions: Bulk upload request body, row sourceDirectory (host must have access)',
    statement: 'The answer for a source directory that does not exist, is a file, or is empty is not said.',
    fault: 'Not applicable as a failure; recorded variant: 2xx and silence.',
    needs: ['admin-api-key', 'host-directory'],
    test: scenario(async (context) => {
      const { bulk, given, notes } = context;
      const { directory } = await makeSource(context, ['one.bin'], anyLevel(context));
      const empty = await given.sourceDirectory({});
      const sources = {
        'a directory that does not exist': `${directory.path}/${given.unique('absent')}`,
        'a file': `${directory.path}/one.bin`,
        'an empty directory': empty.path,
      };
      for (const [what, sourceDirectory] of Object.entries(sources)) {
        const reply = await bulk.upload(anyLevel(context), { sourceDirectory, writeLog: false });
        notes.observe(`status with ${what} as source`, reply.status, reply);
        notes.observe(`body with ${what} as source`, kindOfBody(reply), reply);
        notes.remarkServerError(reply);
      }
    }),
  },
  'bulk-upload.response.status-and-timing': {
    level: 'observe',
    source: 'extensions: File routes, sentence on success status codes',
    statement: 'Success status, body, and whether the answer comes before or after the files are in place is not said.',
    fault: 'Not applicable as a failure; recorded variant: 202 with a job reference.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    test: scenario(async (context) => {
      const { notes } = context;
      for (const count of [fewFiles, manyFiles]) {
        const names = namesBelow(context, ...Array.from({ length: count }, (_name, index) => `${index}.bin`));
        const from = await makeSource(context, names);
        const body: BulkBody = { sourceDirectory: from.directory.path, writeLog: false };
        const reply = await context.bulk.upload(from.level, body);
        notes.observe(`status of a bulk upload of ${count} files`, reply.status, reply);
        notes.observe(`body of a bulk upload of ${count} files`, kindOfBody(reply), reply);
        notes.observe(
          `all of ${count} files can be read at once`,
          await isReadable(context, from.tree, Math.ceil(count / filesLookedAt)),
          reply,
        );
      }
    }),
  },
  'bulk-upload.auth.missing-credential-401': {
    source: 'extensions: Authentication, rule 2; core: Authentication, rule 6',
    statement: 'A bulk call without Authorization is answered 401 and uploads nothing.',
    fault: 'Bulk routes are open.',
    needs: ['host-directory', 'file-area-space'],
    test: scenario(async (context) => {
      const { bulk, expect } = context;
      const sources: BulkSource[] = [];
      for (const level of declaredLevels(context)) {
        const from = await makeSource(context, namesBelow(context, 'one.bin'), level);
        expect(await bulk.upload(level, bodyOf(from), { signature: null })).toAnswer(401);
        sources.push(from);
      }
      await waitQuietly(context);
      for (const from of sources) await expectNotUploaded(context, from);
    }),
  },
  'bulk-upload.auth.jwt-refused': {
    source: 'extensions: Authentication, rule 2 (needs the administration API key)',
    statement:
      'A bulk call that carries the credentials of a user, even of a Collection Administrator, instead of a key signature is refused: an access token at each level, or a name with its personal access token.',
    fault: 'Bulk routes accept any valid bearer of an administrator.',
    needs: ['host-directory', 'collection-admin', 'file-area-space'],
    test: scenario(async (context) => {
      const { service, bulk, files, expect, given, profile } = context;
      const { collection, identities } = profile.all;
      const [read] = collection?.reads ?? [];
      if (read !== undefined)
        given.succeeded(
          await service.get(read, { as: 'administrator' }),
          'the token of the administrator opens a collection route',
        );
      const from = await makeSource(context, namesBelow(context, 'one.bin'));
      const token = given.present(await service.token('administrator'), 'a token of the administrator');
      expect(await bulk.upload(from.level, bodyOf(from), { signature: token })).notToSucceed();
      const others: BulkSource[] = [];
      for (const level of declaredLevels(context).filter((other) => other !== from.level)) {
        const other = await makeSource(context, namesBelow(context, 'one.bin'), level);
        expect(await bulk.upload(level, bodyOf(other), { signature: token })).notToSucceed();
        others.push(other);
      }
      if (identities.administrator?.pat !== undefined && identities.administrator.username !== undefined)
        expect(
          await bulk.upload(from.level, bodyOf(from), { signature: null, ...files.basic('administrator') }),
        ).notToSucceed();
      await waitQuietly(context);
      for (const source of [from, ...others]) await expectNotUploaded(context, source);
    }),
  },
});

/** What kind of body it is; the names of its members where it is an object. */
function kindOfBody({ json, text }: Reply): string {
  if (typeof json === 'object' && json !== null) return `JSON: ${Object.keys(json).toSorted().join(', ')}`;
  return text === '' ? 'none' : 'a text';
}

/** Whether each file can be read now, the last ones first; every `step`th is tried. */
async function isReadable(
  { files }: CaseContext,
  tree: Readonly<Record<string, Uint8Array>>,
  step: number,
): Promise<boolean> {
  for (const [index, [name, bytes]] of Object.entries(tree).toReversed().entries())
    if (index % step === 0 && !holdsBytes(await files.download(files.area('space'), name), bytes)) return false;
  return true;
}

function bodyOf({ directory }: BulkSource): Parameters<CaseContext['bulk']['upload']>[1] {
  return { sourceDirectory: directory.path, writeLog: false };
}
