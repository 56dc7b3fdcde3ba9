import { piecesOf } from '../files/form.ts';
import { recipeOf } from '../files/generated-bytes.ts';
import { printfFormat } from './quote.ts';

const longestInlineBytes = 16_384;

/** The shortest command for a POSIX shell that prints these very bytes; undefined for so many that none is short. */
export function bodyPipe(bytes: Uint8Array): string | undefined {
  const commands = [inline(bytes), recipeOf(bytes), inPieces(bytes)].filter((command) => command !== undefined);
  return commands.toSorted((a, b) => a.length - b.length)[0];
}

function inline(bytes: Uint8Array): string | undefined {
  if (bytes.byteLength > longestInlineBytes) return undefined;
  const escaped = `printf ${printfFormat(bytes)}`;
  const base64 = `printf %s ${Buffer.from(bytes).toString('base64')} | base64 -d`;
  return escaped.length <= base64.length ? escaped : base64;
}

/** A form, of which some part may be generated. */
function inPieces(bytes: Uint8Array): string | undefined {
  const commands = piecesOf(bytes)?.map((piece) => recipeOf(piece) ?? inline(piece));
  if (commands === undefined || commands.includes(undefined)) return undefined;
  return `{ ${commands.join('; ')}; }`;
}
