/** Definitions of all SoftTypes that the service that the suite plays has. Source: core, Endpoint table, last row */
export function dynamicDefinitions(softTypes: readonly string[]): object {
  const paths = softTypes.map((softType) => {
    const name = encodeURIComponent(softType);
    return [
      [`/api/space/{spaceId}/softtype/${name}/{inputSchemaId}`, pathItem(['post'])],
      [`/api/space/{spaceId}/softtype/${name}/{inputSchemaId}/{objectId}`, pathItem(['get', 'put', 'patch'])],
      [`/api/space/{spaceId}/softtype/${name}/{objectId}`, pathItem(['patch'])],
    ];
  });
  return definitions('SoftTypes', Object.fromEntries(paths.flat()));
}

/** Definitions of what each service has. Source: core, Endpoint table */
export function staticDefinitions(): object {
  return definitions('Space', {
    '/api/space/{spaceId}/softtype/{objectId}': pathItem(['get']),
    '/api/space/{spaceId}/batch': pathItem(['post']),
  });
}

function definitions(title: string, paths: object): object {
  return { openapi: '3.0.3', info: { title, version: '1.0.0' }, paths };
}

function pathItem(methods: readonly string[]): object {
  return Object.fromEntries(
    methods.map((method) => [method, { responses: { default: { description: 'An answer' } } }]),
  );
}
