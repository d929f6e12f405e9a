import * as v from 'valibot'
import { routeProblems, unknownTransport } from '../delivery/routing/problems.ts'
import type { Transports } from '../delivery/transports.ts'
import { EngineError, type FieldProblem } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Log } from '../ports/log.ts'
import { MayName, RouteRule } from '../settings/route-settings.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import type { JsonObject } from '../values/json.ts'
import { parse, refused, say } from '../values/parse.ts'
import { nextVersion, SEEN_VERSION } from '../values/record-version.ts'
import { changeValue, type StoredValue } from './stored-value.ts'

/** As many rules can be set here; more are for the settings, where a file has them. */
const MOST_RULES = 500

/** The body of `PUT /users/@me/operator/routes`. */
export const ChangeRoutes = v.object({
  /** All rules in their order. */
  rules: v.pipe(
    v.array(RouteRule),
    v.maxLength(
      MOST_RULES,
      say('too_big', `must have at most ${MOST_RULES} rules: more go into delivery.routes of the configuration`),
    ),
  ),
  /** Which projects may name a transport for a mail, by the transport: `true` for all, or their ids; absent: it stays. */
  mayName: v.optional(MayName),
  ...SEEN_VERSION,
})

/** The rules to decide by from now on. */
export interface ChangeRoutesInput extends InputOf<typeof ChangeRoutes> {}

/** The rules of routing: those of the settings, which come first, and those that were set while it runs. */
export interface RouteRuleList {
  /** Rises with each change of `rules`. */
  readonly version: number
  /** Those that were set here, in their order. */
  readonly rules: readonly RouteRule[]
  /** Those of the settings, which decide before: the first of them. */
  readonly given: readonly RouteRule[]
  /** How many more the settings have. */
  readonly givenMore: number
  /** The reasons why rules that were set here do not decide as they are written, such as a transport that is gone. */
  readonly problems: readonly FieldProblem[]
  /** The transports that rules may name. */
  readonly transports: readonly string[]
  /** Which projects may name a transport for a mail, by the transport: what was set here. */
  readonly mayName: MayName
  /** The same of the settings, which counts besides. */
  readonly givenMayName: MayName
  /** `code`: the app around this engine sets everything, so that no rules can be set here. */
  readonly setBy?: string
}

/** The rules that the operator sets while the engine runs, behind those of the settings. */
export class RoutingRules {
  /** The problems of the rules that were looked at last: a look at ten thousand takes a tenth of a second. */
  #checked: { readonly of: string; readonly problems: readonly FieldProblem[] } | undefined

  constructor(
    private readonly place: StoredValue,
    private readonly transports: Transports,
    private readonly kit: Kit,
    private readonly given: {
      /** Whether the operator may set any. */
      readonly isOpen: boolean
      /** The mail servers that were added, with those that are turned off. */
      known(): Promise<readonly string[]>
      isProject(id: string): Promise<boolean>
      /** Called after each change. */
      changed(): Promise<void>
    },
  ) {}

