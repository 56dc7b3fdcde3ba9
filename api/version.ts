import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

/** Version of this package, also when it runs built from `dist`. */
export function packageVersion(): string {
  const file = findPackageJSON(import.meta.url);
  if (file === undefined)
    throw new Error('Expected a package.json above this file, found none: install the package again.');
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string };
  return version;
}
