import { type HostFaultChoice, rightAreas } from '../../simulator/extension/host.ts';
import { together } from './breaks.ts';
import { callFreedoms } from './call-choices.ts';
import type { Freedom, HostChoice } from './choice.ts';
import { metadataFreedoms } from './metadata-choices.ts';
import { taskFreedoms } from './task-choices.ts';
import { wireFreedoms } from './wire-choices.ts';

/** All that an extension host may do otherwise than the bundled one, innermost first. */
export const hostFreedoms: readonly Freedom[] = [
  ...wireFreedoms,
  ...metadataFreedoms,
  ...callFreedoms,
  ...taskFreedoms,
];

const all: readonly HostChoice[] = hostFreedoms.flatMap(({ choices }) => choices);

/** One choice of each freedom: the first, or the last. */
export function dialectOfHost(name: 'first' | 'last'): readonly HostChoice[] {
  return hostFreedoms.flatMap(({ choices }) => choices.at(name === 'first' ? 0 : -1) ?? []);
}

/** The choices of these names, in the order of the table. @throws {RangeError} there is no such choice */
export function hostChoices(names: readonly string[]): readonly HostChoice[] {
  const unknown = names.find((name) => !all.some(({ meets }) => meets === name));
  if (unknown !== undefined) throw new RangeError(`Expected the name of a choice of a host, found "${unknown}".`);
  return all.filter(({ meets }) => names.includes(meets));
}

/** What a host that takes the choices is made of. */
export function hostTaking(choices: readonly HostChoice[]): HostFaultChoice {
  const variant = together(...choices.flatMap(({ by }) => by ?? []));
  return { initial: [], known: () => [], areasWith: () => variant(rightAreas) };
}
