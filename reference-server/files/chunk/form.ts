import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { Refusal } from '../../problem.ts';
import type { Call, Service } from '../../service.ts';
import { incoming } from '../incoming.ts';

/** A part of the form, in the order of the body. */
export type FormPart =
  | { readonly name: 'file'; readonly content: FormContent; readonly fileName: string | undefined }
  | { readonly name: string; readonly text: string };

/** Bytes as they came, which are many: never put together, and their MD5 taken on the way. */
export interface FormContent {
  readonly pieces: readonly Buffer[];
  /** Of all pieces, in bytes. */
  readonly size: number;
  /** Lower-case hex. */
  readonly md5: string;
}

export const noContent: FormContent = { pieces: [], size: 0, md5: createHash('md5').digest('hex') };

/** Longest text part, in bytes, and the most parts of a form; clients send a few more than the documents name. */
export const textLimitBytes = 8 * 1024;
export const partLimit = 32;
/** What may stand around the bytes of the file in a form. */
const formOverheadBytes = 512 * 1024;
const formType = 'multipart/form-data';

/** Parts of the form that a chunk comes in. Source: extensions, File routes, chunk table. @throws {Refusal} 400, 413, 415 */
export async function formPartsOf(service: Service, call: Call): Promise<readonly FormPart[]> {
  service.behaviours.requireMediaType(service, call, [formType]);
  const limitBytes = service.behaviours.chunkLimitOf();
  const parts: FormPart[] = [];
  const form = readerOf(call, limitBytes);
  collectTexts(form, parts);
  collectFile(form, parts, limitBytes);
  form.on('partsLimit', () => form.destroy(new Refusal(413, `Expected a form of at most ${partLimit} parts.`)));
  try {
    await pipeline(incoming(call, limitBytes + formOverheadBytes), form);
  } catch (error) {
    throw error instanceof Refusal ? error : malformed('that ends with its boundary', error);
  }
  return parts;
}

function readerOf(call: Call, limitBytes: number): BusboyInstance {
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
    throw malformed('whose type names its boundary', error);
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

function malformed(expected: string, cause: unknown): Refusal {
  return Object.assign(new Refusal(400, `Expected a form ${expected}; it cannot be read.`, { pointer: '' }), { cause });
}
