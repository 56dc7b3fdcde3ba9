import { join } from 'node:path';
import { exportTraffic } from '../simulator/traffic/export/export.ts';
import { ExportError, type TrafficExport } from '../simulator/traffic/export/plan.ts';
import { UsageError } from './usage.ts';

/** Writes the folder that k6 makes the traffic from, and says what to do next. Resolves with the exit code. @throws {UsageError} it cannot be exported */
export async function exportTo(directory: string, what: TrafficExport): Promise<number> {
  try {
    const { files, variables, remarks } = await exportTraffic(what, directory);
    process.stdout.write(
      [
        ...files.map((file) => join(directory, file)),
        '',
        `Credentials come from ${variables.join(', ')}.`,
        ...remarks,
        `${join(directory, 'README.md')} tells how to run it on one machine, on several and in a cluster.`,
        '',
      ].join('\n'),
    );
    return 0;
  } catch (error) {
    if (error instanceof ExportError || error instanceof TypeError || error instanceof RangeError)
      throw new UsageError(error.message);
    throw error;
  }
}
