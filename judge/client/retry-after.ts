const repeats = 5;
const longestMs = 60_000;
const unstatedMs = 1000;

/**
 * How long to wait before the request is sent again because the target asked for patience, in ms; undefined where its answer stands.
 * A 429 without Retry-After is taken for one second, doubled each time; a 503 without it is an answer like any other.
 * @param repeated how often it was sent again already
 */
export function waitMsOf(
  status: number,
  retryAfter: string | undefined,
  repeated: number,
  now: number = Date.now(),
): number | undefined {
  if ((status !== 429 && status !== 503) || repeated >= repeats) return undefined;
  if (retryAfter === undefined) return status === 429 ? unstatedMs * 2 ** repeated : undefined;
  const stated = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now;
  if (Number.isNaN(stated) || stated > longestMs) return undefined;
  return Math.max(0, stated);
}
