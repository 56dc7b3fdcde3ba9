import type { Sender } from '../client.ts';
import type { CalledType } from './records.ts';
import type { Host, HostCall, HostChanges } from './host.ts';
import type { Post } from './post.ts';

/** The calls whose token is told in the query as well. Source: extensions, Calls to extensions */
const withQueryToken: readonly CalledType[] = ['ExternalValidation', 'ExternalTask', 'Email'];
/** The name is not documented; this is that of trusted endpoints. */
const queryTokenName = 'access_token';

export interface HostOptions {
  readonly post: Post;
  readonly sender: Sender;
  /** Told when a call has a query, so that what comes of it stands on how the host takes queries. */
  readonly hasQuery: () => void;
  readonly isPatient?: boolean;
}

/** The host as one case calls it. */
export function openHost(own: HostOptions): Host {
  const { post, sender, isPatient = false } = own;
  const options = (changes: HostChanges = {}) => ({ ...changes, patient: isPatient });
  return {
    hostUri: post.hostUri,
    metadata: (changes) => post.send('GET', post.metadataUrl, options(changes), sender),
    call: (call, changes = {}) => {
      if (withQueryToken.includes(call.record.type) && changes.query !== null) own.hasQuery();
      return post.send(
        changes.method ?? 'POST',
        call.record.url,
        options({ ...tokenQuery(call), body: JSON.stringify(call.envelope), ...changes }),
        sender,
      );
    },
    callAndLeave: ({ record, envelope }) => post.sendAndLeave(record.url, JSON.stringify(envelope), sender),
    send: (method, url, changes) => post.send(method, url, options(changes), sender),
    signatureFor: (url, apiKey) => post.signatureFor(url, apiKey),
    patiently: (run) => run(openHost({ ...own, isPatient: true })),
  };
}

function tokenQuery({ record, envelope }: HostCall): HostChanges {
  return withQueryToken.includes(record.type) ? { query: `${queryTokenName}=${envelope.accessToken}` } : {};
}
