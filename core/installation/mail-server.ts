import * as v from 'valibot'
import { EngineError, type FieldProblem } from '../errors.ts'
import type { Sealing } from '../mail/dkim/sealing.ts'
import type { Plugin } from '../plugin/types.ts'
import { EmailAddress } from '../values/email-address.ts'
import type { InputOf } from '../values/input.ts'
import { parse, refused } from '../values/parse.ts'
import { shownId } from '../values/shown-id.ts'
import { type InstallationSettings, type MailServerLogin, type MailServerPreset, SECURITIES } from './options.ts'

/** How many mail servers there may be. */
export const MAX_SERVERS = 20

/**
 * The preset without a provider: this machine hands mail to the servers of its recipients itself. `host` is its name then,
 * and a port or a login does not go with it.
 */
export const DIRECT = 'direct'
/** Where the mail servers of recipients listen. */
const DIRECT_PORT = 25

const typed = (most: number) => v.nullish(v.pipe(v.string(), v.trim(), v.maxLength(most)))

const Fields = {
  /** The name in logs and in the records of mails; by default the provider or the host. */
  name: typed(60),
  /** A well-known provider by name, such as `brevo`: it gives what is left out here. */
  preset: typed(60),
  /** The server: a host name or an IP address. */
  host: typed(253),
  /** Its port; by default 587, or 465 with `tls`. */
  port: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535))),
  /** How the connection is encrypted: `starttls` (the default), `tls` from the first byte, or `none` if need be. */
  security: v.nullish(v.picklist(SECURITIES)),
  /** The user name there. */
  user: typed(320),
  /** The password, or the key that takes its place. It is stored encrypted, and no answer has it. */
  password: typed(1000),
}

/** The body of `POST /users/@me/operator/mail-servers` and of `POST /mail-servers`. */
export const AddMailServer = v.object(Fields)

/** A mail server to add. */
export interface AddMailServerInput extends InputOf<typeof AddMailServer> {}

/** The body of `PATCH /users/@me/operator/mail-servers/{id}` and of `PATCH /mail-servers/{id}`. */
export const ChangeMailServer = v.object({
  ...Fields,
  /** Whether mail goes through it. */
  enabled: v.optional(v.boolean()),
  /** Its place: mail goes through the first that takes it, from 0. */
  position: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MAX_SERVERS - 1))),
})

/** A change of a mail server; null removes a value, what is left out stays. */
export interface ChangeMailServerInput extends InputOf<typeof ChangeMailServer> {}

/** The body of `POST /users/@me/operator/mail-servers/test` and of `POST /mail-servers/test`. */
export const TryMailServer = v.object({
  ...Fields,
  /** A stored mail server: what is left out is as there. */
  id: v.nullish(v.string()),
  /** Who gets a test mail. Without it the server is only connected to. */
  to: v.nullish(EmailAddress),
  /** Who sends it: an address that the server takes; by default the user name, when that is an address. */
  from: v.nullish(EmailAddress),
  /** The language of the test mail. */
  language: v.optional(v.picklist(['en', 'de']), 'en'),
})

/** A mail server to try, stored or not. */
export interface TryMailServerInput extends InputOf<typeof TryMailServer> {}

/** A mail server as it is stored: a plain JSON value, in the order of use. */
export const StoredMailServer = v.object({
  id: v.string(),
  name: v.string(),
  preset: v.optional(v.string()),
  host: v.optional(v.string()),
  port: v.optional(v.number()),
  security: v.optional(v.picklist(SECURITIES)),
  user: v.optional(v.string()),
  /** The sealed password. */
  sealed: v.optional(v.string()),
  /** Of a project's server: it may be at a private address, since the operator put it there. */
  anywhere: v.optional(v.boolean()),
  enabled: v.boolean(),
  createdAt: v.string(),
  updatedAt: v.string(),
})
export type StoredMailServer = v.InferOutput<typeof StoredMailServer>

/** The value of the setting `mail-servers`, and of the record of a project. */
const StoredMailServers = v.object({ servers: v.array(StoredMailServer) })

/** A mail server, as its operator sees it. */
export interface MailServer {
  /** Its id. */
  readonly id: string
  /** The name in logs and in the records of mails. */
  readonly name: string
  /** The provider; absent for any other server. */
  readonly preset?: string
  /** Where it is. */
  readonly host: string
  /** Its port. */
  readonly port: number
  /** How the connection is encrypted. */
  readonly security: (typeof SECURITIES)[number]
  /** The user name there; absent without a login. */
  readonly user?: string
  /** Whether a password is stored. */
  readonly hasPassword: boolean
  /** Whether mail goes through it. */
  readonly enabled: boolean
  /** When it was added. */
  readonly createdAt: Date
  /** When it was changed last. */
  readonly updatedAt: Date
}

/** A mail server without what must not be shown. */
export function shownServer(
  { sealed, createdAt, updatedAt, id, name, enabled, user, ...login }: StoredMailServer,
  presets: readonly MailServerPreset[],
): MailServer {
  const place = placeOf(login, presets)
  const named = user ?? userOf(presetNamed(login.preset, presets))
  return {
    id,
    name,
    ...(login.preset === undefined ? {} : { preset: login.preset }),
    ...place,
    ...(named === undefined ? {} : { user: named }),
    hasPassword: sealed !== undefined,
    enabled,
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  }
}

/** The user of all customers. */
function userOf(preset: MailServerPreset | undefined): string | undefined {
  return preset?.user === 'password' ? undefined : preset?.user
}

interface Place {
  readonly preset?: string | undefined
  readonly host?: string | undefined
  readonly port?: number | undefined
  readonly security?: MailServerLogin['security'] | undefined
}

