import { createRequire } from 'node:module';
import { extname } from 'node:path';
import type { FormatName } from '../reports/formats.ts';
import type { Run } from '../reports/run.ts';
import type * as rendering from './rendering.ts';

const require = createRequire(import.meta.url);

/**
 * A document about a run, or one about several: `text` for a terminal, `markdown`, `html`, `json`, `junit`, `sarif`, `ctrf`, `badge` (SVG) and
 * `badge-json`. No secret of a profile is in it. @throws {UnknownFormat | OptionError} with the nearest format; nothing that was judged
 */
export function render(format: FormatName | 'text', outcomes: Run | readonly Run[]): string {
  // all reports at once, for those who ask for one: most of what this package would load otherwise
  const { documentOf }: typeof rendering = require(`./rendering${extname(import.meta.url)}`);
  return documentOf(format, outcomes);
}
