import { badgeOf } from './badge.ts';
import type { Run } from './run.ts';
import { printableJson } from './text.ts';

/** What a badge server asks an endpoint for: the schema of shields.io, version 1. */
export function writeBadgeJson(run: Run): string {
  return writeBadgeJsonOfAll([run]);
}

/** One badge for all runs together. */
export function writeBadgeJsonOfAll(runs: readonly Run[]): string {
  const { label, message, color, isError } = badgeOf(runs);
  return printableJson({ schemaVersion: 1, label, message, color, isError });
}
