import { parseArgs } from 'node:util';

/** Settings of the reference side: the database that `--store postgres://…` names, or else what is given. */
export function storeSettings(usual: { readonly file?: string } = {}): {
  readonly file?: string;
  readonly database?: string;
} {
  const { store } = parseArgs({ options: { store: { type: 'string' } }, strict: false }).values;
  return typeof store === 'string' ? { database: store } : usual;
}
