import { isUtf8 } from 'node:buffer';
import type { RecordedExchange } from '../../judge/cassette/exchanges.ts';

export function textOf(body: Uint8Array | undefined): string | undefined {
  return body === undefined || !isUtf8(body) ? undefined : Buffer.from(body).toString();
}

export function base64Of(body: Uint8Array): string {
  return Buffer.from(body).toString('base64');
}

/** What asks for tokens around the cases holds what stands for a password: whoever sends the rest brings a token for each variable. */
export function withoutGrants(exchanges: readonly RecordedExchange[]): readonly RecordedExchange[] {
  const isGrant = ({ part, request }: RecordedExchange): boolean =>
    part === 'run' && textOf(request.body)?.includes('grant_type=password') === true;
  return exchanges.filter((exchange) => !isGrant(exchange));
}

/** The variables for which whoever sends requests brings credentials. */
export function variablesIn(exchanges: readonly RecordedExchange[]): readonly string[] {
  return [...new Set(exchanges.flatMap(({ variable }) => variable ?? []))];
}

/** Headers with the variable in the place of a credential that is known. */
export function withVariable(
  headers: readonly (readonly [string, string])[],
  variable: string | undefined,
): readonly (readonly [string, string])[] {
  if (variable === undefined) return headers;
  return headers.map(([name, value]) =>
    name.toLowerCase() === 'authorization' ? [name, value.replace(/\S+$/, `{{${variable}}}`)] : [name, value],
  );
}
