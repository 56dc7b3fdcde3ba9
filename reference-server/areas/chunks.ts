import { Area } from '../area.ts';
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import type { BusboyInstance } from '@fastify/busboy';
import type { Answer, Call } from '../http/call.ts';
import { Refusal } from '../http/refusal.ts';
import {
  type FileArea,
  type FileInfo,
  type FilePlace,
  type FileStore,
  PlaceTaken,
  type Section,
} from '../ports/file-store.ts';
import {
  type AreaCall,
  type FileAreas,
  type Progress,
  incoming,
  unknownType,
  uploadComplete,
  withChunk,
} from './file-areas.ts';

/** A part of the form, in the order of the body. */
type FormPart =
  | { readonly name: 'file'; readonly content: FormContent; readonly fileName: string | undefined }
  | { readonly name: string; readonly text: string };

/** Bytes as they came, which are many: never put together, and their MD5 taken on the way. */
interface FormContent {
  readonly pieces: readonly Buffer[];
  /** Of all pieces, in bytes. */
  readonly size: number;
  /** Lower-case hex. */
  readonly md5: string;
}

const noContent: FormContent = { pieces: [], size: 0, md5: createHash('md5').digest('hex') };

/** Longest text part, in bytes, and the most parts of a form; clients send a few more than the documents name. */
export const textLimitBytes = 8 * 1024;

export const partLimit = 32;

/** What may stand around the bytes of the file in a form. */
const formOverheadBytes = 512 * 1024;

export const formType = 'multipart/form-data';

/** A chunk as its form tells. Source: extensions, File routes, chunk table */
export interface Chunk extends FormContent {
  /** Of the whole file, in bytes. */
  readonly totalSize: number;
  /** From 1. */
  readonly number: number;
  /** Nominal, in bytes. */
  readonly chunkSize: number;
  readonly totalChunks: number;
  /** Media type of the file. */
  readonly type: string;
  readonly fileName: string;
  readonly relativePath: string;
}

const textNames = [
  'resumableTotalSize',
  'resumableChunkNumber',
  'resumableChunkSize',
  'resumableCurrentChunkSize',
  'resumableTotalChunks',
  'resumableType',
  'resumableFilename',
  'resumableRelativePath',
] as const;

type TextName = (typeof textNames)[number];

/** Safe as a number, and enough for any disk. */
const integerForm = /^(?:0|[1-9]\d{0,14})$/;

/** RFC 9110 section 8.3.1, parameters may hold every visible text. */
const mediaTypeForm = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+[ \t]*(?:;[\x20-\x7e\t]*)?$/;

/** Longest chunk, in bytes. Source: ledger chunk-size-bounds */
const chunkLimitBytes = 16 * 1024 * 1024;

/** The most chunks that a file is sent in, so that what is known of an upload under way stays small. */
export const totalChunksLimit = 100_000;

interface Needs {
  readonly fileStore: FileStore;
  readonly fileAreas: FileAreas;
}

/** Files that are uploaded in chunks. */
export class Chunks extends Area<Needs> {
  /** POST: one chunk of a file. Source: extensions, File routes, row 2; ledger chunk-checksum-enforcement, file-success-statuses. @throws {Refusal} 400, 401, 403, 404, 409, 413, 415, 507 */
  async uploadChunk(call: AreaCall): Promise<Answer> {
    const checksum = this.needs.fileAreas.expectedChecksum(call);
    const chunk = this.chunkOf(await this.formPartsOf(call));
    const place = this.chunkPlaceOf(chunk, call.admitted);
    this.assertChunkChecksum(checksum, chunk);
    const progress = await this.needs.fileAreas.inTurn(place, () => this.storeChunk(place, chunk));
    return uploadComplete(progress) ? this.needs.fileAreas.createdFile(place) : { status: 200 };
  }

  /** The MD5 of the bytes of this chunk. Source: extensions, File routes, text below the chunk table. @throws {Refusal} 400 */
  assertChunkChecksum(expected: string | undefined, { md5 }: Chunk): void {
    this.needs.fileAreas.assertChecksum(expected, md5);
  }

