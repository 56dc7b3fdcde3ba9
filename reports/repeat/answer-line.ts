import type { ScriptPart } from '../../judge/repeat/repetition.ts';

/** A line of an answer, taken apart. */
export type AnswerLine =
  | { readonly kind: 'header'; readonly name: string; readonly value: readonly ScriptPart[] }
  /** A scalar of a JSON body, as it is written there. */
  | { readonly kind: 'member'; readonly pointer: string; readonly value: readonly ScriptPart[] }
  | { readonly kind: 'object'; readonly pointer: string }
  | { readonly kind: 'array'; readonly pointer: string }
  /** There is no body. */
  | { readonly kind: 'empty' };

/** Undefined where it is a checksum of something, or a name in it is another one each time. */
export function answerLineOf([first, ...rest]: readonly ScriptPart[]): AnswerLine | undefined {
  if (first === undefined || !('text' in first)) return undefined;
  const [member, pointer = ''] = /^((?:\/\S*)?) = /.exec(first.text) ?? [];
  if (member !== undefined) {
    const text = first.text.slice(member.length);
    if (rest.length === 0 && (text === '{' || text === '['))
      return { kind: text === '{' ? 'object' : 'array', pointer };
    return { kind: 'member', pointer, value: [{ text }, ...rest] };
  }
  if (rest.length === 0 && first.text === sumOfNothing) return { kind: 'empty' };
  const [header, name = ''] = /^([\w-]+): /.exec(first.text) ?? [];
  if (header === undefined || name === 'cksum') return undefined;
  return { kind: 'header', name, value: [{ text: first.text.slice(header.length) }, ...rest] };
}

const sumOfNothing = 'cksum: 4294967295 0';

export function segmentsOf(pointer: string): readonly string[] {
  const [, ...segments] = pointer.split('/');
  return segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}
