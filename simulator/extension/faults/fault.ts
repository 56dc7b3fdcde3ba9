import type { Area } from '../../../contract/areas.ts';
import type { Behaviours } from '../behaviours.ts';

/** A wrong variant of the host: gets its record of behaviours, returns one with something replaced. Called once per host. */
export type Fault = (behaviours: Behaviours) => Behaviours;

/** Faults by the rule about hosts that they break. */
export type FaultsOf<A extends Area> = Readonly<Record<`${A}.${string}`, Fault>>;

/** The fault that wraps one named behaviour. */
export function replacing<Name extends keyof Behaviours>(
  name: Name,
  wrong: (right: Behaviours[Name]) => Behaviours[Name],
): Fault {
  return (behaviours) => ({ ...behaviours, [name]: wrong(behaviours[name]) });
}

/** The fault that is several at once. */
export function together(...faults: readonly Fault[]): Fault {
  return (behaviours) => faults.reduce((record, fault) => fault(record), behaviours);
}
