import type { FaultsOf } from '../fault.ts';
import { endpointFaults } from './endpoints.ts';
import { envelopeFaults } from './envelope.ts';
import { payloadFaults } from './payload.ts';
import { tokenFaults } from './token.ts';

export const callsFaults: FaultsOf<'calls'> = {
  ...envelopeFaults,
  ...tokenFaults,
  ...payloadFaults,
  ...endpointFaults,
};
