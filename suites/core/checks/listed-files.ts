import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess } from '../../../judge/exchange.ts';
import { expectHolds, expectStored } from '../../../judge/files/stored-files.ts';
import { sleep } from '../../../judge/time/real-time.ts';
import { unlessRefused } from '../../../judge/violation.ts';

/** A directory that lists a file more has changed for who names the ETag of before. What a listing holds, and whether it has an ETag, is not said. */
export async function expectUploadSeen({ given, files, expect }: CaseContext): Promise<void> {
  const [area] = files.areas;
  if (area === undefined) return;
  const first = await unlessRefused(() => given.file({ area }));
  if (first === undefined) return;
  const directory = first.path.slice(0, first.path.lastIndexOf('/'));
  const before = await files.directory(area, directory);
  const { etag } = before.headers;
  if (before.status !== 200 || etag === undefined) return;
  const name = given.unique('sibling');
  await unlessRefused(() => given.file({ area, path: `${directory}/${name}` }));
  const after = await files.directory(area, directory);
  if (after.status !== 200 || !after.text.includes(name)) return;
  expect(await files.directory(area, directory, { headers: { 'If-None-Match': etag } })).toAnswer(200);
}

/** After which a file has another moment by the clock of its disk, in ms: some count in two seconds. */
const nextMomentMs = 2100;

/**
 * Looks, after hours of the service, whether a file that then makes way for another one of its length has changed for who names the ETag of
 * before. Whether files have tags, and what these tell, is not said.
 */
export async function replacesFileLater(context: CaseContext): Promise<() => Promise<void>> {
  const { given, files, expect } = context;
  const [area] = files.areas;
  const first = area && (await unlessRefused(() => given.file({ area })));
  const etag = first && (await files.download(first.area, first.path)).headers['etag'];
  return async () => {
    if (first === undefined || etag === undefined) return;
    const { area, path } = first;
    await sleep(nextMomentMs);
    if (!isSuccess((await files.remove(area, path)).status)) return;
    const file = { area, path, bytes: given.bytes(first.bytes.length) };
    expect(await files.upload(area, path, file.bytes)).toSucceed();
    await expectStored(context, file);
    expectHolds(context, file, await files.download(area, path, { headers: { 'If-None-Match': etag } }));
  };
}
