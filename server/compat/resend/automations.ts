import * as v from 'valibot'
import { invalidField } from '../../../core/errors.ts'
import type { ForeignEndpoint } from '../../../core/ports/foreign-api.ts'
import { definedOnly } from '../../../core/values/defined-only.ts'
import type { JsonObject } from '../../../core/values/json.ts'
import { parse } from '../../../core/values/parse.ts'
import { type Answer, typedApi } from '../kit/typed-api.ts'
import { BRANCHES, ourStep, theirStep } from './automation-steps.ts'
import { pageOf } from './lists.ts'

const Status = v.picklist(['enabled', 'disabled'])
const Steps = v.pipe(
  v.array(v.object({ key: v.pipe(v.string(), v.maxLength(64)), type: v.string(), config: v.unknown() })),
  v.minLength(1),
  v.maxLength(200),
)
const Connections = v.pipe(
  v.array(v.object({ from: v.string(), to: v.string(), type: v.optional(v.picklist([...BRANCHES.keys()])) })),
  v.maxLength(1000),
)
const NewAutomation = v.object({
  name: v.string(),
  status: v.optional(Status, 'disabled'),
  steps: Steps,
  connections: Connections,
})
const Changes = v.object({
  name: v.nullish(v.string()),
  status: v.nullish(Status),
  steps: v.nullish(v.unknown()),
  connections: v.nullish(v.unknown()),
})
const Asked = v.object({ status: v.optional(Status) })

/** Resend's names of the states of our executions. */
const RUNS = {
  RUNNING: 'running',
  WAITING: 'running',
  COMPLETED: 'completed',
  EXITED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
} as const
const STEP_RUNS: Readonly<Record<string, string>> = {
  RUNNING: 'running',
  WAITING: 'waiting',
  COMPLETED: 'completed',
  SKIPPED: 'skipped',
  FAILED: 'failed',
  CANCELLED: 'skipped',
}

/** The key of the entry in our workflows. */
const ENTRY = 'trigger'

