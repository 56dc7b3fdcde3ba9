import { Ajv } from 'ajv';
import { readFileSync } from 'node:fs';
import { lastBucket } from './buckets.ts';
import { countsSchema, type SegmentCounts } from './counts.ts';
import { MergeError } from './merge-error.ts';

const isCounts = new Ajv({ allErrors: false }).compile<SegmentCounts>(countsSchema);

/** What a segment counted. @throws {MergeError} the file cannot be read, or holds something else */
export function readCounts(file: string): SegmentCounts {
  const value = valueIn(file);
  if (!isCounts(value)) {
    const [error] = isCounts.errors ?? [];
    throw new MergeError(
      `Expected the counts of a segment in ${file}, found that ${error?.instancePath || 'the document'} ${error?.message ?? 'is something else'}. ${advice}`,
    );
  }
  for (const [op, { accepted, errors }] of Object.entries(value.operations))
    for (const bucket of [...Object.keys(accepted), ...Object.keys(errors)])
      if (!/^\d+$/.test(bucket) || Number(bucket) > lastBucket)
        throw new MergeError(
          `Expected latency buckets from 0 to ${lastBucket} in ${file}, found ${bucket} of ${op}. Export and merge by the same version.`,
        );
  return value;
}

const advice = 'Name the counts.json that the exported script wrote.';

function valueIn(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new MergeError(
      `Cannot read ${file} (${error instanceof Error ? error.message : String(error)}); name an existing file.`,
    );
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new MergeError(
      `Expected JSON in ${file}, found ${text.length === 0 ? 'nothing' : 'something else'}. ${advice}`,
    );
  }
}
