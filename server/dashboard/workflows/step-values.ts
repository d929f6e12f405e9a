import type { Condition, Filter } from '../parts/filter/language.ts'
import type { Form } from '../parts/form.tsx'
import { objectOf, type Pair, pairsOf } from '../parts/pairs.ts'
import type { Texts } from '../texts/types.ts'
import type { Outlet, Step } from './graph.ts'
import { configOfUntil, untilOf } from './until.ts'

/** The values of a step's form: one form for all types, and what one of them lacks is empty. */
export type StepValues = ReturnType<typeof valuesOf>

/** Given to the fields of a step, whatever its type. */
export interface FieldsProps {
  readonly form: Form<StepValues>
  /** The API's refusal of a field of the config, or of what is in it. */
  readonly errorOf: (name: string) => string | undefined
}

/** A branch of a SWITCH, and the values that lead there. */
interface Case {
  readonly branch: string
  readonly values: readonly (string | number | boolean)[]
}

/** A branch of a SPLIT, and how many of a hundred contacts take it. */
export interface Share {
  readonly branch: string
  readonly percent: number
}

const HALVES: readonly Share[] = ['A', 'B'].map((branch) => ({ branch, percent: 50 }))
const SECONDS = { days: 86_400, hours: 3600, minutes: 60, seconds: 1 } as const

/** The values of a step, or of a new one of this type. */
export function valuesOf(step: Step | undefined, newType = 'SEND_EMAIL') {
  const type: string = step?.type ?? newType
  const config: Readonly<Record<string, unknown>> = { ...step?.config }
  const text = (name: string, otherwise = '') =>
    config[name] === undefined || config[name] === null ? otherwise : String(config[name])
  const json = (name: string) =>
    config[name] === undefined || config[name] === null ? '' : JSON.stringify(config[name], null, 2)
  return {
    type,
    name: step?.name ?? '',
    templateId: step?.templateId ?? text('templateId'),
    /** Hours; empty where the mail is always sent. */
    unlessMailedWithin: (config.unlessMailedWithin ?? '') as number | string,
    /** Mails to one recipient within an hour; empty where the default counts. */
    mostPerHour: (config.mostPerHour ?? '') as number | string,
    transport: text('transport'),
    amount: Number(config.amount ?? 1),
    unit: text('unit', 'days'),
    eventName: text('eventName'),
    timeout: inUnit(config.timeout),
    until: untilOf(config),
    condition: filterOf(config),
    url: text('url'),
    method: text('method', 'POST'),
    subscribed: text('subscribed'),
    headers: pairsOf(config.headers),
    body: json('body'),
    data: pairsOf(config.data),
    reason: text('reason'),
    field: type === 'SWITCH' ? text('field') : '',
    cases: (Array.isArray(config.cases) ? config.cases : [{ branch: '', values: [] }]) as readonly Case[],
    branches: (Array.isArray(config.branches) ? config.branches : HALVES) as readonly Share[],
    /** Where what followed goes on, when this is put between and has branches. */
    goesOn: '',
    /** Settings that the form does not show are kept unchanged. */
    rest: config,
  }
}

/** The fields of the config that a type's form shows, so that what is wrong with them stands beside them. */
export const SHOWN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  SEND_EMAIL: ['templateId', 'unlessMailedWithin', 'mostPerHour', 'transport', 'headers'],
  DELAY: ['amount', 'unit'],
  WAIT_UNTIL: ['field', 'offset', 'yearly', 'at', 'weekdays', 'timezone'],
  WAIT_FOR_EVENT: ['eventName', 'timeout'],
  CONDITION: ['operator', 'conditions'],
  SWITCH: ['field', 'cases'],
  SPLIT: ['branches'],
  WEBHOOK: ['url', 'method', 'headers', 'body'],
  UPDATE_CONTACT: ['subscribed', 'data'],
  EXIT: ['reason'],
}

/** The settings of a step of this type, as the API takes them. Throws what the fields themselves cannot say. */
export function configOf(values: StepValues, t: Texts): Record<string, unknown> {
  const { type, rest, amount, unit, eventName, timeout, condition, url, method, subscribed, reason } = values
  switch (type) {
    case 'SEND_EMAIL': {
      const { unlessMailedWithin: _, mostPerHour: __, headers: ___, transport: ____, ...others } = rest
      const { unlessMailedWithin, mostPerHour, transport } = values
      return {
        ...others,
        ...(unlessMailedWithin === '' ? {} : { unlessMailedWithin }),
        ...(mostPerHour === '' ? {} : { mostPerHour }),
        ...(transport === '' ? {} : { transport }),
        ...fieldOf('headers', values.headers, t.campaigns.headers, t),
      }
    }
    case 'DELAY':
      return { amount, unit }
    case 'WAIT_UNTIL':
      return configOfUntil(values.until, rest)
    case 'WAIT_FOR_EVENT': {
      const seconds = Number(timeout.amount) * SECONDS[timeout.unit]
      return { eventName, ...(timeout.amount === '' ? {} : { timeout: seconds }) }
    }
    case 'CONDITION':
      return { ...condition }
    case 'SWITCH':
      return { field: values.field, cases: values.cases }
    case 'SPLIT':
      return { branches: values.branches }
    case 'WEBHOOK': {
      const { headers: _, body: __, ...others } = rest
      return {
        ...others,
        url,
        method,
        ...fieldOf('headers', values.headers, t.workflows.requestHeaders, t),
        ...(values.body.trim() === '' ? {} : { body: jsonOf(values.body, t.workflows.requestBody, t) }),
      }
    }
    case 'UPDATE_CONTACT':
      return {
        ...(subscribed === '' ? {} : { subscribed: subscribed === 'true' }),
        ...fieldOf('data', values.data, t.workflows.data, t),
      }
    case 'EXIT':
      return reason.trim() === '' ? {} : { reason }
    default:
      return { ...rest }
  }
}

/** Whether a step of this type can stand between two others. */
export function fitsBetween(type: string, outlet: Outlet | undefined): boolean {
  return type !== 'EXIT' || outlet?.way === undefined
}

const EMPTY: Filter = { operator: 'AND', conditions: [] }

/** The condition of a step: a filter, or one condition alone. */
export function filterOf(config: Readonly<Record<string, unknown>>): Filter {
  if (isFilter(config)) return config
  return isCondition(config) ? { ...EMPTY, conditions: [config] } : EMPTY
}

function isFilter(config: object): config is Filter {
  return 'conditions' in config
}

function isCondition(config: object): config is Condition {
  return 'field' in config
}

/** Seconds in the largest unit in which they are a whole number. */
export function inUnit(seconds: unknown): { readonly amount: string; readonly unit: keyof typeof SECONDS } {
  if (typeof seconds !== 'number') return { amount: '', unit: 'days' }
  const units = Object.keys(SECONDS) as (keyof typeof SECONDS)[]
  const unit = units.find((each) => seconds % SECONDS[each] === 0) ?? 'seconds'
  return { amount: String(seconds / SECONDS[unit]), unit }
}

function fieldOf(name: string, pairs: readonly Pair[], label: string, t: Texts) {
  const object = objectOf(pairs, label, t)
  return object === undefined ? {} : { [name]: object }
}

function jsonOf(text: string, label: string, t: Texts): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(t.anywhere.notJson(label))
  }
}
