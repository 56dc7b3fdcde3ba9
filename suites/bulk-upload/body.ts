import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { BulkBody } from '../../judge/bulk/bulk.ts';
import type { Reply } from '../../judge/exchange.ts';
import {
  anyLevel,
  bulkUpload,
  expectNotUploaded,
  expectUploaded,
  namesBelow,
  source,
  waitQuietly,
} from '../../judge/bulk/upload-tree.ts';
import { holds } from '../../judge/files/stored-file.ts';

const few = 3;
const many = 300;
/** Files of many that are looked at. */
const looks = 20;

export const bodyCases = {
  'bulk-upload.body.source-directory-required': scenario(async (context) => {
    const { bulk, expect, notes } = context;
    const from = await source(context, namesBelow(context, 'one.bin'), anyLevel(context));
    const reply = await bulk.upload(from.level, { writeLog: false });
    expect(reply).notToSucceed();
    notes.observe('status without sourceDirectory', reply.status, reply);
    await bulkUpload(context, from);
  }),

  'bulk-upload.body.write-log-required': scenario(async (context) => {
    const { bulk, expect, notes } = context;
    const from = await source(context, namesBelow(context, 'one.bin', 'two.bin'));
    const reply = await bulk.upload(from.level, { sourceDirectory: from.directory.path });
    expect(reply).notToSucceed();
    notes.observe('status without writeLog', reply.status, reply);
    await waitQuietly(context);
    await expectNotUploaded(context, from);
    await bulkUpload(context, from);
    await expectUploaded(context, from);
  }),

  'bulk-upload.body.source-not-accessible': scenario(async (context) => {
    const { bulk, given, notes } = context;
    const { directory } = await source(context, ['one.bin'], anyLevel(context));
    const empty = await given.sourceDirectory({});
    const sources = {
      'a directory that does not exist': `${directory.path}/${given.unique('absent')}`,
      'a file': `${directory.path}/one.bin`,
      'an empty directory': empty.path,
    };
    for (const [what, sourceDirectory] of Object.entries(sources)) {
      const reply = await bulk.upload(anyLevel(context), { sourceDirectory, writeLog: false });
      notes.observe(`status with ${what} as source`, reply.status, reply);
      notes.observe(`body with ${what} as source`, bodyOf(reply), reply);
      notes.remarkServerError(reply);
    }
  }),

  'bulk-upload.response.status-and-timing': scenario(async (context) => {
    const { notes } = context;
    for (const count of [few, many]) {
      const names = namesBelow(context, ...Array.from({ length: count }, (_name, index) => `${index}.bin`));
      const from = await source(context, names);
      const body: BulkBody = { sourceDirectory: from.directory.path, writeLog: false };
      const reply = await context.bulk.upload(from.level, body);
      notes.observe(`status of a bulk upload of ${count} files`, reply.status, reply);
      notes.observe(`body of a bulk upload of ${count} files`, bodyOf(reply), reply);
      notes.observe(
        `all of ${count} files can be read at once`,
        await isReadable(context, from.tree, Math.ceil(count / looks)),
        reply,
      );
    }
  }),
} satisfies SomeCasesOf<'bulk-upload'>;

/** What kind of body it is; the names of its members where it is an object. */
function bodyOf({ json, text }: Reply): string {
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
    if (index % step === 0 && !holds(await files.download(files.area('space'), name), bytes)) return false;
  return true;
}
