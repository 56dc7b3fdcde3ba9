/** Entries of the delivery log that are kept. */
export const keptEntries = 20_000;
export const forgottenTogether = 100;
