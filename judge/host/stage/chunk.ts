import { headerOf, type Arrival } from './arrival.ts';

/** One call of a chunk upload, as far as it can be read. Source: extensions, File routes, chunk table */
export interface ReadChunk {
  /** resumableRelativePath, else the file name. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly number: number;
}

/** The chunk in a request; undefined where it holds none. */
export function chunkOf(arrival: Arrival): ReadChunk | undefined {
  return chunkIn(arrival.bytes, headerOf(arrival, 'content-type'));
}

/** The chunk in a multipart body; undefined where it is none. */
function chunkIn(body: Uint8Array, contentType: string | undefined): ReadChunk | undefined {
  const boundary = /boundary="?([^";]+)"?/i.exec(contentType ?? '')?.[1];
  if (boundary === undefined) return undefined;
  const parts = partsOf(Buffer.from(body), boundary);
  const text = (name: string): string | undefined => parts.get(name)?.toString('utf8');
  const bytes = parts.get('file');
  const path = text('resumableRelativePath') ?? text('resumableFilename');
  if (bytes === undefined || path === undefined) return undefined;
  return { path: path.replace(/^\/+/, ''), bytes, number: Number(text('resumableChunkNumber') ?? 1) };
}

function partsOf(body: Buffer, boundary: string): ReadonlyMap<string, Buffer> {
  const parts = new Map<string, Buffer>();
  const mark = Buffer.from(`--${boundary}`);
  let start = body.indexOf(mark);
  for (let end = next(body, mark, start); start !== -1 && end !== -1; start = end, end = next(body, mark, start)) {
    const part = body.subarray(start + mark.length + 2, end - 2);
    const head = part.indexOf('\r\n\r\n');
    const name = /[;\s]name="?([^";\r\n]*)/i.exec(part.subarray(0, Math.max(0, head)).toString('utf8'))?.[1];
    if (head !== -1 && name !== undefined) parts.set(name, part.subarray(head + 4));
  }
  return parts;
}

function next(body: Buffer, mark: Buffer, from: number): number {
  return body.indexOf(mark, from + mark.length);
}
