import type { CaseContext, SomeCasesOf } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import type { FileArea, GivenFile } from '../../judge/files/files.ts';
import { expectNothingAt, isSuccess } from '../../judge/files/stored-file.ts';
import { chainsTo, encodings, systemFiles, toTheTop, type Spelling } from './chains.ts';
import { areaByArea, everyArea, readsBack } from './words.ts';

export const safetyCases = {
  'files.safety.dot-dot-segments': everyArea((context, area) => staysInside(context, area, [(chain) => chain])),

  'files.safety.encoded-separators': everyArea(async (context, area) => {
    await staysInside(context, area, Object.values(encodings));
    context.notes.observe(`${area.name}: %2F in a segment`, await readingOfEncodedSlash(context, area));
  }),

  'files.safety.chunk-relative-path': areaByArea(async (context, area) => {
    const { given, notes } = context;
    const name = given.unique('stray');
    const neighbours = await neighboursOf(context, area);
    const own = await given.file({ area });
    const forms = strayParts(context, area, name);
    const replies = await Promise.all(forms.map((parts) => oneChunk(context, area, parts)));
    for (const reply of replies) notes.remarkServerError(reply);
    const statuses = new Set(replies.map(({ status }) => status));
    notes.observe(`${area.name}: chunks with stray names`, [...statuses].toSorted().join(', '));
    await areUntouched(context, neighbours, name);
    await readsBack(context, area, own.path, own.bytes);
  }),
} satisfies SomeCasesOf<'files'>;

/** Nothing is read, written or deleted outside the area by chains in these spellings. */
async function staysInside(context: CaseContext, area: FileArea, spellings: readonly Spelling[]): Promise<void> {
  const { given } = context;
  const name = given.unique('stray');
  const neighbours = await neighboursOf(context, area);
  for (const spelled of spellings) {
    await Promise.all(
      systemFiles.map(({ path, holds }) => isNotServed(context, area, spelled(toTheTop + path), Buffer.from(holds))),
    );
    for (const { area: other, path, bytes } of neighbours)
      await Promise.all(
        chainsTo(context, other).map((chain) =>
          leadsNowhere(context, area, [spelled(chain + path), spelled(chain + name)], bytes),
        ),
      );
  }
  await areUntouched(context, neighbours, name);
}

/** The file of another area by its chain is not served, not deleted; what is written beside it may be refused or kept inside. */
async function leadsNowhere(
  context: CaseContext,
  area: FileArea,
  [known, fresh]: readonly [string, string],
  canary: Uint8Array,
): Promise<void> {
  const { given, files, notes } = context;
  await isNotServed(context, area, known, canary);
  notes.remarkServerError(await files.upload(area, fresh, given.bytes(40), { raw: true }));
  notes.remarkServerError(await files.remove(area, known, { raw: true }));
}

async function isNotServed(
  { files, expect }: CaseContext,
  area: FileArea,
  path: string,
  content: Uint8Array,
): Promise<void> {
  const reply = await files.download(area, path, { raw: true });
  expect(
    isSuccess(reply.status) && Buffer.from(reply.bytes).includes(Buffer.from(content)),
    `${path} shows what is outside the area`,
    reply,
  ).toEqual(false);
}

/** A file with bytes of its own in the next area, which chains try to reach; none where there is no other. */
async function neighboursOf({ given, files }: CaseContext, area: FileArea): Promise<readonly GivenFile[]> {
  const other = files.areas[(files.areas.indexOf(area) + 1) % files.areas.length];
  if (other === undefined || other === area) return [];
  return [await given.file({ area: other, path: `${given.unique('cage')}/canary.bin`, bytes: given.bytes(200) })];
}

/** The files are as they were, and none of that name is beside them. */
async function areUntouched(context: CaseContext, neighbours: readonly GivenFile[], name: string): Promise<void> {
  for (const { area, path, bytes } of neighbours) {
    await readsBack(context, area, path, bytes);
    await expectNothingAt(context, area, name);
  }
}

async function readingOfEncodedSlash({ given, files }: CaseContext, area: FileArea): Promise<string> {
  const directory = given.unique('slash');
  const reply = await files.upload(area, `${directory}%2Fname.bin`, given.bytes(60), { raw: true });
  if (!isSuccess(reply.status)) return `refused with ${reply.status}`;
  return isSuccess((await files.download(area, `${directory}/name.bin`)).status) ? 'a separator' : 'part of the name';
}

/** What a chunk form may say of its target; each part alone and all together. */
type Parts = { readonly path: string; readonly resumableFilename?: string; readonly fileName?: string };

function strayParts(context: CaseContext, area: FileArea, name: string): readonly Parts[] {
  const { files, given } = context;
  const other = files.areas[(files.areas.indexOf(area) + 1) % files.areas.length] ?? area;
  const chains = chainsTo(context, other).map((chain) => chain + name);
  const windows = chains.slice(0, 4).map((chain) => chain.replaceAll('/', '\\'));
  const inNames = [...chains.slice(0, 4), `/${name}`].flatMap((stray): Parts[] => [
    { path: given.unique('inside'), resumableFilename: stray },
    { path: given.unique('inside'), fileName: stray },
  ]);
  return [...[...chains, ...windows, `/${name}`, `C:\\${name}`].map((path): Parts => ({ path })), ...inNames];
}

async function oneChunk(
  { given, files, service }: CaseContext,
  area: FileArea,
  { path, resumableFilename, fileName }: Parts,
): Promise<Reply> {
  const file = given.bytes(50);
  const parts = resumableFilename === undefined ? {} : { parts: { resumableFilename } };
  const request = files.chunkRequest(area, {
    path,
    file,
    chunkSize: file.byteLength,
    number: 1,
    ...parts,
    ...(fileName !== undefined && { fileName }),
  });
  const reply = await service.send(request);
  if (reply.status < 300 || reply.status >= 500) given.bookFile(area, path);
  return reply;
}
