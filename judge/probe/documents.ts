import { fetchDefinition, parsed, type Json } from '../openapi/document.ts';
import type { CaseContext } from '../case.ts';
import type { Reply } from '../exchange.ts';
import { operationsOf, type DescribedOperation } from './described.ts';

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

/** Where the bundled server has its static documents: the documents of the service do not say. Source: ledger openapi-static-paths */
const usualStaticPaths = ['/api/openApi/system', '/api/openApi/collection', '/api/openApi/space'];

/** Reads the dynamic document of the space and the static ones, where they are served. */
export async function readDocuments(context: CaseContext): Promise<Documents> {
  const { service, profile } = context;
  const { baseUrl, space } = profile.all;
  const reply = await fetchDefinition(context);
  const dynamic = reply.status === 200 ? parsed(reply.text) : undefined;
  const replies = await Promise.all(usualStaticPaths.map(async (path) => ({ path, read: await service.get(path) })));
  const statics = replies.flatMap(({ path, read }) => {
    const document = read.status === 200 ? parsed(read.text) : undefined;
    return hasPaths(document) ? [{ path, document }] : [];
  });
  const described = hasPaths(dynamic)
    ? [dynamic, ...statics.map(({ document }) => document)]
    : statics.map(({ document }) => document);
  const path = reply.url
    .slice(baseUrl.replace(/\/+$/, '').length)
    .replace(`/space/${encodeURIComponent(space)}/`, '/space/{spaceId}/');
  return {
    reply,
    ...(hasPaths(dynamic) && { dynamicPath: path }),
    staticPaths: statics.map((each) => each.path),
    operations: described.flatMap((document) => operationsOf(document, baseUrl)),
  };
}

function hasPaths(document: Json | undefined): document is Json {
  return document?.['paths'] !== undefined;
}
