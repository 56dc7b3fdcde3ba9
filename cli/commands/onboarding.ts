import type { DoctorOptions } from '../doctor.ts';
import type { InitOptions } from '../init/answers.ts';
import { baseAddress, jsonObject, variableName } from '../values.ts';
import { flag, type CommandRow } from './row.ts';

/** A first profile. */
export const init: CommandRow = {
  name: 'init',
  summary: 'write a first profile of a deployment, as far as it can be found out',
  options: [
    flag('--url <url>', 'address of the deployment before /api').argParser(baseAddress),
    flag('--space <id>', 'space in which test objects may be made'),
    flag('--participant <id>', 'participant of that space'),
    flag('--token-url <url>', 'token endpoint; the usual places are tried unless given'),
    flag('--client-id <id>', 'client id for the token endpoint'),
    flag('--client-secret-env <name>', 'environment variable with the client secret')
      .argParser(variableName)
      .default('SVC_CLIENT_SECRET'),
    flag('--public-client', 'the client has no secret'),
    flag('--username <name>', 'user with an editor role in the space'),
    flag('--password-env <name>', 'environment variable with the password of the user')
      .argParser(variableName)
      .default('SVC_PASSWORD'),
    flag('--token-env <name>', 'environment variable with a ready access token, in the place of the grant').argParser(
      variableName,
    ),
    flag('--pat-env <name>', 'environment variable with a personal access token of the user').argParser(variableName),
    flag('--name <text>', 'name of the implementation; the host unless given'),
    flag('--definition-id <id>', 'SoftType to test where no OpenAPI tells one, with the next two'),
    flag('--input-schema-id <id>', 'input schema of that SoftType'),
    flag('--output-schema-id <id>', 'output schema of that SoftType'),
    flag('--body <json>', 'smallest body that creates an object of it').argParser(jsonObject),
    flag('--out <file>', 'profile to write').default('profile.yaml'),
    flag('--force', 'replace the profile that is there'),
    flag('--yes', 'ask nothing: tell what is missing instead'),
  ],
  examples: [
    'svc-conformance init --url https://staging.example --space main',
    'svc-conformance init --yes --url http://localhost:8080 --space main --username edda --client-id conformance',
    'svc-conformance init --url https://staging.example --space main --token-env SVC_TOKEN --out staging.yaml',
  ],
  run: async (command) => (await import('../init.ts')).initCommand(command.opts<InitOptions>()),
};

/** A profile tried out. */
export const doctor: CommandRow = {
  name: 'doctor',
  summary: 'try everything that a profile declares, and tell what is missing or fails',
  options: [
    flag('--profile <file>', 'profile of the deployment').makeOptionMandatory(),
    flag('--quiet', 'print only what fails and the result'),
  ],
  examples: ['svc-conformance doctor --profile staging.yaml', 'svc-conformance doctor --profile staging.yaml --quiet'],
  run: async (command) => (await import('../doctor.ts')).doctorCommand(command.opts<DoctorOptions>()),
};
