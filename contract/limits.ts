/** Entries of one array in an instance read and in a page. Source: core, Limits. */
export const entriesPerPage = 10;
/** Instances of one multi-create. Source: core, Multi-create rules 3. */
export const instancesPerMultiCreate = 50;