/** `resend.automations`: our workflows, as far as both say the same. */
export const automations: readonly ForeignEndpoint[] = [
  {
    method: 'POST',
    path: '/automations',
    methods: ['automations.create'],
    difference:
      'the steps `trigger`, `delay`, `send_email`, `wait_for_event`, `condition` and `contact_update`; without `variables`, `topicId` and `filterRule`: templates have the fields of the contact and of the event; a contact runs it once, unless `allowReentry` of the workflow is set',
    body: 'json',
    async answer({ body }, ours) {
      const { name, status, steps, connections } = parse(NewAutomation, body)
      const api = typedApi(ours)
      // each type of step has a config of its own, which the request checks
      const made = await ours.call('createWorkflow', { body: { name, ...drawn(steps, connections) } })
      const id = String(made.id)
      if (status === 'enabled') {
        try {
          await api.call('changeWorkflow', { path: { id }, body: { enabled: true } })
        } catch (error) {
          await api.call('deleteWorkflow', { path: { id } })
          throw error
        }
      }
      return { status: 201, body: { object: 'automation', id } }
    },
  },
  {
    method: 'GET',
    path: '/automations',
    methods: ['automations.list'],
    difference: 'all workflows, also those that the dashboard made',
    answer({ query }, ours) {
      const { status } = parse(Asked, Object.fromEntries(query))
      const read = (page: Readonly<Record<string, string>>) => typedApi(ours).call('listWorkflows', { query: page })
      if (status === undefined) return pageOf(query, { read }, listed)
      const keeps = ({ enabled }: { readonly enabled: boolean }) => enabled === (status === 'enabled')
      return pageOf(query, { read, keeps }, listed)
    },
  },
  {
    method: 'GET',
    path: '/automations/:id',
    methods: ['automations.get'],
    difference:
      'the key of a step is its id; the configs of `condition`, `contact_update` and of steps that Resend has not are as in [workflows](workflows.md)',
    async answer({ params: { id = '' } }, ours) {
      const workflow = await typedApi(ours).call('getWorkflow', { path: { id } })
      const types = new Map([...BRANCHES].map(([theirs, branch]) => [branch, theirs]))
      const steps = workflow.steps.map((step) => ({ key: step.id, ...theirStep(step.type, step.config as JsonObject) }))
      const connections = workflow.transitions.map(({ fromStepId, toStepId, branch }) => ({
        from: fromStepId,
        to: toStepId,
        type: types.get(branch) ?? branch,
      }))
      return { status: 200, body: { object: 'automation', ...listed(workflow), steps, connections } }
    },
  },
  {
    method: 'PATCH',
    path: '/automations/:id',
    methods: ['automations.update'],
    difference:
      'changes `name` and `status`; steps are changed in the dashboard or by the requests of [workflows](workflows.md)',
    body: 'json',
    fields: { enabled: 'status' },
    async answer({ params: { id = '' }, body }, ours) {
      const { name, status, steps, connections } = parse(Changes, body)
      if (steps != null || connections != null) {
        const message = 'cannot change here; the dashboard and the requests of docs/workflows.md change steps'
        throw invalidField(steps == null ? 'connections' : 'steps', 'custom', message)
      }
      const enabled = status == null ? undefined : status === 'enabled'
      const change = definedOnly({ name: name ?? undefined, enabled })
      await typedApi(ours).call('changeWorkflow', { path: { id }, body: change })
      return { status: 200, body: { object: 'automation', id } }
    },
  },
  {
    method: 'DELETE',
    path: '/automations/:id',
    methods: ['automations.remove'],
    async answer({ params: { id = '' } }, ours) {
      await typedApi(ours).call('deleteWorkflow', { path: { id } })
      return { status: 200, body: { object: 'automation', id, deleted: true } }
    },
  },
  {
    method: 'POST',
    path: '/automations/:id/duplicate',
    methods: ['automations.duplicate'],
    async answer({ params }, ours) {
      const { id } = await typedApi(ours).call('duplicateWorkflow', { path: { id: params.id ?? '' }, body: {} })
      return { status: 201, body: { object: 'automation', id } }
    },
  },
  {
    method: 'POST',
    path: '/automations/:id/stop',
    methods: ['automations.stop'],
    difference: 'contacts that are in it stop, too',
    async answer({ params: { id = '' } }, ours) {
      await typedApi(ours).call('changeWorkflow', { path: { id }, body: { enabled: false } })
      await typedApi(ours).call('cancelExecutions', { path: { id } })
      return { status: 200, body: { object: 'automation', id, status: 'disabled' } }
    },
  },
  {
    method: 'GET',
    path: '/automations/:id/runs',
    methods: ['automations.runs.list'],
    difference: 'with several of `status`, those are picked from the newest 1,000',
    answer({ query, params: { id = '' } }, ours) {
      const asked = (query.get('status') ?? '').split(',').filter((status) => status !== '')
      const strange = asked.find((status) => !Object.values<string>(RUNS).includes(status))
      if (strange !== undefined) {
        throw invalidField('status', 'invalid_enum_value', 'must be running, completed, failed or cancelled')
      }
      const read = (page: Readonly<Record<string, string>>) =>
        typedApi(ours).call('listExecutions', { path: { id }, query: page })
      if (asked.length === 0) return pageOf(query, { read }, run)
      return pageOf(query, { read, keeps: ({ status }) => asked.includes(RUNS[status]) }, run)
    },
  },
  {
    method: 'GET',
    path: '/automations/:id/runs/:run',
    methods: ['automations.runs.get'],
    difference: 'the key of a step is its id',
    async answer({ params: { id = '', run: executionId = '' } }, ours) {
      const api = typedApi(ours)
      const execution = await api.call('getExecution', { path: { id, executionId } })
      const { steps: known } = await api.call('getWorkflow', { path: { id } })
      const types = new Map(known.map((step) => [step.id, theirStep(step.type, {}).type]))
      const steps = execution.steps.map(({ stepId, status, output, error, startedAt, completedAt }) => ({
        key: stepId,
        type: types.get(stepId) ?? 'unknown',
        status: STEP_RUNS[status] ?? 'pending',
        output,
        error: error === null ? null : { message: error },
        started_at: startedAt,
        completed_at: completedAt,
        created_at: startedAt,
      }))
      return { status: 200, body: { object: 'automation_run', ...run(execution), steps } }
    },
  },
]

/** The event, the steps and the transitions of a workflow. Throws EngineError `VALIDATION_ERROR`. */
function drawn(steps: v.InferOutput<typeof Steps>, connections: v.InferOutput<typeof Connections>) {
  const [entry, another] = steps.filter(({ type }) => type === ENTRY)
  if (entry === undefined || another !== undefined) {
    throw invalidField('steps', 'custom', 'must have one step of the type trigger')
  }
  const { event_name: eventName } = parse(v.object({ event_name: v.string() }), entry.config)
  const nameOf = (key: string) => (key === entry.key ? ENTRY : key)
  const others = steps.flatMap(({ key, type, config }, i) =>
    type === ENTRY ? [] : [{ key, name: key, ...ourStep(type, config, `steps.${i}.config`) }],
  )
  const transitions = connections.map(({ from, to, type = 'default' }) => {
    const branch = BRANCHES.get(type)
    return { from: nameOf(from), to: nameOf(to), ...(branch === undefined ? {} : { branch }) }
  })
  return { eventName, steps: others, transitions }
}

function listed({ id, name, enabled, createdAt, updatedAt }: Answer<'listWorkflows'>['data'][number]) {
  return { id, name, status: enabled ? 'enabled' : 'disabled', created_at: createdAt, updated_at: updatedAt }
}

function run({ id, status, startedAt, completedAt }: Omit<Answer<'getExecution'>, 'steps'>) {
  return { id, status: RUNS[status], started_at: startedAt, completed_at: completedAt, created_at: startedAt }
}
