import { unknownName } from '../contract/spelling.ts';
import { writeBadge, writeBadgeJson, writeBadgeJsonOfAll, writeBadgeOfAll } from './badge.ts';
import { writeCtrf, writeCtrfOfAll } from './ctrf.ts';
import { writeJson, writeJsonOfAll } from './json.ts';
import { writeJunit, writeJunitOfAll } from './junit.ts';
import { markdownText, stepSummaryBytes } from './markdown.ts';
import { pageText } from './page/page.ts';
import { runPage } from './run-page.ts';
import { runSummary } from './run-summary.ts';
import type { Run } from './run.ts';
import { writeSarif, writeSarifOfAll } from './sarif.ts';

export interface Format {
  /** Of its files, without the dot. */
  readonly extension: string;
  readonly write: (run: Run) => string;
  /** One document about several runs. */
  readonly writeAll: (runs: readonly Run[]) => string;
}

/** Documents that a run, or the outcomes of an earlier one, can be made into. */
export const formats = {
  json: { extension: 'json', write: writeJson, writeAll: writeJsonOfAll },
  junit: { extension: 'xml', write: writeJunit, writeAll: writeJunitOfAll },
  markdown: { extension: 'md', write: writeMarkdown, writeAll: writeMarkdownOfAll },
  html: { extension: 'html', write: writeHtml, writeAll: writeHtmlOfAll },
  badge: { extension: 'svg', write: writeBadge, writeAll: writeBadgeOfAll },
  'badge-json': { extension: 'json', write: writeBadgeJson, writeAll: writeBadgeJsonOfAll },
  sarif: { extension: 'sarif', write: writeSarif, writeAll: writeSarifOfAll },
  ctrf: { extension: 'json', write: writeCtrf, writeAll: writeCtrfOfAll },
} as const satisfies Record<string, Format>;

/** Name of a format. */
export type FormatName = keyof typeof formats;

/** A format that is asked for and does not exist. */
export class UnknownFormat extends Error {
  readonly code = 'UNKNOWN_FORMAT';
}

/** The format of that name. @throws {UnknownFormat} names the nearest one. */
export function formatOf(name: string): Format {
  const found = Object.entries(formats).find(([known]) => known === name);
  if (found !== undefined) return found[1];
  throw new UnknownFormat(unknownName('report format', name, Object.keys(formats)));
}

/** A page of one run that fits a step summary: the table by area, then what needs a reader. */
export function writeMarkdown(run: Run): string {
  return writeMarkdownOfAll([run]);
}

/** One page with a section a run; every run gets the same share of the space. */
export function writeMarkdownOfAll(runs: readonly Run[]): string {
  const mostBytes = Math.floor(stepSummaryBytes / Math.max(1, runs.length));
  return runs.length === 0 ? '\n' : runs.map((run) => markdownText(runSummary(run), { mostBytes })).join('\n');
}

/** One file about one run that asks nothing of any network. */
export function writeHtml(run: Run): string {
  return writeHtmlOfAll([run]);
}

/** One page with an article a run. */
export function writeHtmlOfAll(runs: readonly Run[]): string {
  const names = [...new Set(runs.map(({ header }) => header.implementation))];
  return pageText(`Conformance of ${names.join(', ')}`, runs.map(runPage));
}
