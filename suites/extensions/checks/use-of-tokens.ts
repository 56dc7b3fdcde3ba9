import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Changes, type Reply } from '../../../judge/exchange.ts';
import { withBearer } from '../../../judge/service/token.ts';
import { sampleChunkSize } from './upload-in-chunks.ts';

/** What the editor may read in another space the token reads, in whichever space it was triggered. */
export async function expectReadsElsewhere(context: CaseContext, token: string): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  if (profile.all.secondSpace === undefined) return;
  const { space, softType: type } = profile.all.secondSpace;
  const body = given.body({}, type);
  const created = await service.create(body, { of: { type, space } });
  notes.observe('status of a create by the triggering user in the second space', created.status, created);
  if (!isSuccess(created.status)) return;
  const there = await given.found(created, body, { type, space });
  given.succeeded(await service.read(there), 'the triggering user reads in the second space');
  expect(await service.read(there, withBearer(token))).toAnswer(200);
}

/** Each file route that the editor may use in an area opens to the token as well. Nothing is asserted where the editor has no area. */
export async function expectUsesFiles({ given, files, expect }: CaseContext, token: string): Promise<void> {
  const area = files.areas.find(({ as }) => as === 'editor');
  if (area === undefined) return;
  const bytes = given.bytes(100);
  const inOneChunk = { file: bytes, chunkSize: sampleChunkSize, number: 1 };
  const routes: readonly ((path: string, changes?: Changes) => Promise<Reply>)[] = [
    (path, changes) => files.upload(area, path, bytes, changes),
    (path, changes) => files.download(area, path, changes),
    (path, changes) => files.remove(area, path, changes),
    (path, changes) => files.chunk(area, { path, ...inOneChunk }, changes),
  ];
  const [ofUser, ofToken] = [given.filePath(), given.filePath()];
  for (const route of routes) {
    const isOpen = isSuccess((await route(ofUser)).status);
    const reply = await route(ofToken, withBearer(token));
    if (isOpen) expect(reply).toSucceed();
  }
}
