import { PreconditionFailed } from '../../judge/violation.ts';
import type { Reply } from '../../judge/exchange.ts';
import type { Port } from '../../judge/given.ts';
import { pageLinksOf, type LinkRead } from '../../judge/answer.ts';

/** The page link of a long array; where it is missing the rule about its presence judges that. */
export function theLinkOf(reply: Reply, port: Port): LinkRead {
  const [link] = pageLinksOf(reply, port);
  if (link === undefined)
    throw new PreconditionFailed(`a page link for ${port.member}`, reply, ['paging.link.present-above-ten']);
  return link;
}
