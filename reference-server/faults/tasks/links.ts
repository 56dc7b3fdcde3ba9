import type { TaskLink } from '../../calls/task-links.ts';
import { isJson } from '../answer.ts';
import { withEnvelope } from '../calls/requests.ts';
import { replacing, together, type Fault, type FaultsOf } from '../fault.ts';

export const linkFaults = {
  'tasks.links.ids-and-methods': withLink('uploadFileStream', () => ({ method: 'PUT' })),
  'tasks.links.status-and-progress-routes': namingThePreviousJob(),
  'tasks.links.input-file-usable': withLink('inputFile', ({ url }, urls) => ({
    url: `${urls('inputDir')}?${url.split('?')[1]}`,
  })),
  'tasks.links.input-dir-usable': withLink('inputDir', ({ url }) => ({ url: url.replace(/(?<=\/fs\/dir).*/, '') })),
  'tasks.links.upload-stream-usable': withLink('uploadFileStream', ({ url }) => ({
    url: url.replace(/(?<=\/fs\/file\/stream).*/, ''),
  })),
  'tasks.links.upload-chunk-usable': withLink('uploadFile', (_link, urls) => ({ url: urls('uploadFileStream') })),

  'tasks.links.templates-usable': together(
    withLink('downloadFile', ({ url }) => ({ url: url.replace('?', '?link=downloadFile&') })),
    replacing('queryCredentialsOf', (right) => (call) => (call.query.has('link') ? undefined : right(call))),
  ),
} satisfies Partial<FaultsOf<'tasks'>>;

/** One link of every task is another one. @param other gets the link and what finds the url of another */
function withLink(id: string, other: (link: TaskLink, urls: (id: string) => string) => Partial<TaskLink>): Fault {
  return replacing('taskLinks', (right) => (...given) => {
    const links = right(...given);
    const urls = (of: string): string => links.find((link) => link.id === of)?.url ?? '';
    return links.map((link) => (link.id === id ? { ...link, ...other(link, urls) } : link));
  });
}

/** The links for reports are those of the job whose task the same record was called for before. */
function namingThePreviousJob(): Fault {
  const jobs = new Map<string, string>();
  return withEnvelope((envelope, { kind, recordId = '', envelopeId }) => {
    const { payload } = envelope;
    if (kind !== 'task' || !isJson(payload)) return envelope;
    const previous = jobs.get(recordId) ?? envelopeId;
    jobs.set(recordId, envelopeId);
    const links: unknown = JSON.parse(
      JSON.stringify(payload['links']).replaceAll(`/dx/${envelopeId}/`, `/dx/${previous}/`),
    );
    return { ...envelope, payload: { ...payload, links } };
  });
}
