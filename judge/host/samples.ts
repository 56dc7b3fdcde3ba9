import { Inconclusive } from '../violation.ts';
import type { Samples } from './host.ts';

/** Samples whose absence is told. */
export function openSamples(all: Samples['all'] = {}): Samples {
  return {
    all,
    get validation() {
      return present(all.validation, 'validation');
    },
    action: (name) => present(all.action?.[name], `action.${name}`),
    task: (name) => present(all.task?.[name], `task.${name}`),
  };
}

function present<T>(sample: T | undefined, key: string): T {
  if (sample === undefined)
    throw new Inconclusive(
      `a payload with a known outcome is missing: add extensionHost.samples.${key} to the profile`,
    );
  return sample;
}
