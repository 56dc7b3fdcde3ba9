import type { Exchange } from '../../judge/exchange.ts';
import { harText, type HarExchange } from '../cassette/har.ts';
import { isOrder, type Told } from './told.ts';

/** The exchanges of a script as they were recorded, as an HTTP archive. */
export function harFile(told: Told, run: { readonly startedAt: string; readonly suiteVersion: string }): string {
  const { rule, expected, actual, repetition } = told;
  const exchanges = repetition.steps
    .filter((step) => !isOrder(step) && step.file === undefined && step.isOfToken !== true)
    .map(({ exchange }) => withBytes(exchange, Date.parse(run.startedAt)));
  return harText(exchanges, {
    suiteVersion: run.suiteVersion,
    comment: `${rule}: expected ${expected}, found ${actual}`,
  });
}

function withBytes({ request, response, sentAt, durationMs }: Exchange, runStartedAt: number): HarExchange {
  const { body, ...head } = request;
  return {
    startedAt: runStartedAt + sentAt,
    durationMs,
    request: { ...head, ...(body !== undefined && { body: Buffer.from(body) }) },
    ...(response && { response: { ...response, body: Buffer.from(response.body) } }),
  };
}
