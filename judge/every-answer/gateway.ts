import type { Reply } from '../exchange.ts';

/** Statuses by which something before the service says that the service is away, or too slow. */
export function isGatewayStatus(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
}

/** Whether something before the service answered in its place: services say such things as well, and then in JSON. */
export function isFromGateway(reply: Pick<Reply, 'status' | 'json'>): boolean {
  return isGatewayStatus(reply.status) && reply.json === undefined;
}

export function gatewaySentence({ status, exchange: { request } }: Reply): string {
  // by which some say that there are too many requests as well
  const often = status === 503 ? '; where it refuses what comes too fast, lower limits.requestsPerSecond' : '';
  return `a gateway answered ${status} for ${request.method} ${request.url}: start the service behind it, or correct baseUrl${often}`;
}
