/** Why a run ends before its last case: a sentence without a full stop. The first reason stays. */
export interface Stop {
  readonly signal: AbortSignal;
  readonly reason: string | undefined;
  now(reason: string): void;
}

export function newStop(): Stop {
  const controller = new AbortController();
  return {
    signal: controller.signal,
    get reason(): string | undefined {
      return controller.signal.aborted ? String(controller.signal.reason) : undefined;
    },
    now: (reason) => controller.abort(reason),
  };
}

/** Stops on the total deadline, on the caller's signal, and when the thread of the cases dies. Returns what ends the watch. */
export function watch(stop: Stop, totalSeconds: number, interrupted: AbortSignal | undefined): () => void {
  const timer = setTimeout(
    () => stop.now(`the run took longer than ${totalSeconds} s (limits.totalSeconds)`),
    totalSeconds * 1000,
  );
  const interrupt = (): void =>
    stop.now(`interrupted${interrupted?.reason instanceof Error ? '' : `: ${String(interrupted?.reason)}`}`);
  // vitest reports the death of a worker thread as an error that nobody listens for
  const crash = (error: unknown): void =>
    stop.now(`the thread of the cases died: ${error instanceof Error ? error.message : String(error)}`);
  process.on('uncaughtException', crash);
  interrupted?.addEventListener('abort', interrupt, { once: true });
  if (interrupted?.aborted === true) interrupt();
  return () => {
    clearTimeout(timer);
    process.off('uncaughtException', crash);
    interrupted?.removeEventListener('abort', interrupt);
  };
}
