/** Fewer bytes are guessed too easily. Source: ledger signature-key-format */
export const fewestAdministrationKeyBytes = 16;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** What is wrong with a key, without a word of it; undefined for one that can be used. */
export function administrationKeyComplaint(key: string): string | undefined {
  const found = base64.test(key) ? `${Buffer.from(key, 'base64').length} bytes` : 'no Base64';
  if (base64.test(key) && Buffer.from(key, 'base64').length >= fewestAdministrationKeyBytes) return undefined;
  return `the administration key must be Base64, with padding, of ${fewestAdministrationKeyBytes} random bytes or more; found ${found}`;
}
