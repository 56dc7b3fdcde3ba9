import { spellingsOf } from './redact.ts';

/** Whether the text holds the secret in one of the spellings under which it travels. */
export function isSecretText(text: string, secret: string): boolean {
  return spellingsOf(secret).some((spelling) => text.includes(spelling));
}
