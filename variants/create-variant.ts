import { type AreaClasses, rightAreas } from '../reference-server/areas.ts';
import type { Faults } from '../reference-server/control/faults.ts';
import { createServer, type Server, type ServerOptions } from '../reference-server/server.ts';
import { together, type Variant } from './breaks.ts';
import { type Dialect, dialectOf } from './dialect/dialects.ts';
import { faultOf, type FaultId, faults as allFaults } from './faults.ts';

export interface VariantOptions extends Omit<ServerOptions, 'areas' | 'faults'> {
  /** Rules that the server breaks; a fault that is no rule's can be handed over itself. */
  readonly faults?: readonly (FaultId | Variant)[];
  /** Other answers to what the documents leave open. */
  readonly dialect?: Dialect;
}

/**
 * A reference server, with faults and in a dialect where they are asked for. Faults stand under the dialect: a strange server that breaks a
 * rule breaks it strangely. @throws {ConfigurationError | RangeError} a file or a fault that is not right
 */
export function createVariant({ faults = [], dialect, ...options }: VariantOptions = {}): Server {
  const initial = faults.filter((fault) => typeof fault === 'string');
  const all = faultsWith(
    faults.filter((fault) => typeof fault === 'function'),
    dialect,
  );
  const areas = (): AreaClasses => all.areasWith(initial);
  // an id that nobody knows is refused here and not when a run of the server begins
  areas();
  return createServer({ ...options, faults: { initial, areas, all: async () => all } });
}

/** Every fault, on top of what else is wrong and under a dialect, where there is one. */
export function faultsWith(wrongs: readonly Variant[] = [], dialect?: Dialect): Faults {
  const strange = dialect === undefined ? [] : [dialectOf(dialect)];
  return {
    known: Object.keys(allFaults),
    areasWith: (ids) => together(...wrongs, ...ids.map(faultOf), ...strange)(rightAreas),
  };
}
