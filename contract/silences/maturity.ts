import type { Silence } from './silence.ts';

/** Maturity levels and their states. */
export const maturitySilences: readonly Silence[] = [
  {
    id: 'maturity-states-and-conditions',
    source: 'core: States and transitions',
    open: 'Which states there are, which moves, and on what conditions.',
    choice: 'One process, two levels, three states in a row each, no conditions.',
    profile: ['maturity.processId', 'maturity.levelId', 'maturity.states'],
    records: 'states met',
  },
  {
    id: 'current-state-member',
    source: 'core: States and transitions',
    open: 'Where in data the current state stands.',
    choice: 'At the root, one member for each level, called like the level.',
    profile: 'maturity.stateMember',
    records: 'members that have the documented shape',
  },
  {
    id: 'promote-in-last-state',
    source: 'core: States and transitions',
    open: 'How promote is refused at the end, and demote at the start.',
    choice: '422, with nothing changed.',
    profile: 'expect.promoteInLastState',
    records: 'status, version, state',
  },
  {
    id: 'promote-unknown-process-or-level',
    source: 'core: Endpoint table, row promote; Errors, 404',
    open: 'How a process or level is refused that is unknown, or strange to the object.',
    choice: '404.',
    records: 'status, by kind',
  },
  {
    id: 'promote-with-body',
    source: 'core: Endpoint table, row promote',
    open: 'If a body does harm where none is asked for.',
    choice: 'No, it is not read.',
    records: 'status',
  },
  {
    id: 'demote-effect',
    source: 'core: States and transitions',
    open: 'How far back a demote goes.',
    choice: 'One state.',
    records: 'the state it led to',
  },
  {
    id: 'state-and-edits',
    source: 'core: States and transitions',
    open: 'If a state closes the object to edits or deletion, and how that is told.',
    choice: 'No state does.',
    profile: 'maturity.frozenStates',
    records: 'status of an edit in each state reached',
  },
];