  /** Where the file goes: the other names are for information. Source: ledger chunk-name-precedence. @throws {Refusal} 400 */
  chunkPlaceOf({ relativePath }: Chunk, area: FileArea): FilePlace {
    return { area, segments: this.needs.fileAreas.relativePathOf(relativePath) };
  }

  /** Writes the chunk into its file and books it. Source: ledger chunk-order-and-repeat, chunk-on-completed-file. @throws {Refusal} 409, 507 */
  async storeChunk(place: FilePlace, chunk: Chunk): Promise<Progress> {
    try {
      return (await this.continueUpload(place, chunk)) ?? (await this.beginOrJoinUpload(place, chunk));
    } catch (error) {
      throw this.needs.fileAreas.refusalOf(place, error);
    }
  }

  /** Undefined where no upload is under way. @throws {Refusal} 409. @throws {NoRoom} */
  private async continueUpload(place: FilePlace, chunk: Chunk): Promise<Progress | undefined> {
    using file = await this.needs.fileStore.openToGrow(place);
    const underWay = file && (await this.needs.fileAreas.uploadInto(place, file.info()));
    if (file === undefined || underWay === undefined) return undefined;
    assertSameUpload(underWay, chunk);
    await file.write(this.sectionOf(chunk));
    const progress = await this.needs.fileAreas.keepChunk(place, file.info(), (kept) => withChunk(kept, chunk.number));
    if (progress === undefined) throw new Refusal(409, 'The upload was deleted while this chunk came; begin anew.');
    if (uploadComplete(progress)) await this.endUpload(place, file.info(), progress);
    return progress;
  }

  /** Another host may have begun with another chunk of the file meanwhile. @throws {PlaceTaken | NoRoom} */
  private async beginOrJoinUpload(place: FilePlace, chunk: Chunk): Promise<Progress> {
    try {
      return await this.beginUpload(place, chunk);
    } catch (error) {
      const joined = error instanceof PlaceTaken ? await this.continueUpload(place, chunk) : undefined;
      if (joined === undefined) throw error;
      return joined;
    }
  }

  /** @throws {PlaceTaken} a file or a directory is there. @throws {NoRoom} */
  private async beginUpload(place: FilePlace, chunk: Chunk): Promise<Progress> {
    const { fileStore: files } = this.needs;
    const progress = withChunk(begunWith(chunk), chunk.number);
    await files.begin(place, this.sectionOf(chunk), {
      accept: (info) => this.keepBeginning(place, info, progress),
      withdraw: async (info) => {
        await this.needs.fileAreas.forgetUpload(place, info);
        await this.needs.fileAreas.forgetFileRecord(place, info.stamp);
      },
    });
    return progress;
  }

  /** A file of one chunk is whole when it begins. */
  private async keepBeginning(place: FilePlace, info: FileInfo, progress: Progress): Promise<void> {
    if (!uploadComplete(progress)) return this.needs.fileAreas.keepBegun(place, info, progress);
    await this.needs.fileAreas.keepFileRecord(place, info.stamp, { type: progress.type });
  }

  private sectionOf(chunk: Chunk): Section {
    return { position: this.chunkPosition(chunk), pieces: this.chunkContent(chunk) };
  }

  /** From which byte of the file on a chunk stands. Source: ledger chunk-order-and-repeat */
  chunkPosition({ number, chunkSize }: Chunk): number {
    return (number - 1) * chunkSize;
  }

  /** The bytes that are stored. */
  chunkContent({ pieces }: Chunk): readonly Uint8Array[] {
    return pieces;
  }

  /** From here on the file is as whole as one that came in a stream. @param info as the last write left it */
  private async endUpload(place: FilePlace, info: FileInfo, { type }: Progress): Promise<void> {
    await this.needs.fileAreas.keepFileRecord(place, info.stamp, { type });
    await this.needs.fileAreas.forgetUpload(place, info);
  }

