import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asProjectId, type Project } from '../../config/library.ts'
import type { JsonObject } from '../../core/values/json.ts'
import { stepsOnTheWay, whatStops } from '../../core/workflows/graph-check.ts'
import { type Drawing, isBranching, linkProblem, reachableFrom } from '../../core/workflows/graph-links.ts'
import { type KnownGraph, type KnownStep, STEP_TYPES, type StepType } from '../../core/workflows/steps/registry.ts'

const projectId = asProjectId('01900000-0000-7000-8000-000000000000')!
const MADE = new Date('2025-06-01')
const WORKFLOW: KnownGraph['workflow'] = {
  ...{ id: 'w', projectId, name: 'W', enabled: false, triggerType: 'EVENT', eventName: 'a', allowReentry: false },
  ...{ version: 1, createdAt: MADE, updatedAt: MADE },
}

function step(id: string, type: StepType, fields: Partial<KnownStep> = {}): KnownStep {
  const place = { position: { x: 0, y: 0 }, config: CONFIGS[type] ?? {}, createdAt: MADE }
  return { id, projectId, workflowId: 'w', type, name: id, ...place, ...fields }
}

/** Draws steps, the trigger first, and these ways between them: `a>b`, or `a>b:yes`. */
function graph(steps: readonly KnownStep[], ...ways: readonly string[]): KnownGraph {
  const transitions = ways.map((way, i) => {
    const [ends = '', branch] = way.split(':')
    const [fromStepId = '', toStepId = ''] = ends.split('>')
    const of = { id: String(i), projectId, workflowId: 'w', fromStepId, toStepId, priority: 0 }
    return branch === undefined ? of : { ...of, branch }
  })
  return { workflow: WORKFLOW, steps: [step('t', 'TRIGGER'), ...steps], transitions }
}

/** The branches of each type that has some, with the config below. */
const BRANCHES: Readonly<Partial<Record<StepType, readonly string[]>>> = {
  CONDITION: ['yes', 'no'],
  SWITCH: ['gold', 'else'],
  SPLIT: ['a', 'b'],
  WAIT_FOR_EVENT: ['event', 'timeout'],
  WAIT_UNTIL: ['reached', 'missing'],
}
const MUST_BRANCH: readonly StepType[] = ['CONDITION', 'SWITCH', 'SPLIT']
const CONFIGS: Readonly<Partial<Record<StepType, JsonObject>>> = {
  CONDITION: { field: 'plan', operator: 'exists' },
  SWITCH: { field: 'plan', cases: [{ branch: 'gold', values: ['gold'] }] },
  SPLIT: {
    branches: [
      { branch: 'a', percent: 50 },
      { branch: 'b', percent: 50 },
    ],
  },
  WAIT_FOR_EVENT: { eventName: 'go' },
  WAIT_UNTIL: { field: 'on' },
}

const PROJECT: Project = {
  ...{ id: projectId, name: 'P', disabled: false, trustedDomains: ['example.com'], tracking: 'ENABLED' },
  ...{ trackingConsent: 'full', publicData: 'all', mode: 'live', version: 1, createdAt: MADE, updatedAt: MADE },
}
const stops = (drawn: KnownGraph) => whatStops(drawn, PROJECT, new Map()).map(({ field }) => field)

