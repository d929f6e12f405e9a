import { DIRECT } from '../core/installation/mail-server.ts'
import type { InstallationSettings, MailServerLogin, MailServerPreset } from '../core/installation/options.ts'
import type { Plugin } from '../core/plugin/types.ts'
import type { FindMessage } from '../core/ports/mailbox.ts'
import { direct } from '../plugins/mail-direct/index.ts'
import { smtp } from '../plugins/mail-smtp/index.ts'
import { allPresets, type Preset } from '../plugins/mail-smtp/presets.ts'

/** The settings that the operator of a server may change in the dashboard; `from` says where that is set already. */
export function installationSettings(
  from: Pick<InstallationSettings, 'transportsFrom' | 'publicUrlFrom'>,
): InstallationSettings {
  return { mailServer, findMessage, presets: PRESETS, ...from }
}

const PRESETS: readonly MailServerPreset[] = allPresets().map(([name, preset]) => ({ name, ...shown(preset) }))

function shown({ provider, host, port, secure, user, needsLogin, keyPage }: Preset): Omit<MailServerPreset, 'name'> {
  return {
    provider,
    host,
    port,
    security: secure ? 'tls' : 'starttls',
    ...(user === undefined ? {} : { user }),
    needsLogin: needsLogin !== false,
    ...(keyPage === undefined ? {} : { keyPage }),
  }
}

/** Loaded when the first mailbox is read. */
const findMessage: FindMessage = async (...given) =>
  (await import('../plugins/inbound-imap/index.ts')).findMessage(...given)

/** The plugin that sends through a mail server, or without one. */
function mailServer(login: MailServerLogin): Plugin<'transport'> {
  return login.preset === DIRECT ? withoutProvider(login) : bySmtp(login)
}

/** To the servers of the recipients. Nothing is sent unencrypted where an encryption is chosen. */
function withoutProvider({ host = '', security, connectSeconds, publicOr = [] }: MailServerLogin): Plugin<'transport'> {
  return direct({
    name: host,
    requireTls: security === 'starttls',
    publicOr: [...publicOr],
    ...(connectSeconds === undefined ? {} : { timeouts: { connect: connectSeconds } }),
  })
}

/** A mail server as the smtp plugin reaches it. Without `none`, nothing is sent unencrypted. */
function bySmtp(login: MailServerLogin): Plugin<'transport'> {
  const { preset, host, port, user, password, connectSeconds, publicOr } = login
  const security = login.security ?? (preset === undefined && port === 465 ? 'tls' : undefined)
  const auth = { ...(user === undefined ? {} : { user }), ...(password === undefined ? {} : { pass: password }) }
  // the schema of the plugin says what is missing
  return smtp({
    ...(preset === undefined ? {} : { preset }),
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(security === undefined ? {} : { secure: security === 'tls' }),
    ...(preset === undefined || security !== undefined ? { requireTls: security !== 'none' } : {}),
    ...(Object.keys(auth).length === 0 ? {} : { auth }),
    ...(publicOr === undefined ? {} : { publicOr: [...publicOr] }),
    ...(connectSeconds === undefined ? {} : { timeouts: { connect: connectSeconds } }),
  } as Parameters<typeof smtp>[0])
}
