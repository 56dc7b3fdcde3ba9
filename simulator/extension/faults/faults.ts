import type { RuleId } from '../../../contract/rule.ts';
import { apiKeysFaults } from './api-keys.ts';
import { callsFaults } from './calls.ts';
import type { Fault } from './fault.ts';
import { metadataFaults } from './metadata.ts';
import { signingFaults } from './signing.ts';
import { tasksFaults } from './tasks.ts';

/** A fault of the host by the rule it breaks, or the control, which changes nothing that can be seen from outside. */
export type HostFaultId = RuleId | 'control';

const faults: Readonly<Partial<Record<HostFaultId, Fault>>> = {
  control: (behaviours) => ({ ...behaviours }),
  ...metadataFaults,
  ...signingFaults,
  ...callsFaults,
  ...tasksFaults,
  ...apiKeysFaults,
};

/** The fault of that id. @throws {RangeError} there is none */
export function hostFaultOf(id: HostFaultId): Fault {
  const fault = faults[id];
  if (fault === undefined)
    throw new RangeError(`There is no fault ${id} of extension hosts; rules about them that can fail have one.`);
  return fault;
}

/** Whether there is a fault of that id. */
export function hasHostFault(id: string): id is HostFaultId {
  return Object.hasOwn(faults, id);
}
