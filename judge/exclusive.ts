import type { ServiceCase } from './case.ts';

const ends = new Map<string, Promise<void>>();

/** A case that uses something which other cases change, so that only one of the same key runs at a time. */
export function exclusive(key: string, inner: ServiceCase): ServiceCase {
  return { ...inner, run: (context, generation) => inTurn(key, () => inner.run(context, generation)) };
}

function inTurn(key: string, run: () => Promise<void>): Promise<void> {
  const turn = (ends.get(key) ?? Promise.resolve()).then(run);
  ends.set(
    key,
    turn.catch(() => undefined),
  );
  return turn;
}
