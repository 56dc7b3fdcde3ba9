import { TargetUnreachable } from '../../client/failure.ts';
import type { Sender } from '../../client.ts';
import type { Reply } from '../../exchange.ts';
import type { Session } from '../../session.ts';
import { messageOf } from '../../../contract/thrown.ts';

const unrecorded: Sender = { reuse: false, retries: [], add: () => undefined };

/** Undefined when the extension host answers the metadata exchange, else a sentence that says what to change. */
export async function sentenceAboutHost({ host }: Session): Promise<string | undefined> {
  if (host === undefined) return 'no extension host is named: give --url, or extensionHost in the profile';
  try {
    return aboutReply(await host.post.discover(unrecorded), host.post.metadataUrl);
  } catch (error) {
    const message = messageOf(error);
    if (error instanceof TargetUnreachable) return message;
    return `the extension host did not answer the metadata exchange at ${host.post.metadataUrl} (${message}): see its log, or correct its address (--url, or extensionHost.hostUri of the profile)`;
  }
}

function aboutReply({ status, text }: Reply, url: string): string | undefined {
  const answered = `the metadata exchange at ${url} was answered with ${status}`;
  if (status === 401 || status === 403)
    return `${answered}, though it was signed: correct the key (--api-key, EXTENSION_API_KEY, or extensionHost.apiKey of the profile), which is that of the host in Base64, or how the host makes the signature that it compares (svc-conformance rules explain signing.extension-host.right-signature-accepted)`;
  if (status === 404 || status === 405)
    return `${answered}: correct the address (--url, or extensionHost.hostUri of the profile), from which /svc/extension has to follow`;
  if (status >= 500) return `${answered}: see the log of the extension host`;
  if (status >= 300)
    return `${answered}: name the address that the host itself serves (--url, or extensionHost.hostUri of the profile)`;
  if (/^\s*</.test(text))
    return `${answered} and a page instead of JSON, as no extension host does: correct the address (--url, or extensionHost.hostUri of the profile)`;
  return undefined;
}