  /** All of them. */
  async list(): Promise<RouteRuleList> {
    const stored = await this.place.read()
    const rules = readRules(stored?.value, this.kit.log)
    const transports = this.transports.shared.inUse.map(({ name }) => name)
    const { routes, mayName: givenMayName } = this.kit.settings.delivery
    const mayName = readMayName(stored?.value, this.kit.log)
    return {
      version: (stored?.version ?? 0) + 1,
      rules,
      given: routes.slice(0, MOST_RULES),
      givenMore: Math.max(0, routes.length - MOST_RULES),
      problems: [...this.#problemsOf(stored?.version ?? 0, rules, transports), ...goneFrom(mayName, transports)],
      transports,
      mayName,
      givenMayName,
      ...(this.given.isOpen ? {} : { setBy: 'code' }),
    }
  }

  /**
   * Decides by these rules from now on. They count at once here, and within seconds in other processes. Throws EngineError
   * `VALIDATION_ERROR`, `VERSION_CONFLICT`, `CONFLICT` where the app around the engine sets everything.
   */
  async change(input: ChangeRoutesInput | UntrustedInput): Promise<RouteRuleList> {
    if (!this.given.isOpen)
      throw new EngineError('CONFLICT', 'The rules of routing of this engine are set in the code of the app around it.')
    const { rules, mayName, version } = parse(ChangeRoutes, input)
    const known = [...this.transports.shared.inUse.map(({ name }) => name), ...(await this.given.known())]
    const names = [...new Set(known)]
    const lent = mayName === undefined ? [] : [...goneFrom(mayName, names), ...(await this.#unknownIn(mayName))]
    const problems = [...this.#problems(rules, names), ...lent]
    if (problems.length > 0) throw refused(problems)
    await changeValue(this.place, async (value, before) => {
      nextVersion('list of rules', { version: before + 1 }, version)
      const kept = mayName ?? readMayName(value, this.kit.log)
      return { value: { rules, mayName: kept } as JsonObject, answer: undefined }
    })
    await this.given.changed()
    this.kit.log.info('mail is routed by other rules from now on', { rules: rules.length })
    return this.list()
  }

  /** The rule that names this transport, as people call it. */
  async naming(transport: string): Promise<string | undefined> {
    const stored = await this.place.read()
    const rules = readRules(stored?.value, this.kit.log)
    const at = rules.findIndex((rule) => namesIn(rule).includes(transport))
    if (at < 0) return undefined
    const number = this.kit.settings.delivery.routes.length + at + 1
    const name = rules[at]?.name
    return name === undefined ? `rule ${number}` : `rule ${number} (${name})`
  }

  async #unknownIn(mayName: MayName): Promise<readonly FieldProblem[]> {
    const ids = Object.entries(mayName).flatMap(([name, projects]) =>
      projects === true ? [] : projects.map((id, i) => ({ id, field: `mayName.${name}.${i}` })),
    )
    const known = await Promise.all(ids.map(({ id }) => this.given.isProject(id)))
    return ids.flatMap(({ field }, i): FieldProblem[] =>
      known[i] ? [] : [{ field, code: 'custom', message: 'is not the id of a project' }],
    )
  }

  /** Those of a version of the stored rules, looked for once. */
  #problemsOf(version: number, rules: readonly RouteRule[], transports: readonly string[]): readonly FieldProblem[] {
    const of = JSON.stringify([version, transports])
    if (this.#checked?.of !== of) this.#checked = { of, problems: this.#problems(rules, transports) }
    return this.#checked.problems
  }

  #problems(rules: readonly RouteRule[], transports: readonly string[]): readonly FieldProblem[] {
    if (rules.length === 0) return []
    const { routes } = this.kit.settings.delivery
    const placeOf = (at: number) => (at < routes.length ? `delivery.routes[${at}]` : `rules.${at - routes.length}`)
    return routeProblems([...routes, ...rules], transports, placeOf).filter(({ field }) => field.startsWith('rules.'))
  }
}

/** The stored rules in their order, without those that cannot be read. */
export function readRules(value: JsonObject | undefined, log: Log): readonly RouteRule[] {
  const stored = value?.rules
  if (!Array.isArray(stored)) return []
  return stored.flatMap((each, at) => {
    const read = v.safeParse(RouteRule, each)
    if (!read.success) log.error('a rule of routing cannot be read: it decides nothing', { rule: at + 1 })
    return read.success ? [read.output] : []
  })
}

/** Which projects may name which transport, as it is stored; nothing where that cannot be read. */
export function readMayName(value: JsonObject | undefined, log: Log): MayName {
  const read = v.safeParse(MayName, value?.mayName ?? {})
  if (!read.success) log.error('who may name a transport cannot be read: only the settings count')
  return read.success ? read.output : {}
}

function goneFrom(mayName: MayName, transports: readonly string[]): readonly FieldProblem[] {
  return Object.keys(mayName).flatMap((name): FieldProblem[] => {
    if (transports.includes(name)) return []
    return [{ field: `mayName.${name}`, code: 'custom', message: unknownTransport(name, transports) }]
  })
}

function namesIn({ to, ramp, fallback = [] }: RouteRule): readonly string[] {
  return [...(typeof to === 'string' ? [to] : Object.keys(to)), ...(ramp === undefined ? [] : [ramp.to]), ...fallback]
}
