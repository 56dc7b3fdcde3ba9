// For k6: the visit of bench/traffic/hand-written.ts. What it needs comes as JSON in PLAN.
import http from 'k6/http';

interface Plan {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  readonly objectIds: readonly string[];
  readonly hotIds: readonly string[];
  readonly read: string;
  readonly page: string;
  readonly edit: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly versionHeader: string;
}

/** What an answer to a read is looked at for. */
interface Read {
  readonly version: number;
  readonly links: readonly { readonly rel: string; readonly pages: number }[];
}

const plan = JSON.parse(__ENV['PLAN'] ?? '{}') as Plan;
const { headers } = plan;
const one = (ids: readonly string[]): string => ids[Math.floor(Math.random() * ids.length)] ?? '';
const at = (path: string, oid: string): string => plan.url + path.replace('OBJECTID', oid);
const read = (oid: string): Read => http.get(at(plan.read, oid), { headers }).json() as unknown as Read;

export const options = {
  scenarios: {
    visits: {
      executor: 'constant-vus',
      vus: plan.connections,
      duration: `${plan.seconds}s`,
      exec: 'visit',
      gracefulStop: '0s',
    },
  },
};

export function visit(): void {
  const oid = one(plan.objectIds);
  const pages = read(oid).links.find(({ rel }) => rel === 'page')?.pages ?? 0;
  for (let page = 0; page < pages; page += 1)
    http.get(at(plan.page, oid).replace('PAGENUMBER', String(page)), { headers });
  const hot = one(plan.hotIds);
  const { version } = read(hot);
  http.patch(at(plan.edit, hot), JSON.stringify({ note: `${__VU}.${__ITER}` }), {
    headers: { ...headers, 'Content-Type': 'application/json', [plan.versionHeader]: String(version) },
  });
}
