/** A signal that aborts on Ctrl-C or SIGTERM; the second one ends the process as usual. */
export interface Interrupt extends Disposable {
  readonly signal: AbortSignal;
}

export function onInterrupt(): Interrupt {
  const controller = new AbortController();
  const abort = (name: NodeJS.Signals): void => controller.abort(name);
  process.once('SIGINT', abort);
  process.once('SIGTERM', abort);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      process.off('SIGINT', abort);
      process.off('SIGTERM', abort);
    },
  };
}
