import { createHash } from 'node:crypto';

/** One part of a form: a text, or a file with its name. */
export type FormPart =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly fileName: string; readonly type: string; readonly bytes: Uint8Array };

export interface Form {
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** Parts as multipart/form-data, spelled as browsers spell it. The same parts give the same bytes. Source: RFC 7578; HTML, multipart form data */
export function formOf(parts: readonly FormPart[]): Form {
  const boundary = boundaryFor(Buffer.concat(parts.flatMap((part) => [Buffer.from(headOf(part)), contentOf(part)])));
  const body = joined(parts, boundary);
  return { contentType: `multipart/form-data; boundary=${boundary}`, body };
}

const pieces = new WeakMap<Uint8Array, readonly Uint8Array[]>();

/** What the body of a form was put together from; undefined for any other body. */
export function piecesOf(body: Uint8Array): readonly Uint8Array[] | undefined {
  return pieces.get(body);
}

/** Contents stay as they are, so that a report can say where they came from; what stands between them is one piece each. */
function joined(parts: readonly FormPart[], boundary: string): Uint8Array {
  const made: Uint8Array[] = [];
  let between = '';
  for (const part of parts) {
    between += `--${boundary}\r\n${headOf(part)}`;
    if ('bytes' in part && part.bytes.byteLength > 0) {
      made.push(Buffer.from(between), part.bytes);
      between = '';
    } else if ('text' in part) between += part.text.toWellFormed();
    between += '\r\n';
  }
  made.push(Buffer.from(`${between}--${boundary}--\r\n`));
  const body = Buffer.concat(made);
  pieces.set(body, made);
  return body;
}

/** A boundary that does not occur in the content. */
function boundaryFor(content: Buffer): string {
  for (let attempt = 0; ; attempt += 1) {
    const digest = createHash('sha256').update(`${attempt} `).update(content).digest('hex');
    const boundary = `----SvcConformance${digest.slice(0, 16)}`;
    if (!content.includes(boundary)) return boundary;
  }
}

function headOf(part: FormPart): string {
  const disposition = `Content-Disposition: form-data; name="${escaped(part.name)}"`;
  if ('text' in part) return `${disposition}\r\n\r\n`;
  return `${disposition}; filename="${escaped(part.fileName)}"\r\nContent-Type: ${part.type}\r\n\r\n`;
}

function contentOf(part: FormPart): Uint8Array {
  return 'text' in part ? Buffer.from(part.text.toWellFormed()) : part.bytes;
}

function escaped(name: string): string {
  return name.toWellFormed().replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
