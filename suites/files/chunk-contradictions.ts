import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { RequestSpec } from '../../judge/exchange.ts';
import { isSuccess } from '../../judge/files/stored-file.ts';
import { oneChunk, sampleChunkSize, send, type Upload } from './chunk-words.ts';

export const chunkContradictionCases = {
  'files.chunk.inconsistent-parts': scenario(async (context) => {
    const { service, files, given, notes } = context;
    for (const [what, other] of Object.entries(contradictions(given.unique))) {
      const upload = oneChunk(context);
      const reply = await send(context, upload, 1, other);
      notes.observe(`status of a chunk with ${what}`, reply.status, reply);
      notes.observe(`where a chunk with ${what} can be read`, await foundAt(context, upload, other));
      notes.remarkServerError(reply);
    }
    const { area, path, bytes, chunkSize } = oneChunk(context);
    const reply = await service.send(
      withoutFile(files.chunkRequest(area, { path, file: bytes, chunkSize, number: 1 })),
    );
    notes.observe('status of a form without the part file', reply.status, reply);
    notes.remarkServerError(reply);
  }),
} satisfies SomeCasesOf<'files'>;

type Contradiction = NonNullable<Parameters<typeof send>[3]>;

function contradictions(unique: (prefix?: string) => string): Readonly<Record<string, Contradiction>> {
  const part = (name: string, text: string | null): Contradiction => ({ parts: { [name]: text } });
  return {
    'three different names': { fileName: unique('part'), parts: { resumableFilename: unique('other') } },
    'number 0': part('resumableChunkNumber', '0'),
    'number 2 of 1': part('resumableChunkNumber', '2'),
    'a total of chunks that does not match the size': part('resumableTotalChunks', '3'),
    'a current size that does not match the part': part('resumableCurrentChunkSize', '7'),
    'a total size that does not match': part('resumableTotalSize', String(3 * sampleChunkSize)),
    'no relative path': part('resumableRelativePath', null),
    'no chunk number': part('resumableChunkNumber', null),
    'no total size': part('resumableTotalSize', null),
    'no type': part('resumableType', null),
    'a chunk number that is no number': part('resumableChunkNumber', 'one'),
    'a chunk size that is no number': part('resumableChunkSize', 'large'),
  };
}

/** Names under which something can be read. */
async function foundAt({ files }: CaseContext, upload: Upload, { fileName, parts }: Contradiction): Promise<string> {
  const slash = upload.path.lastIndexOf('/') + 1;
  const [directory, name] = [upload.path.slice(0, slash), upload.path.slice(slash)];
  const names = {
    'the relative path': name,
    resumableFilename: parts?.['resumableFilename'],
    'the name of the part': fileName,
  };
  const found: string[] = [];
  for (const [origin, candidate] of Object.entries(names)) {
    if (typeof candidate !== 'string') continue;
    if (isSuccess((await files.download(upload.area, directory + candidate)).status)) found.push(origin);
    if (isSuccess((await files.download(upload.area, candidate)).status)) found.push(`${origin}, at the root`);
  }
  return found.join('; ') || 'nowhere';
}

/** The same form with its text parts only. */
function withoutFile(request: RequestSpec): RequestSpec {
  const text = request.body instanceof Uint8Array ? Buffer.from(request.body).toString('latin1') : '';
  const boundary = text.slice(0, text.indexOf('\r\n'));
  const parts = text.split(boundary).filter((part) => !part.includes('name="file"'));
  return { ...request, body: Buffer.from(parts.join(boundary), 'latin1') };
}
