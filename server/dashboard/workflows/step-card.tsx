import { IconBolt, IconPlus } from '@tabler/icons-react'
import { createContext, type KeyboardEvent, type ReactNode, useContext, useId, useMemo } from 'react'
import { Link } from 'wouter'
import { eventInWords } from '../parts/event-in-words.ts'
import type { Filter } from '../parts/filter/language.ts'
import { useFilterFields } from '../parts/filter/use-fields.ts'
import { useFormats } from '../parts/formats.ts'
import { Moment } from '../parts/moment.tsx'
import { Pill } from '../parts/pill.tsx'
import { useTexts } from '../texts/texts.tsx'
import { branchName, type Counts, type Outlet, outletsOf, type Step, stepName, type Workflow } from './graph.ts'
import { Palette } from './palette.tsx'
import { StartText } from './start-text.tsx'
import { STEP_ICONS } from './step-icons.ts'
import { filterOf } from './step-values.ts'
import { StepWords } from './step-words.tsx'
import classes from './workflows.module.css'

/** The course of one run on a step. */
interface Visit {
  readonly status: string
  readonly startedAt: string
}

/** The workflow whose steps are shown, and what can be done with them. */
export interface Shown {
  readonly workflow: Workflow
  readonly counts?: Counts
  /** How many runs the goal has ended. */
  readonly goalReached?: number
  /** The way of one run, by step; others are pale. */
  readonly visits?: ReadonlyMap<string, Visit>
  readonly open?: (step: Step) => void
  /** Left out for users who may not change it. */
  readonly add?: (outlet: Outlet, type: string) => void
  readonly remove?: (step: Step) => void
}

type Fields = Pick<ReturnType<typeof useFilterFields>, 'types' | 'names'>
const Context = createContext<(Shown & { readonly fields: Fields }) | undefined>(undefined)

/** Shows the steps of a workflow in whatever is inside. */
export function ShownSteps({ value, children }: { readonly value: Shown; readonly children: ReactNode }) {
  const { steps } = value.workflow
  const filter = useMemo(() => conditionsOf(steps), [steps])
  // asked once for all cards: each of them would ask for all fields, events and segments again
  const { types, names } = useFilterFields(filter)
  const whole = useMemo(() => ({ ...value, fields: { types, names } }), [value, types, names])
  return <Context value={whole}>{children}</Context>
}

/** All conditions of the steps, as one filter. */
function conditionsOf(steps: readonly Step[]): Filter {
  const asking = steps.filter(({ type }) => type === 'CONDITION')
  return { operator: 'AND', conditions: asking.map(({ config }) => filterOf({ ...config })) }
}

export function useShown() {
  const shown = useContext(Context)
  if (shown === undefined) throw new Error('There is no workflow here.')
  return shown
}

/** A step: its kind, its name, what it does, and how many contacts stand on it or were there. */
export function StepCard({ step, onKey }: { readonly step: Step; readonly onKey?: (event: KeyboardEvent) => void }) {
  const t = useTexts()
  const { workflow, visits, fields, open, remove } = useShown()
  const words = useId()
  const { id, type } = step
  const Icon = STEP_ICONS[type] ?? IconBolt
  const visit = visits?.get(id)
  const isLoose = type !== 'TRIGGER' && workflow.transitions.every(({ toStepId }) => toStepId !== id)
  const kind = t.workflows.kinds[type] ?? type
  const { name } = step
  const follows = useFollows(step)
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'Delete' && remove !== undefined && type !== 'TRIGGER') {
      event.preventDefault()
      remove(step)
    } else onKey?.(event)
  }
  return (
    <div className={classes.card} data-kind={type} data-pale={visits !== undefined && visit === undefined}>
      <button
        type="button"
        className={classes.open}
        data-step={id}
        aria-describedby={words}
        onClick={() => open?.(step)}
        onKeyDown={pressed}
      >
        <span className={classes.icon} aria-hidden>
          <Icon size={16} />
        </span>
        {name === kind && type !== 'TRIGGER' ? null : (
          <span className={classes.kind}>
            {kind}
            <span className={classes.spoken}>: </span>
          </span>
        )}
        <span className={classes.name}>{type === 'TRIGGER' ? <StartText of={workflow} /> : name}</span>
        <span className={classes.spoken}>. {follows}</span>
      </button>
      <div id={words} className={classes.words}>
        {isLoose ? <span className={classes.loose}>{t.workflows.loose} </span> : null}
        {type === 'TRIGGER' && workflow.goal ? t.workflows.endsAt(eventInWords(workflow.goal.eventName, t)) : null}
        <StepWords step={step} fields={fields} workflow={workflow.id} />
      </div>
      {visit ? (
        <div className={classes.counts}>
          {type === 'TRIGGER' ? null : <Pill status={visit.status} />} <Moment at={visit.startedAt} />
        </div>
      ) : (
        <StepCounts step={step} />
      )}
    </div>
  )
}

/** How many stand on a step, passed it, got no mail of it, or failed there, each a link to them. */
function StepCounts({ step: { id, type } }: { readonly step: Step }) {
  const t = useTexts()
  const formats = useFormats()
  const { workflow, counts, goalReached } = useShown()
  const count = counts?.get(id)
  if (count === undefined) return null
  if (type === 'TRIGGER' && workflow.goal === undefined) return null
  const figures =
    type === 'TRIGGER'
      ? ([[goalReached ?? 0, t.workflows.reachedGoal, 'goalReached=true']] as const)
      : ([
          [count.active, t.workflows.standing, `standingOn=${id}`],
          [count.completed, t.workflows.passed, `stepId=${id}&stepStatus=COMPLETED`],
          [count.skipped, t.workflows.skipped, `stepId=${id}&stepStatus=SKIPPED`],
          [count.failed, t.workflows.failed, `stepId=${id}&stepStatus=FAILED`],
        ] as const)
  return (
    <div className={classes.counts}>
      {figures.map(([n, words, query], at) =>
        // how many passed is said of every step
        n === 0 && at !== 1 && figures.length > 1 ? null : n === 0 ? (
          <span key={query}>{words(formats.number(n))}</span>
        ) : (
          <Link key={query} href={`/${workflow.id}?tab=runs&${query}`}>
            {words(formats.number(n))}
          </Link>
        ),
      )}
    </div>
  )
}

/** Where a step goes on, in words. */
function useFollows(step: Step): string {
  const t = useTexts()
  const { workflow } = useShown()
  const parts = outletsOf(workflow, step).map((outlet) => {
    const next = workflow.steps.find(({ id }) => id === outlet.way?.toStepId)
    const branch = branchName(outlet, step.type, t)
    const leads = next ? t.workflows.leads(stepName(next, workflow, t)) : t.workflows.leadsNowhere
    return branch === undefined ? leads : `${branch}: ${leads}`
  })
  return parts.join(' ')
}

/** Adds a step at an open end, or between two steps. */
export function AddButton({ step, outlet }: { readonly step: Step; readonly outlet: Outlet }) {
  const t = useTexts()
  const { workflow, add } = useShown()
  if (add === undefined) return null
  const branch = branchName(outlet, step.type, t)
  const place = [stepName(step, workflow, t), branch].filter(Boolean).join(', ')
  return (
    <Palette outlet={outlet} onChoose={(type) => add(outlet, type)}>
      <button
        type="button"
        className={classes.add}
        data-open={outlet.way === undefined}
        aria-label={outlet.way ? t.workflows.addBetween(place) : t.workflows.addAt(place)}
      >
        <IconPlus size={14} />
      </button>
    </Palette>
  )
}
