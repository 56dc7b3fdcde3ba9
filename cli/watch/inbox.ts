import type { Event } from './asked.ts';

/** Events in their order, the newest in the place of those that nobody took yet. */
export interface Inbox {
  put(event: Event): void;
  /** The next event; undefined as soon as the signal aborts. */
  next(): Promise<Event | undefined>;
}

export function openInbox(signal: AbortSignal): Inbox {
  let waiting: Event | undefined;
  let wake: () => void = () => undefined;
  signal.addEventListener('abort', () => wake(), { once: true });
  return {
    put: (event) => {
      waiting = waiting === undefined ? event : merged(waiting, event);
      wake();
    },
    next: async () => {
      if (waiting === undefined && !signal.aborted) await new Promise<void>((resolve) => (wake = resolve));
      const event = waiting;
      waiting = undefined;
      return signal.aborted ? undefined : event;
    },
  };
}

/** A key says what to judge, and takes nothing from what has changed. */
function merged(one: Event, other: Event): Event {
  if (one.kind === 'change' && other.kind === 'change')
    return { kind: 'change', files: new Set([...one.files, ...other.files]) };
  return other.kind === 'change' ? one : other;
}