  /** Parts of the form that a chunk comes in. Source: extensions, File routes, chunk table. @throws {Refusal} 400, 413 */
  async formPartsOf(call: Call): Promise<readonly FormPart[]> {
    const limitBytes = chunkLimitOf();
    const parts: FormPart[] = [];
    const form = await readerOf(call, limitBytes);
    collectTexts(form, parts);
    collectFile(form, parts, limitBytes);
    form.on('partsLimit', () => form.destroy(new Refusal(413, `Expected a form of at most ${partLimit} parts.`)));
    try {
      await pipeline(incoming(call, limitBytes + formOverheadBytes), form);
    } catch (error) {
      throw error instanceof Refusal ? error : refuseMalformed('that ends with its boundary', error);
    }
    return parts;
  }

  /** The chunk that the parts tell of, in any order; parts of other names are passed over. @throws {Refusal} 400 */
  private chunkOf(parts: readonly FormPart[]): Chunk {
    const texts = Object.fromEntries(textNames.map((name) => [name, textOf(parts, name)])) as Record<TextName, string>;
    const chunk = {
      totalSize: integerOf(texts, 'resumableTotalSize'),
      number: integerOf(texts, 'resumableChunkNumber'),
      chunkSize: integerOf(texts, 'resumableChunkSize'),
      totalChunks: integerOf(texts, 'resumableTotalChunks'),
      type: typeOf(texts.resumableType),
      fileName: texts.resumableFilename,
      relativePath: texts.resumableRelativePath,
      ...contentOf(parts),
    };
    this.assertChunk(chunk, integerOf(texts, 'resumableCurrentChunkSize'));
    return chunk;
  }

  /** Lets a chunk pass whose numbers fit each other and its bytes. Source: extensions, File routes, chunk table; ledger chunk-empty-file. @throws {Refusal} 400, 413 */
  assertChunk(chunk: Chunk, currentSize: number): void {
    const { totalSize, number, chunkSize, totalChunks } = chunk;
    const limitBytes = chunkLimitOf();
    if (chunkSize < 1) throw makeRefusal('resumableChunkSize', 'Expected at least 1 as part', `found ${chunkSize}`);
    if (chunkSize > limitBytes) throw tooLarge('resumableChunkSize', limitBytes, chunkSize);
    if (totalChunks > totalChunksLimit) throw tooLarge('resumableTotalChunks', totalChunksLimit, totalChunks);
    // an empty file comes as one chunk without bytes
    const needed = Math.max(1, Math.ceil(chunk.totalSize / chunk.chunkSize));
    if (totalChunks !== needed)
      throw makeRefusal(
        'resumableTotalChunks',
        `Expected ${needed} for ${totalSize} bytes in chunks of ${chunkSize} as part`,
        `found ${totalChunks}`,
      );
    if (number < 1 || number > totalChunks)
      throw makeRefusal('resumableChunkNumber', `Expected 1 to ${totalChunks} as part`, `found ${number}`);
    const expected = sizeOfChunk(chunk);
    if (currentSize !== expected)
      throw makeRefusal(
        'resumableCurrentChunkSize',
        `Expected ${expected} for this chunk as part`,
        `found ${currentSize}`,
      );
    if (chunk.size !== expected)
      throw makeRefusal('file', `Expected ${expected} bytes in the part`, `found ${chunk.size}`);
  }
}

function begunWith({ totalSize, chunkSize, totalChunks, type }: Chunk): Progress {
  return { totalSize, chunkSize, totalChunks, type, received: [] };
}

function isOf(progress: Progress, chunk: Chunk): boolean {
  const { totalSize, chunkSize, totalChunks } = progress;
  return totalSize === chunk.totalSize && chunkSize === chunk.chunkSize && totalChunks === chunk.totalChunks;
}

/** The sizes stay what they were at the first chunk. @throws {Refusal} 409 */
function assertSameUpload(underWay: Progress, chunk: Chunk): void {
  if (isOf(underWay, chunk)) return;
  const { totalSize, chunkSize, totalChunks } = underWay;
  const detail = `An upload of ${totalSize} bytes in ${totalChunks} chunks of ${chunkSize} is under way at this path; go on with it, or delete the file first.`;
  throw new Refusal(409, detail, { pointer: 'resumableTotalSize' });
}

