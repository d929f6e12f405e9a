import * as v from 'valibot'
import { SECURITIES } from '../../core/installation/options.ts'
import { MAIL_WAYS } from '../../core/installation/project-routes.ts'
import { HOP_TROUBLES, HOP_WARNINGS } from '../../core/ports/mail-transport.ts'
import { named } from '../../core/values/described.ts'
import { Count, Id, many, Time } from './parts.ts'

/** A mail server, without its password. */
export const MailServerRecord = named(
  'MailServer',
  v.object({
    id: Id,
    name: v.string(),
    preset: v.optional(v.string()),
    host: v.string(),
    port: Count,
    security: v.picklist(SECURITIES),
    user: v.optional(v.string()),
    hasPassword: v.boolean(),
    enabled: v.boolean(),
    createdAt: Time,
    updatedAt: Time,
  }),
)

const LIST = {
  servers: many(MailServerRecord),
  setBy: v.optional(v.string()),
  presets: many(
    v.object({
      name: v.string(),
      provider: v.string(),
      host: v.string(),
      port: Count,
      security: v.picklist(SECURITIES),
      user: v.optional(v.string()),
      needsLogin: v.boolean(),
      keyPage: v.optional(v.string()),
    }),
  ),
  hasSecret: v.boolean(),
}

/** The answer of `GET /users/@me/operator/mail-servers`. */
export const MailServers = named('MailServers', v.object(LIST))

/** The answer of `GET /mail-servers`. */
export const ProjectMailServers = named('ProjectMailServers', v.object({ ...LIST, way: v.picklist(MAIL_WAYS) }))

/** The result of a trial. */
export const MailServerTrial = named(
  'MailServerTrial',
  v.object({
    ok: v.boolean(),
    at: v.optional(v.picklist(['connection', 'mail'])),
    trouble: v.optional(v.picklist(HOP_TROUBLES)),
    reason: v.optional(v.string()),
    response: v.optional(v.string()),
    warnings: v.optional(many(v.object({ warning: v.picklist(HOP_WARNINGS), reason: v.string() }))),
  }),
)

/** Where this server is reached from outside. */
export const PublicAddress = named(
  'PublicAddress',
  v.object({
    url: v.optional(v.string()),
    given: v.optional(v.string()),
    set: v.optional(v.string()),
    setBy: v.optional(v.string()),
    problem: v.optional(v.string()),
  }),
)
