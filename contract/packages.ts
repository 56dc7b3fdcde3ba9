import type * as ajv from 'ajv';
import { createRequire } from 'node:module';
import type * as yaml from 'yaml';

const require = createRequire(import.meta.url);

/** Loads the package when it is first needed: what starts without a schema or a file of its own does without it. */
export function loadAjv(): typeof ajv {
  return require('ajv');
}

/** As loadAjv. */
export function loadYaml(): typeof yaml {
  return require('yaml');
}
