/** A validator of documents, and what it answers first. */
export function validator(recordId: string): object {
  return {
    id: recordId,
    extensionType: 'ExternalValidation',
    capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
  };
}
