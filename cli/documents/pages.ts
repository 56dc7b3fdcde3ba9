import { profileSchema } from '../../contract/profile.ts';
import { cliPage } from './cli-page.ts';
import { profilePage } from './profile-page.ts';
import { rulesPage } from './rules-page.ts';

/** A document that is made from schema, rows or commands. */
export interface Page {
  /** From the root of the package on. */
  readonly path: string;
  readonly text: () => string;
}

/** Every document that `npm run docs` writes. */
export const pages: readonly Page[] = [
  { path: 'docs/profile.schema.json', text: profileSchemaText },
  { path: 'docs/profile.md', text: profilePage },
  { path: 'docs/rules.md', text: rulesPage },
  { path: 'docs/cli.md', text: cliPage },
];

function profileSchemaText(): string {
  return `${JSON.stringify({ $schema: 'http://json-schema.org/draft-07/schema#', ...profileSchema }, null, 2)}\n`;
}
