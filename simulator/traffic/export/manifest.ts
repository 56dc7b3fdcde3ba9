import { stringify } from 'yaml';
import type { Plan } from '../k6/plan.ts';
import { variablesOf } from './plan.ts';

/** Names in the cluster. */
export const clusterNames = {
  test: 'svc-traffic',
  script: 'svc-traffic-script',
  secret: 'svc-traffic-credentials',
} as const;

/** A cluster keeps no more than this in a ConfigMap, in bytes. */
export const mostConfigMapBytes = 1024 * 1024;

/**
 * What k6-operator needs: the files of the script, and the run, cut into `parallelism` segments. Every runner writes its counts into its log, which is all
 * that is left of it. The Secret is not here, as it holds values.
 */
export function manifestOf(plan: Plan, files: Readonly<Record<string, string>>, parallelism: number): string {
  const env = variablesOf(plan).map((name) => ({
    name,
    valueFrom: { secretKeyRef: { name: clusterNames.secret, key: name } },
  }));
  const documents = [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: clusterNames.script }, data: files },
    {
      apiVersion: 'k6.io/v1alpha1',
      kind: 'TestRun',
      metadata: { name: clusterNames.test },
      spec: {
        parallelism,
        script: { configMap: { name: clusterNames.script, file: 'script.js' } },
        separate: true,
        runner: {
          env: [...env, { name: 'TRAFFIC_COUNTS', value: '-' }, { name: 'TRAFFIC_BASE_URL', value: plan.baseUrl }],
        },
      },
    },
  ];
  return documents.map((document) => stringify(document, { lineWidth: 0 })).join('---\n');
}
