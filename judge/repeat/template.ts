import type { Part, Secrets } from '../redact/redact.ts';
import { signatureCommand, signatureOver } from '../service/signature.ts';
import type { ScriptPart } from './repetition.ts';

/** A text of which parts are known only when it is sent. Secrets stand in it as they are: it never leaves the judge. */
export type Template = readonly Piece[];
type Piece = { readonly text: string } | { readonly variable: string } | Signed;

/** The signature of a path under the key that a variable holds. */
interface Signed {
  readonly signed: string;
  readonly under: string;
}

export type Values = Pick<ReadonlyMap<string, string>, 'get'>;

/** The text that stands for it; undefined where a value is not known. */
export function fill(template: Template, values: Values): string | undefined {
  let filled = '';
  for (const piece of template) {
    const text = textOf(piece, values);
    if (text === undefined) return undefined;
    filled += text;
  }
  return filled;
}

function textOf(piece: Piece, values: Values): string | undefined {
  if ('text' in piece) return piece.text;
  if ('variable' in piece) return values.get(piece.variable);
  const key = values.get(piece.under);
  return key === undefined ? undefined : signatureOver(key, piece.signed);
}

/** The variables that it names. */
export function variablesIn(template: Template): readonly string[] {
  return template.flatMap((piece) => {
    if ('text' in piece) return [];
    return 'variable' in piece ? [piece.variable] : [piece.under];
  });
}

/** Puts variables where `nameOf` knows one for what a pattern finds. */
export function cut(
  text: string,
  pattern: RegExp,
  nameOf: (found: string, match: RegExpExecArray) => string | undefined,
): Template {
  const pieces: Piece[] = [];
  let done = 0;
  for (const match of text.matchAll(pattern)) {
    const variable = nameOf(match[0], match);
    if (variable === undefined) continue;
    if (match.index > done) pieces.push({ text: text.slice(done, match.index) });
    pieces.push({ variable });
    done = match.index + match[0].length;
  }
  if (done < text.length || pieces.length === 0) pieces.push({ text: text.slice(done) });
  return pieces;
}

/** The same for every text in a template. */
export function cutFurther(template: Template, each: (text: string) => Template): Template {
  return template.flatMap((piece) => ('text' in piece ? each(piece.text) : [piece]));
}

/** The template with its secrets as variables; undefined where one stands in it in a spelling that no variable can. */
export function withoutSecrets(
  template: Template,
  secrets: Pick<Secrets, 'parts' | 'redact'>,
): ScriptPart[] | undefined {
  const parts: ScriptPart[] = [];
  for (const piece of template) {
    const made = scriptParts(piece, secrets);
    if (made === undefined) return undefined;
    parts.push(...made);
  }
  return parts;
}

function scriptParts(piece: Piece, secrets: Pick<Secrets, 'parts' | 'redact'>): ScriptPart[] | undefined {
  if ('text' in piece) return partsOf(piece.text, secrets);
  if ('variable' in piece) return [piece];
  return [{ command: signatureCommand(piece.signed, piece.under), of: piece.under }];
}

/** A Basic credential made of a secret is told as what it is made of. */
function partsOf(text: string, secrets: Pick<Secrets, 'parts' | 'redact'>): ScriptPart[] | undefined {
  const [, scheme, pair] = /^(Basic )([A-Za-z0-9+/]+={0,2})$/i.exec(text) ?? [];
  if (scheme !== undefined && pair !== undefined && secrets.redact(text) !== text) {
    const inner = plainParts(Buffer.from(pair, 'base64').toString(), secrets);
    return inner === undefined ? undefined : [{ text: scheme }, { base64: inner }];
  }
  return plainParts(text, secrets);
}

function plainParts(text: string, secrets: Pick<Secrets, 'parts' | 'redact'>): Part[] | undefined {
  const parts = secrets.parts(text);
  const isClean = parts.every((part) => !('text' in part) || secrets.redact(part.text) === part.text);
  return isClean ? [...parts] : undefined;
}
