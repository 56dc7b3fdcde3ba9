/** Entries of one array in an instance read and in a page. Source: core, Limits. */
export const entriesPerPage = 10;
/** Instances of one multi-create. Source: core, Multi-create rules 3. */
export const instancesPerMultiCreate = 50;
/** How long an answer is waited for, in seconds; mail has its own. Source: extensions, Limits, request timeout */
export const defaultRequestTimeoutSeconds = 100;
export const emailRequestTimeoutSeconds = 600;
/** Executions a minute. Source: extensions, Limits, rate limit */
export const defaultExecutionsPerMinute = 5;
/** How long a key is the current one, in seconds, and how long it opens doors beyond. Source: extensions, Limits, permission key rotation; ledger key-rotation-overlap */
export const keyPeriodSeconds = 24 * 60 * 60;
export const keyOverlapSeconds = 5 * 60;
/** How long a task may run, in seconds. Source: extensions, Limits, task timeout */
export const defaultTaskTimeoutSeconds = 600;
/** Retries of an event, task, email or endpoint call, and of a validation. Source: extensions, Limits, retries */
export const deliveryRetries = 5;
export const validationRetries = 3;
/** Source: extensions, Errors 2 */
export const longestRetryDelaySeconds = 300;
/** What executions are counted over, and how long the pause is that follows. Source: extensions, Limits, rate limit */
export const rateWindowSeconds = 60;
export const ratePauseSeconds = 60;
/** Most of each that an outcome carries; a reader takes no more. Apart from its schema, which who writes an outcome need not load. */
export const timelineLimits = { timelines: 12, expected: 24, seen: 40, characters: 200 } as const;
