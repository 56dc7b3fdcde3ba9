import { randomUUID } from 'node:crypto';
import { link, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isoTime } from '../clock/iso-time.ts';
import type { Service } from '../service.ts';
import type { BulkReport } from './report.ts';
import type { BulkRequest } from './request.ts';

const logName = /^\.?FileUpload_\d{14}(?:_\d+)?\.log(?:\.[0-9a-f-]{36})?$/;

/** Whether a file in the root of a source is the log of an earlier run, or what is left of one. */
export function isLogName(name: string): boolean {
  return logName.test(name);
}

/** @param at ms since the epoch @param count further runs that ended in the same second. Source: ledger bulk-log-schema */
export function bulkLogName(at: number, count: number): string {
  const stamp = isoTime(at).replaceAll(/\D/g, '').slice(0, 14);
  return `FileUpload_${stamp}${count === 0 ? '' : `_${count}`}.log`;
}

export function writesLog({ writeLog }: BulkRequest): boolean {
  return writeLog;
}

export function bulkLogText(report: BulkReport): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}

/** Leaves the log in the root of the source, whole from the moment it can be seen. */
export async function writeBulkLog(service: Service, source: string, report: BulkReport): Promise<void> {
  const { bulkLogName: nameOf, bulkLogText: textOf } = service.behaviours;
  const at = service.clock.now();
  const draft = join(source, `.${nameOf(at, 0)}.${randomUUID()}`);
  try {
    await written(draft, textOf(report));
    for (let count = 0; !(await named(draft, join(source, nameOf(at, count)))); count += 1);
  } finally {
    await unlink(draft).catch(() => undefined);
  }
}

async function written(path: string, text: string): Promise<void> {
  await using file = await open(path, 'wx');
  await file.writeFile(text);
  await file.sync();
}

/** Whether the name was free. */
async function named(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
