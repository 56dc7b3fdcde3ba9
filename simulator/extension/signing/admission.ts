import type { Entry } from '../entry.ts';
import type { WorkingHost } from '../working-host.ts';

/** Whether a request is let in: signed with the host's key over its path, where the host has one. Source: extensions, Authentication 3 */
export function isAdmitted(host: WorkingHost, entry: Entry): boolean {
  return host.apiKey === undefined || host.keys.isCallback(entry) || entry.signature?.ok === true;
}
