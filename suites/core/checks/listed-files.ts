import type { CaseContext } from '../../../judge/case.ts';
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