async function readerOf(call: Call, limitBytes: number): Promise<BusboyInstance> {
  const { Busboy } = await import('@fastify/busboy');
  const limits = {
    fieldSize: textLimitBytes,
    fileSize: limitBytes,
    parts: partLimit,
    headerPairs: 16,
    headerSize: 8 * 1024,
  };
  try {
    return new Busboy({
      headers: { 'content-type': call.headers['content-type'] ?? '' },
      limits,
      isPartAFile: (name) => name === 'file',
    });
  } catch (error) {
    throw refuseMalformed('whose type names its boundary', error);
  }
}

function collectTexts(form: BusboyInstance, parts: FormPart[]): void {
  form.on('field', (name, text, _nameCut, cut) => {
    if (cut)
      form.destroy(
        new Refusal(413, `Expected the part ${name} to have at most ${textLimitBytes} bytes.`, { pointer: name }),
      );
    parts.push({ name, text });
  });
}

function collectFile(form: BusboyInstance, parts: FormPart[], limitBytes: number): void {
  form.on('file', (_name, content, fileName: string | undefined) => {
    const pieces: Buffer[] = [];
    const hash = createHash('md5');
    let size = 0;
    const part = { name: 'file', content: noContent, fileName } as const;
    const index = parts.push(part) - 1;
    content.on('data', (piece: Buffer) => {
      pieces.push(piece);
      hash.update(piece);
      size += piece.length;
    });
    content.on('limit', () =>
      form.destroy(
        new Refusal(413, `Expected the part file to have at most ${limitBytes} bytes.`, { pointer: 'file' }),
      ),
    );
    content.on('error', (error) => form.destroy(error));
    content.on('end', () => (parts[index] = { ...part, content: { pieces, size, md5: hash.digest('hex') } }));
  });
}

function refuseMalformed(expected: string, cause: unknown): Refusal {
  return Object.assign(new Refusal(400, `Expected a form ${expected}; it cannot be read.`, { pointer: '' }), { cause });
}

function textOf(parts: readonly FormPart[], name: TextName): string {
  const part = onlyPart(parts, name);
  return 'text' in part ? part.text : '';
}

function contentOf(parts: readonly FormPart[]): FormContent {
  const part = onlyPart(parts, 'file');
  return 'content' in part ? part.content : noContent;
}

function onlyPart(parts: readonly FormPart[], name: string): FormPart {
  const [part, ...more] = parts.filter((candidate) => candidate.name === name);
  if (part === undefined) throw makeRefusal(name, 'Expected a part', 'found none');
  if (more.length > 0) throw makeRefusal(name, 'Expected one part', `found ${more.length + 1}`);
  return part;
}

function integerOf(texts: Readonly<Record<TextName, string>>, name: TextName): number {
  const text = texts[name];
  if (!integerForm.test(text))
    throw makeRefusal(name, 'Expected an integer from 0 on as part', `found ${JSON.stringify(text.slice(0, 80))}`);
  return Number(text);
}

/** A browser that does not know the type of a file sends an empty one. */
function typeOf(text: string): string {
  if (text === '') return unknownType;
  if (mediaTypeForm.test(text)) return text;
  throw makeRefusal('resumableType', 'Expected a media type as part', `found ${JSON.stringify(text.slice(0, 80))}`);
}

/** @throws {Refusal} 400 */
function makeRefusal(name: string, expected: string, found: string): Refusal {
  return new Refusal(400, `${expected} ${name}, ${found}.`, { pointer: name });
}

function chunkLimitOf(): number {
  return chunkLimitBytes;
}

function sizeOfChunk({ totalSize, number, chunkSize, totalChunks }: Chunk): number {
  return number < totalChunks ? chunkSize : totalSize - (totalChunks - 1) * chunkSize;
}

function tooLarge(name: string, limit: number, found: number): Error {
  return makeRefusal(name, `Expected at most ${limit} as part`, `found ${found}`);
}
