import type { CaseContext } from '../../judge/case.ts';

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The value that a text of standard Base64 holds as JSON; undefined where it is none. */
export function filterIn(text: unknown): unknown {
  if (typeof text !== 'string' || !base64.test(text)) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'base64')));
  } catch {
    return undefined;
  }
}

/** The filter of the profile, with another date where the profile says how one is chosen. */
export function filterAt({ profile }: CaseContext, date: string): Record<string, unknown> {
  const { default: usual, dateMember } = profile.all.informationFilter ?? {};
  return { ...Object(usual), ...(dateMember !== undefined && { [dateMember]: date }) };
}
