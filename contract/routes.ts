/** Path templates as the documents write them, from the base URL on. Where they show none, the profile binds the route. */
export const routes = {
  instanceShort: '/api/space/{spaceId}/softtype/{objectId}',
  instanceLong: '/api/space/{spaceId}/softtype/{definitionId}/{outputSchemaId}/{objectId}',
  page: '/api/space/{spaceId}/softtype/page/{softTypeId}/{outputSchemaId}/{arrayPortId}/{objectId}/{pageNumber}',
  create: '/api/space/{spaceId}/softtype/{definitionId}/{inputSchemaId}',
  merge: '/api/space/{spaceId}/softtype/{definitionId}/{inputSchemaId}/{objectId}',
  operations: '/api/space/{spaceId}/softtype/{definitionId}/{objectId}',
  multiCreate: '/space/{spaceId}/softtype',
  batch: '/api/space/{spaceId}/batch',
  promote: '/api/space/{spaceId}/maturityAction/promote/{objectId}/{processId}/{levelId}',
  openApiDynamic: '/space/{spaceId}/SoftType/dynamic/softtype.openApi',
} as const;
