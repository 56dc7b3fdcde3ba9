import type { Reply } from '../../exchange.ts';
import { isObject } from '../../answer.ts';

/** Clocks may differ by so much without being the cause, in ms. */
const toleratedMs = 5_000;

/** Why a token was refused, where its own times tell: by the clock of the answer it is not valid yet, or no longer. Undefined otherwise. */
export function sentenceAboutTimes(token: string | null, reply: Reply, isStated: boolean): string | undefined {
  const claims = claimsOf(token);
  const answeredAt = Date.parse(reply.headers['date'] ?? '') || Date.now();
  const { method, url } = reply.exchange.request;
  const answered = `${method} ${url} answered ${reply.status} at ${shown(answeredAt)}`;
  const from = Math.max(...['nbf', 'iat'].map((name) => msOf(claims[name]) ?? 0));
  if (from - answeredAt > toleratedMs)
    return `${answered}, and the token of identities.editor is valid from ${shown(from)} on: set the clock of the service, or of the host behind auth.tokenUrl, which differ by ${Math.round((from - answeredAt) / 1000)} s`;
  const until = msOf(claims['exp']);
  if (until === undefined && claims['sub'] !== undefined)
    return `${answered}, and the token of identities.editor has no exp: let the token endpoint (auth.tokenUrl) grant tokens that end, or correct identities.editor`;
  if (until === undefined || until > answeredAt) return undefined;
  const change = isStated
    ? 'put a fresh one into identities.editor.token'
    : 'set the clock of the service, or of the host behind auth.tokenUrl';
  return `${answered}, and the token of identities.editor ended at ${shown(until)}: ${change}`;
}

function claimsOf(token: string | null): Readonly<Record<string, unknown>> {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString());
    return isObject(claims) ? claims : {};
  } catch {
    return {};
  }
}

function msOf(seconds: unknown): number | undefined {
  return typeof seconds === 'number' && Math.abs(seconds) < 1e11 ? seconds * 1000 : undefined;
}

function shown(ms: number): string {
  return new Date(ms).toISOString().replace('.000', '');
}
