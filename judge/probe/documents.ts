import type { CaseContext } from '../case.ts';
import type { Reply } from '../exchange.ts';
import { fetchDefinition, type Json, parseDefinition } from '../every-answer/openapi.ts';
import { type DescribedOperation, operationsOf } from './described.ts';
import { withoutSlash } from '../../contract/address.ts';

/** What a deployment says of itself in OpenAPI. */
export interface Documents {
  /** The answer to the dynamic document, whatever it was. */
  readonly reply: Reply;
  /** Path template of the dynamic document, where it is served and can be read. */
  readonly dynamicPath?: string;
  /** Paths of the static documents that are served. */
  readonly staticPaths: readonly string[];
  readonly operations: readonly DescribedOperation[];
}

/** Where static documents usually are: the documents of the service do not say. Source: ledger openapi-static-paths */
const usualStaticPaths = ['openApi', 'openapi', 'OpenApi'].map((folder) =>
  ['system', 'collection', 'space'].map((name) => `/api/${folder}/${name}`),
);

/** Reads the dynamic document of the space and the static ones, where they are served. */
export async function readDocuments(context: CaseContext): Promise<Documents> {
  const { profile } = context;
  const { baseUrl, space } = profile.all;
  const reply = await fetchDefinition(context);
  const dynamic = reply.status === 200 ? parseDefinition(reply.text) : undefined;
  const statics = await staticDocuments(context);
  const described = hasPaths(dynamic)
    ? [dynamic, ...statics.map(({ document }) => document)]
    : statics.map(({ document }) => document);
  const path = reply.url
    .slice(withoutSlash(baseUrl).length)
    .replace(`/space/${encodeURIComponent(space)}/`, '/space/{spaceId}/');
  return {
    reply,
    ...(hasPaths(dynamic) && { dynamicPath: path }),
    staticPaths: statics.map((each) => each.path),
    operations: described.flatMap((document) => operationsOf(document, baseUrl)),
  };
}

interface StaticDocument {
  readonly path: string;
  readonly document: Json;
}

/** Those of the first spelling under which there are some. */
async function staticDocuments({ service }: CaseContext): Promise<readonly StaticDocument[]> {
  for (const paths of usualStaticPaths) {
    const replies = await Promise.all(paths.map(async (path) => ({ path, read: await service.get(path) })));
    const found = replies.flatMap(({ path, read }) => {
      const document = read.status === 200 ? parseDefinition(read.text) : undefined;
      return hasPaths(document) ? [{ path, document }] : [];
    });
    if (found.length > 0) return found;
  }
  return [];
}

function hasPaths(document: Json | undefined): document is Json {
  return document?.['paths'] !== undefined;
}
