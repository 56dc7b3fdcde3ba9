import type { Need } from '../../contract/needs.ts';
import type { IdentityName } from '../../contract/profile.ts';
import { replyOf } from '../client/reply.ts';
import { absoluteUrl } from '../requests/absolute-url.ts';
import { examined, inTurn, type Bench, type Examination } from './examination.ts';
import { aboutReply } from './examine-routes.ts';

interface Read {
  readonly key: string;
  readonly needs: readonly Need[];
  readonly url: string;
  readonly as?: IdentityName;
  /** Bearer token in the place of that of an identity. */
  readonly token?: string | undefined;
}

/** Everything that the profile says can be read: collection, cached resources, log, clock. */
export async function examineReads(bench: Bench): Promise<readonly Examination[]> {
  const { all } = bench.context.profile;
  const { log } = all.probes ?? {};
  const { control } = all.time ?? {};
  const reads: readonly Read[] = [
    ...(all.collection?.reads ?? []).map((url) => ({
      key: 'collection.reads',
      needs: ['collection-route'] as const,
      url,
      as: callerOf(bench),
    })),
    ...(all.caching?.resources ?? []).map(({ path, as }) => ({
      key: 'caching.resources',
      needs: ['etag-resource'] as const,
      url: path,
      as: as ?? 'editor',
    })),
    ...(log?.url === undefined
      ? []
      : [
          {
            key: 'probes.log.url or probes.log.token',
            needs: ['log-probe'] as const,
            url: log.url.replaceAll('{correlationId}', 'probe'),
            token: log.token,
          },
        ]),
    ...(control === undefined
      ? []
      : [
          {
            key: 'time.control.url or time.control.token',
            needs: ['clock-control'] as const,
            url: control.url,
            token: control.token,
          },
        ]),
  ];
  return inTurn(reads, (read) =>
    examined(bench, `GET ${read.url}`, read.needs, async () => aboutReply(await answerTo(bench, read), read.key)),
  );
}

function callerOf({ context }: Bench): IdentityName {
  return context.profile.all.identities.administrator === undefined ? 'editor' : 'administrator';
}

async function answerTo({ context, session, record }: Bench, { url, as, token }: Read) {
  if (as !== undefined) return context.service.send({ method: 'GET', url, as });
  const headers = token === undefined ? [] : [['Authorization', `Bearer ${token}`] as const];
  const absolute = absoluteUrl(context.profile.all, url);
  const sender = { reuse: false, retries: [], add: (sent: Parameters<typeof record.add>[0]) => record.add(sent) };
  return replyOf(await session.client.send({ method: 'GET', url: absolute, headers }, sender), absolute);
}
