import { parentPort } from 'node:worker_threads';
import { judgeVariant, type Variant } from './judge-variant.ts';

/** What a thread answers for each variant that it is sent. */
export type VariantAnswer = { readonly outcomes: Awaited<ReturnType<typeof judgeVariant>> } | { readonly error: string };

parentPort?.on('message', (variant: Variant) => {
  const answer = (message: VariantAnswer): void => parentPort?.postMessage(message);
  judgeVariant(variant).then(
    (outcomes) => answer({ outcomes }),
    (error: unknown) => answer({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
