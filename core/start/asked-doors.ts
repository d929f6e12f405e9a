import type { Project } from '../ports/store/projects.ts'
import { requireProject } from '../projects/project.ts'
import type { Doors } from './doors.ts'

type Method = (...args: never[]) => unknown

/** A method that takes a project first and answers a promise is a usual one. */
type KindOf<M extends Method> = [Project, Parameters<M>[0]] extends [Parameters<M>[0], Project]
  ? ReturnType<M> extends Promise<unknown>
    ? 'usual'
    : 'at once'
  : 'of no project'

/** The methods of rooms, and of those inside them, that are not the usual ones: the compiler asks for each. */
type Unusual<Room> = {
  readonly [Name in keyof Room as Room[Name] extends Method
    ? KindOf<Room[Name]> extends 'usual'
      ? never
      : Name
    : Room[Name] extends object
      ? Name
      : never]: Room[Name] extends Method ? KindOf<Room[Name]> : Unusual<Room[Name]>
}

type Kinds = { readonly [name: string]: 'at once' | 'of no project' | Kinds }

/** The rooms that have to do with more than the data of projects. */
type Others = 'accounts' | 'feedback' | 'inbound' | 'installation' | 'projects' | 'tracking' | 'verification'

const UNUSUAL: Unusual<Omit<Doors, Others>> = {
  contacts: { fields: {}, jobs: {} },
  events: {},
  workflows: { executions: {} },
  templates: { snippets: {}, layouts: {} },
  segments: {},
  campaigns: {
    archive: { page: 'of no project', mail: 'of no project', addressOf: 'at once' },
    filing: {},
    series: {},
    variants: {},
  },
  subscriptions: {
    look: 'of no project',
    subscribe: 'of no project',
    unsubscribe: 'of no project',
    choose: 'of no project',
    pause: 'of no project',
    limit: 'of no project',
    allow: 'of no project',
    deleted: 'of no project',
    unconfirmed: {},
    topics: {},
    forms: {
      look: 'of no project',
      showed: 'of no project',
      challenge: 'of no project',
      submit: 'of no project',
    },
    leaving: { addressOf: 'at once', look: 'of no project', ofLostLink: 'of no project', ask: 'of no project' },
  },
  suppressions: {},
  sending: {},
  submissions: {},
  mails: { shown: 'of no project' },
  sandbox: { end: 'of no project' },
  seeds: {},
  inboxes: {
    agents: {},
    threads: {},
    drafts: {},
    events: { end: 'of no project' },
    forwarding: { look: 'of no project', confirm: 'of no project' },
    search: {},
  },
  assistant: {},
  webhooks: { deliveries: {} },
  domains: {
    stsPolicy: 'of no project',
    hasLinkHost: 'of no project',
    blocklists: 'of no project',
    tests: {},
    reports: { arrived: 'of no project' },
  },
  reputation: {},
  analytics: {
    activity: {},
    operations: { view: 'of no project', waiting: 'of no project', transports: 'of no project' },
  },
  uploads: { find: 'of no project', bytes: 'of no project' },
  checks: {},
}

/** Tells the projects of this engine from others. */
interface KnownProjects {
  isKnown(project: Project): boolean
  /** Throws EngineError `PROJECT_NOT_FOUND` for a project that the store does not have. */
  requireKnown(project: Project): Promise<void>
}

/**
 * The doors as embedders and the server call them. Where data of a project is read or written, anything that is no project
 * is refused with `VALIDATION_ERROR`, and a project of another engine with `PROJECT_NOT_FOUND`: reads would answer empty
 * lists, and writes would be kept for a project that does not exist. Only a host without a compiler can give the former.
 */
export function askedDoors<D extends Omit<Doors, Others>>(doors: D, projects: KnownProjects): D {
  return { ...doors, ...asked(UNUSUAL, doors, projects) }
}

/** Known to every copy of this module: the compiled engine has another than its tests. */
const ROOM = Symbol.for('mailwright.room')

/** The room behind a door of an engine, with the methods that are for the engine itself: tests run a single task by it. */
export function roomBehind<Room extends object>(door: object): Room {
  return Reflect.get(door, ROOM) as Room
}

function asked(kinds: Readonly<Record<string, unknown>>, rooms: object, projects: KnownProjects): object {
  const names = Object.entries(kinds).flatMap(([name, kind]) =>
    typeof kind === 'string' ? [] : [{ name, kind: kind as Kinds }],
  )
  return Object.fromEntries(names.map(({ name, kind }) => [name, askedRoom(kind, Reflect.get(rooms, name), projects)]))
}

function askedRoom(kinds: Kinds, room: object, projects: KnownProjects): object {
  const inside = asked(kinds, room, projects)
  const made = new Map<unknown, unknown>()
  return new Proxy(room, {
    get(target, name) {
      if (name === ROOM) return target
      if (Object.hasOwn(inside, name)) return Reflect.get(inside, name)
      const found: unknown = Reflect.get(target, name, target)
      if (typeof found !== 'function' || name === 'constructor') return found
      const method = made.get(found) ?? askedMethod(kinds[String(name)], found.bind(target), projects)
      made.set(found, method)
      return method
    },
  })
}

type Call = (...args: unknown[]) => unknown

function askedMethod(kind: Kinds[string] | undefined, call: Call, projects: KnownProjects): Call {
  if (kind === 'of no project') return call
  if (kind === 'at once')
    return (project, ...args) => {
      requireProject(project)
      return call(project, ...args)
    }
  // what is known is called in the same turn
  return (project, ...args) => {
    try {
      requireProject(project)
      if (projects.isKnown(project)) return call(project, ...args)
      return projects.requireKnown(project).then(() => call(project, ...args))
    } catch (error) {
      return Promise.reject(error)
    }
  }
}