describe('what keeps a workflow from running', () => {
  const [end, condition] = [step('end', 'EXIT'), step('if', 'CONDITION')]

  it('is only what can be reached', () => {
    const drawn = graph([end, condition, step('mail', 'SEND_EMAIL')], 't>end')
    expect(stops(drawn)).toEqual([])
    expect(stepsOnTheWay(drawn).map(({ id }) => id)).toEqual(['t', 'end'])
  })

  it('is a trigger that leads nowhere, a condition without branches, an event that is missing', () => {
    expect(stops(graph([end]))).toEqual(['steps.t'])
    expect(stops(graph([condition], 't>if'))).toEqual(['steps.if'])
    expect(stops(graph([condition, end], 't>if', 'if>end:no'))).toEqual([])
    const { eventName, ...workflow } = WORKFLOW
    expect(stops({ ...graph([end], 't>end'), workflow })).toEqual(['triggerConfig.eventName'])
    expect(stops({ ...graph([end], 't>end'), workflow: { ...workflow, triggerType: 'MANUAL' } })).toEqual([])
  })

  it('is a mail without words, without a template that is there, or without a sender', () => {
    const mail = (fields: Partial<KnownStep>) => stops(graph([step('m', 'SEND_EMAIL', fields)], 't>m'))
    expect(mail({})).toEqual(['steps.m.templateId'])
    expect(mail({ config: { subject: 'S' } })).toEqual(['steps.m.templateId'])
    expect(mail({ templateId: 'gone' })).toEqual(['steps.m.templateId'])
    expect(mail({ config: { subject: 'S', body: 'B' } })).toEqual(['steps.m.config.from'])
    expect(mail({ config: { subject: 'S', body: 'B', from: 'a@other.example' } })).toEqual(['steps.m.config.from'])
    expect(mail({ config: { subject: 'S', body: 'B', from: { email: 'a@example.com' } } })).toEqual([])
  })
})

describe('a random drawing', () => {
  const types = fc.constantFrom(...STEP_TYPES.filter((type) => type !== 'TRIGGER'))
  const index = fc.nat()
  const tried = fc.tuple(index, index, fc.constantFrom(undefined, ...Object.values(BRANCHES).flat()))
  const drawings = fc.record({
    steps: fc.array(types, { minLength: 1, maxLength: 14 }),
    tries: fc.array(tried, { minLength: 40, maxLength: 150 }),
  })

  it('has no circle, no way too many and no wrong branch, in whatever order it is drawn', () => {
    fc.assert(
      fc.property(drawings, ({ steps, tries }) => {
        let drawn: Drawing = graph(steps.map((type, i) => step(String(i), type)))
        for (const [from, to, branch] of tries) {
          const ends = { fromStepId: anyOf(drawn, from), toStepId: anyOf(drawn, to) }
          if (linkProblem(drawn, { ...ends, branch })) continue
          const transition = { id: '', projectId, workflowId: 'w', ...ends, ...(branch ? { branch } : {}), priority: 0 }
          drawn = { ...drawn, transitions: [...drawn.transitions, transition] }
        }
        expectSound(drawn)
      }),
    )
  })

  it('lets every step lead to a new one, unless it is an EXIT or its ways are all there', () => {
    fc.assert(
      fc.property(types, (type) => {
        const drawn = graph([step('a', type), step('b', 'EXIT')])
        const branch = MUST_BRANCH.includes(type) ? BRANCHES[type]?.[1] : undefined
        const link = { fromStepId: 'a', toStepId: 'b', branch }
        expect(linkProblem(drawn, link)?.field).toBe(type === 'EXIT' ? 'fromStepId' : undefined)
      }),
    )
  })
})

function anyOf({ steps }: Drawing, index: number): string {
  return steps[index % steps.length]!.id
}

function expectSound(drawn: Drawing): void {
  for (const each of drawn.steps) {
    const out = drawn.transitions.filter(({ fromStepId }) => fromStepId === each.id)
    const branches = out.map(({ branch }) => branch)
    expect(new Set(branches).size).toBe(branches.length)
    if (each.type === 'EXIT') expect(out).toEqual([])
    const names = BRANCHES[each.type]
    const isWhole = branches.includes(undefined) && !MUST_BRANCH.includes(each.type)
    if (names === undefined || isWhole) expect(out.length).toBeLessThan(2)
    else expect(names).toEqual(expect.arrayContaining(branches))
    for (const { toStepId } of out) expect(reachableFrom(drawn, toStepId).has(each.id)).toBe(false)
    expect(isBranching(drawn, each)).toBe(
      MUST_BRANCH.includes(each.type) || branches.some((branch) => branch !== undefined),
    )
  }
  expect(drawn.transitions.filter(({ toStepId }) => toStepId === 't')).toEqual([])
}
