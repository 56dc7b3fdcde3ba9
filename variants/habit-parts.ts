import { Refusal } from '../reference-server/http/refusal.ts';
import { type Variant, replaces, together } from './breaks.ts';

/** No such value is taken, wherever it stands in what is written. */
export function refusing(isBad: (value: unknown) => boolean): Variant {
  const assert = (value: unknown): void => {
    if (holds(value, isBad)) throw new Refusal(422, 'Such a value is not taken.');
  };
  return together(
    replaces('contents', 'inputFrom', (right, areas, rules, softType, view, body) => {
      assert(body);
      return right(areas, rules, softType, view, body);
    }),
    replaces('operations', 'addValue', async (right, areas, run, target, value, at) => {
      assert(value);
      return right(areas, run, target, value, at);
    }),
    replaces('operations', 'replaceValue', async (right, areas, run, target, value, at) => {
      assert(value);
      return right(areas, run, target, value, at);
    }),
  );
}

function holds(value: unknown, isBad: (value: unknown) => boolean): boolean {
  if (isBad(value)) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some((one) => holds(one, isBad));
}

/** A habit that keeps something from call to call: made anew for each server. */
export function eachServer(make: () => Variant): Variant {
  return (classes) => make()(classes);
}
