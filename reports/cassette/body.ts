import { isUtf8 } from 'node:buffer';

export function textOf(body: Uint8Array | undefined): string | undefined {
  return body === undefined || !isUtf8(body) ? undefined : Buffer.from(body).toString();
}

export function base64Of(body: Uint8Array): string {
  return Buffer.from(body).toString('base64');
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
