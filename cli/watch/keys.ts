/** Which rules the next run judges: those of the last run, those that failed last, or all of the selection. */
export type Asked = 'again' | 'failed' | 'all';

/** Where keys come from: standard input, or what a test puts in its place. */
export interface KeySource {
  readonly isTTY?: boolean | undefined;
  setRawMode?(isRaw: boolean): unknown;
  on(event: 'data', listener: (data: Buffer | string) => void): unknown;
  off(event: 'data', listener: (data: Buffer | string) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

export interface KeyListeners {
  readonly onAsked: (asked: Asked) => void;
  readonly onQuit: () => void;
}

const meanings: ReadonlyMap<string, Asked> = new Map([
  ['r', 'again'],
  ['\r', 'again'],
  ['\n', 'again'],
  ['f', 'failed'],
  ['a', 'all'],
]);
/** q, and Ctrl-C and Ctrl-D, which a terminal in raw mode hands over as they are. */
const quitting = new Set(['q', '\u0003', '\u0004']);

/** Hears single keys until disposed; nothing where no person sits at a terminal. */
export function hearKeys(source: KeySource, { onAsked, onQuit }: KeyListeners): Disposable {
  if (source.isTTY !== true) return { [Symbol.dispose]: () => undefined };
  const listener = (data: Buffer | string): void => {
    for (const key of data.toString()) {
      const asked = meanings.get(key.toLowerCase());
      if (asked !== undefined) onAsked(asked);
      if (quitting.has(key.toLowerCase())) onQuit();
    }
  };
  source.setRawMode?.(true);
  source.on('data', listener);
  source.resume();
  return {
    [Symbol.dispose]: () => {
      source.off('data', listener);
      source.setRawMode?.(false);
      source.pause();
    },
  };
}
