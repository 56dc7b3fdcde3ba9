import type { FaultsOf } from '../fault.ts';
import { callbackFaults } from './callback.ts';
import { linkFaults } from './links.ts';
import { payloadFaults } from './payload.ts';
import { statusFaults } from './status.ts';
import { timeoutFaults } from './timeout.ts';

export const tasksFaults: FaultsOf<'tasks'> = {
  ...payloadFaults,
  ...linkFaults,
  ...statusFaults,
  ...callbackFaults,
  ...timeoutFaults,
};