/** Where a mail server is, with what its preset says. */
export function placeOf(
  { preset: name, host, port, security }: Place,
  presets: readonly MailServerPreset[],
): Pick<MailServer, 'host' | 'port' | 'security'> {
  // encrypted wherever that is offered
  if (name === DIRECT) return { host: host ?? '', port: DIRECT_PORT, security: security ?? 'none' }
  const preset = presetNamed(name, presets)
  const way = security ?? (port === undefined ? preset?.security : undefined) ?? (port === 465 ? 'tls' : 'starttls')
  const usual = way === 'tls' ? 465 : 587
  return {
    host: host ?? preset?.host ?? '',
    port: port ?? (preset !== undefined && way === preset.security ? preset.port : usual),
    security: way,
  }
}

export function presetNamed(
  name: string | undefined,
  presets: readonly MailServerPreset[],
): MailServerPreset | undefined {
  return presets.find((each) => each.name === name)
}

/** The fields of a mail server that say how to reach it. */
type Typed = {
  readonly [Name in keyof Omit<MailServerLogin, 'connectSeconds' | 'publicOr'>]?:
    | MailServerLogin[Name]
    | null
    | undefined
}

/** The fields that were given, over those that were known: null and an empty text remove one. */
export function mergedLogin(given: Typed, known: MailServerLogin = {}): MailServerLogin {
  const fields = ['preset', 'host', 'port', 'security', 'user', 'password'] as const
  const merged = fields.flatMap((name) => {
    const value = given[name] === undefined ? known[name] : given[name]
    return value === null || value === undefined || value === '' ? [] : [[name, value] as const]
  })
  return Object.fromEntries(merged)
}

/** Where the plugin has the values of the fields. */
const FIELDS: Readonly<Record<string, string>> = {
  name: 'host',
  'auth.user': 'user',
  'auth.pass': 'password',
  auth: 'password',
  secure: 'security',
  requireTls: 'security',
}

/** The addresses that a mail server may be at. */
export interface Egress {
  /** Whether it may be at any address; otherwise only at a public one, or in these networks. */
  readonly anywhere: boolean
  readonly allow: readonly string[]
}

/** The plugin that sends through it. Throws EngineError `VALIDATION_ERROR` that names every field. */
export function pluginOf(
  login: MailServerLogin,
  settings: InstallationSettings,
  { anywhere, allow }: Egress,
): Plugin<'transport'> {
  const problems = login.preset === DIRECT ? faultsOfDirect(login) : faultsOf(login, settings.presets)
  if (problems.length > 0) throw refused(problems)
  // who is written to decides where a mail without a provider goes, and that need not be the operator
  const isBound = !anywhere || login.preset === DIRECT
  const plugin = settings.mailServer(isBound ? { ...login, publicOr: allow } : login)
  const [problem] = plugin.problems()
  if (problem) throw refused([{ ...problem, field: FIELDS[problem.field] ?? problem.field }])
  return plugin
}

function faultsOf(login: MailServerLogin, presets: readonly MailServerPreset[]): readonly FieldProblem[] {
  const preset = presetNamed(login.preset, presets)
  const problems: FieldProblem[] = []
  const require = (field: string, message: string) => problems.push({ field, code: 'required', message })
  if (login.preset !== undefined && preset === undefined)
    problems.push({
      field: 'preset',
      code: 'invalid_enum_value',
      message: 'is not a known provider: the list of mail servers has their names under `presets`',
    })
  else if (login.host === undefined && preset === undefined)
    require('host', 'is required, such as smtp.example.com, unless there is a preset')
  if (preset?.needsLogin && login.host === undefined) {
    if (login.user === undefined && preset.user === undefined) require('user', `is required by ${preset.provider}`)
    if (login.password === undefined) require('password', `is required by ${preset.provider}`)
  } else if (login.user !== undefined && login.password === undefined) require('password', 'is required with a user')
  else if (login.password !== undefined && login.user === undefined && preset?.user === undefined)
    require('user', 'is required with a password')
  return problems
}

function faultsOfDirect({ host, port, security, user, password }: MailServerLogin): readonly FieldProblem[] {
  const problems: FieldProblem[] = []
  const refuse = (field: string, message: string, code: FieldProblem['code'] = 'custom') =>
    problems.push({ field, code, message })
  if (host === undefined)
    refuse('host', 'is required: the full name of this machine in the DNS, such as mail.example.com', 'required')
  if (port !== undefined && port !== DIRECT_PORT)
    refuse('port', 'must be left out without a provider: mail servers are reached at port 25')
  if (security === 'tls') refuse('security', 'must be starttls or none without a provider: port 25 begins without TLS')
  for (const [field, value] of Object.entries({ user, password }))
    if (value !== undefined) refuse(field, 'must be left out without a provider: there is no login')
  return problems
}

/** The stored mail servers of a setting's value. */
export function readServers(value: unknown): readonly StoredMailServer[] {
  return parse(StoredMailServers, value as object).servers
}

/** The login of a stored mail server, with its password. Undefined: that was encrypted with another secret. */
export async function loginOf(stored: StoredMailServer, sealing: Sealing): Promise<MailServerLogin | undefined> {
  const { id, sealed } = stored
  if (sealed === undefined) return openLogin(stored)
  const password = await sealing.open(sealed, ownerOf(id))
  return password === undefined ? undefined : { ...openLogin(stored), password }
}

/** The login without the password. */
export function openLogin({ preset, host, port, security, user }: StoredMailServer): MailServerLogin {
  return mergedLogin({ preset, host, port, security, user })
}

/** The owner a sealed password is bound to. */
export function ownerOf(id: string): string {
  return `mail-server ${id}`
}

/** There is no mail server with this id. */
export function noServer(id: string): EngineError {
  return new EngineError('RESOURCE_NOT_FOUND', `There is no mail server ${shownId(id)}.`)
}
