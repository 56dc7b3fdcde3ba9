import type { Option } from 'commander';
import { flag } from './row.ts';

/** Flags of a comparison with a second implementation. */
export function againstFlags(): readonly Option[] {
  return [
    flag(
      '--against <profile-or-url>',
      'give a second implementation the same requests and list what it does differently; to a base URL the credentials of the first are sent; 1 where either breaks a rule',
    ),
    flag('--against-token <token>', 'access token of the editor there; the variable keeps it out of process lists').env(
      'SVC_AGAINST_TOKEN',
    ),
  ];
}
