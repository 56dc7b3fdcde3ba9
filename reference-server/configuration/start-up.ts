import type { Configuration } from '../configuration.ts';
import { administrationKeyComplaint } from './administration-key.ts';
import { loadConfiguration } from './load.ts';

/** What a server can be started with beyond its configuration. */
export interface StartUpOptions {
  /** That of `fixtures` unless given. */
  readonly configuration?: Configuration;
  /** Base64 of the key that opens bulk upload from the start, in the place of that of the configuration. */
  readonly administrationKey?: string;
  /** Directories of this host that bulk uploads may take files from; any unless given. */
  readonly bulkSources?: readonly string[];
  /** Longest stream upload, in bytes, from 1; 64 MiB unless given. */
  readonly maxStreamBytes?: number;
}

/** @throws {ConfigurationError | RangeError} a file, a key or a number that is not right */
export function startUpConfiguration(options: StartUpOptions): Configuration {
  const { configuration = loadConfiguration(), administrationKey, bulkSources, maxStreamBytes } = options;
  const complaint = administrationKey === undefined ? undefined : administrationKeyComplaint(administrationKey);
  if (complaint !== undefined) throw new RangeError(`${complaint.slice(0, 1).toUpperCase()}${complaint.slice(1)}.`);
  assertStreamLimit(maxStreamBytes);
  return {
    ...configuration,
    ...(administrationKey !== undefined && { administrationKey }),
    ...(bulkSources !== undefined && { bulkSources }),
    ...(maxStreamBytes !== undefined && { maxStreamBytes }),
  };
}

/** @throws {RangeError} */
function assertStreamLimit(bytes = 1): void {
  if (Number.isSafeInteger(bytes) && bytes >= 1) return;
  throw new RangeError(`Expected a stream limit that is a whole number of bytes from 1 on, found ${bytes}.`);
}
