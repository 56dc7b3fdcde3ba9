import { isoTime } from '../clock/iso-time.ts';
import type { FileArea } from '../files/file-store.ts';
import type { BulkRequest } from './request.ts';

/** What became of one file. */
export interface BulkFile {
  /** From the source directory on. */
  readonly path: string;
  /** `skipped` where a file is there that may not be replaced. */
  readonly status: 'uploaded' | 'replaced' | 'skipped' | 'failed';
  /** In bytes. */
  readonly size?: number;
  readonly error?: string;
}

/** What a run did: the answer, and the content of the log. Source: ledger bulk-response, bulk-log-schema */
export interface BulkReport {
  readonly settings: BulkRequest & { readonly area: FileArea };
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly files: readonly BulkFile[];
  readonly errors: readonly BulkError[];
  readonly statistics: Readonly<Record<BulkFile['status'] | 'total', number>>;
}

export interface BulkError {
  /** Absent for an error of the whole run. */
  readonly path?: string;
  readonly error: string;
}

/** @param from when the run began, @param to when it ended; ms since the epoch */
export function bulkReportOf(
  settings: BulkReport['settings'],
  files: readonly BulkFile[],
  from: number,
  to: number,
): BulkReport {
  const count = (status: BulkFile['status']): number => files.filter((file) => file.status === status).length;
  return {
    settings,
    startedAt: isoTime(from),
    finishedAt: isoTime(to),
    files,
    errors: files.flatMap(({ path, error }) => (error === undefined ? [] : [{ path, error }])),
    statistics: {
      total: files.length,
      uploaded: count('uploaded'),
      replaced: count('replaced'),
      skipped: count('skipped'),
      failed: count('failed'),
    },
  };
}
