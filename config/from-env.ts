import type { FieldProblem } from '../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/values/json.ts'
import { readDatabaseUrl } from './database-url.ts'
import { readSmtpUrl } from './smtp-url.ts'
import type { Environment } from './substitute.ts'

/** Every variable that is read, and the key it sets. */
export const VARIABLES = {
  HOST: 'server.host',
  PORT: 'server.port',
  PUBLIC_URL: 'server.publicUrl',
  TRUST_PROXY: 'server.trustProxy',
  DATABASE_URL: 'store',
  SMTP_URL: 'transports',
  SMTP_PRESET: 'transports',
  SMTP_USER: 'transports',
  SMTP_PASS: 'transports',
  SES_REGION: 'transports',
  PROJECT_MAIL_SERVERS: 'delivery.projectServers',
  LOG_LEVEL: 'log.level',
  LOG_FORMAT: 'log.format',
  LOG_ADDRESSES: 'log.addresses',
  SECRET: 'secret',
  OPERATOR_KEY: 'operator.key',
  METRICS_KEY: 'metrics.key',
  PROJECT_NAME: 'firstProject.name',
  TRUSTED_DOMAINS: 'firstProject.trustedDomains',
  PROJECT_FROM: 'firstProject.from',
  PROJECT_SECRET_KEY: 'firstProject.secretKey',
  PROJECT_PUBLIC_KEY: 'firstProject.publicKey',
} as const

/** A config completed from the environment. */
export interface FilledConfig {
  readonly config: JsonObject
  readonly problems: readonly FieldProblem[]
  /** Which key came from which variable. */
  readonly origins: ReadonlyMap<string, string>
}

/**
 * Adds what the config leaves out and the environment has. What the config states stays, and its variable is not even
 * read. An empty variable counts as not set.
 */
export function fillFromEnv(given: JsonObject, env: Environment): FilledConfig {
  const problems: FieldProblem[] = []
  const origins = new Map<string, string>()
  const config: Record<string, Json> = { ...given }
  for (const [variable, key] of Object.entries(VARIABLES)) {
    const text = env[variable]?.trim()
    if (LOGIN.has(variable)) continue
    const [section = '', name] = key.split('.')
    const place = name === undefined ? config : (config[section] ?? {})
    if (!text || !isJsonObject(place) || place[name ?? section] !== undefined) continue
    if (!ANY_TEXT.has(variable) && QUOTED.test(text)) {
      problems.push({ field: variable, code: 'custom', message: UNQUOTE })
      continue
    }
    const read = variable === 'SMTP_PRESET' ? presetOf(text, env) : readVariable(variable, text)
    if ('problem' in read) {
      problems.push({ field: variable, code: 'custom', message: read.problem })
      continue
    }
    config[section] = name === undefined ? read.value : { ...place, [name]: read.value }
    if (variable === 'SMTP_PRESET') {
      origins.set('transports[0].options.auth.user', 'SMTP_USER')
      origins.set('transports[0].options.auth.pass', 'SMTP_PASS')
      origins.set('transports[0].options.auth', 'SMTP_USER and SMTP_PASS')
    }
    origins.set(key, variable)
  }
  return { config, problems, origins }
}

/** Adds the name of the variable to a problem whose key came from the environment. */
export function nameOrigin(problem: FieldProblem, origins: ReadonlyMap<string, string>): FieldProblem {
  for (const [key, variable] of origins) {
    const rest = problem.field.startsWith(key) ? problem.field.slice(key.length) : 'x'
    if (/^($|[.[])/.test(rest)) return { ...problem, message: `${problem.message} (from ${variable})` }
  }
  return problem
}

/** A value in quotes, such as `docker run --env-file` hands on with them. */
const QUOTED = /^(["']).*\1$/s
const UNQUOTE = 'must be without the quotes around it, which whatever sets it hands on (docker run --env-file does)'
/** Quotes may be meant in a name or a secret, and a secret without them would be another. */
const ANY_TEXT: ReadonlySet<string> = new Set([
  'SECRET',
  'OPERATOR_KEY',
  'METRICS_KEY',
  'PROJECT_NAME',
  'PROJECT_SECRET_KEY',
  'PROJECT_PUBLIC_KEY',
])

/** These two are read with SMTP_PRESET alone. */
const LOGIN: ReadonlySet<string> = new Set(['SMTP_USER', 'SMTP_PASS'])

function presetOf(preset: string, { SMTP_USER, SMTP_PASS }: Environment): { readonly value: Json } {
  const auth = {
    ...(SMTP_USER?.trim() ? { user: SMTP_USER.trim() } : {}),
    ...(SMTP_PASS?.trim() ? { pass: SMTP_PASS.trim() } : {}),
  }
  const options = { preset, ...(Object.keys(auth).length === 0 ? {} : { auth }) }
  return { value: [{ use: 'smtp', options }] }
}

function readVariable(variable: string, text: string): { readonly value: Json } | { readonly problem: string } {
  switch (variable) {
    case 'PORT':
      return { value: /^\d+$/.test(text) ? Number(text) : text }
    case 'LOG_ADDRESSES':
    case 'TRUST_PROXY': {
      const word = text.toLowerCase()
      return word === 'true' || word === 'false' ? { value: word === 'true' } : { problem: 'must be true or false' }
    }
    case 'LOG_LEVEL':
    case 'LOG_FORMAT':
    case 'PROJECT_MAIL_SERVERS':
      return { value: text.toLowerCase() }
    case 'DATABASE_URL': {
      const read = readDatabaseUrl(text)
      return 'problem' in read ? read : { value: read }
    }
    case 'SMTP_URL': {
      const read = readSmtpUrl(text)
      return 'problem' in read ? read : { value: [{ use: 'smtp', options: read.options }] }
    }
    case 'SES_REGION':
      return { value: [{ use: 'ses', options: { region: text } }] }
    case 'TRUSTED_DOMAINS':
      return { value: text.split(/[\s,]+/).filter(Boolean) }
    default:
      return { value: text }
  }
}
