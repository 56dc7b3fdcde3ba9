import type { Static } from 'typebox';
import { optional, text } from '../schema-parts.ts';
import { Type } from '../type.ts';

/** What the suite has to show and to trust where it speaks TLS as a client. */
export const tls = Type.Closed(
  {
    issuer: optional(
      text(
        'Certificates in PEM that are trusted beside those that every client trusts, as of an authority of your own.',
      ),
    ),
    certificate: optional(
      text('Certificate in PEM that the suite shows where it is asked for one, those of its issuers after it.'),
    ),
    key: optional(text('Key of that certificate in PEM, usually ${NAME_OF_AN_ENVIRONMENT_VARIABLE}.')),
    passphrase: optional(text('What opens the key, where it is locked.')),
  },
  { description: 'Certificates of a client: whom the suite trusts at baseUrl, and what it shows there.' },
);

export const proxy = Type.String({
  description:
    'Proxy through which every request of the suite goes, as http://user:password@proxy.example:3128; it is asked for a tunnel (CONNECT). None unless given, whatever HTTP_PROXY says.',
  pattern: '^http://[^\\s/]+/?$',
});

/** How a deployment is got at. */
export interface Reach {
  readonly tls?: Static<typeof tls>;
  readonly proxy?: string;
}

/** What of a profile says how its deployment is got at. */
export function reachOf({ tls: shown, proxy: through }: Reach): Reach {
  return { ...(shown && { tls: shown }), ...(through !== undefined && { proxy: through }) };
}
