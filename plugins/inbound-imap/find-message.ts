import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { ImapFlow, type ListResponse } from 'imapflow'
import type { FoundMessage, MailboxLogin } from '../../core/ports/mailbox.ts'
import { forbiddenRange, networksOf } from '../kit/net/forbidden-range.ts'

/** How long connecting, the greeting and the login may take, each, and any standstill later, in milliseconds. */
const CONNECT_MS = 10_000
const COMMAND_MS = 20_000
/** How many folders are looked through, and how much one answer may hold. */
const MOST_FOLDERS = 60
const MOST_BYTES = 4 * 1024 * 1024
/** The tabs of Gmail, which it calls categories. */
const CATEGORIES = ['promotions', 'social', 'updates', 'forums'] as const
/** Folders for spam of servers that do not say which one that is (RFC 6154). */
const SPAM_NAMES = /^(?:junk|spam|bulk|spamverdacht|werbung|unerwünscht|unsolicited|indésirables|courrier indésirable)/i

/** See `FindMessage`. */
export async function findMessage(
  login: MailboxLogin,
  messageId: string | undefined,
  signal: AbortSignal,
): Promise<FoundMessage | undefined> {
  const client = new ImapFlow(await optionsOf(login))
  // the error is thrown by whatever waits for the connection
  client.on('error', () => {})
  const hangUp = () => client.close()
  signal.addEventListener('abort', hangUp)
  try {
    // it may have come while the name was looked up
    signal.throwIfAborted()
    await client.connect()
    const found = messageId === undefined ? undefined : await lookedFor(client, messageId)
    await client.logout().catch(() => {})
    return found
  } catch (error) {
    throw readable(error, signal)
  } finally {
    signal.removeEventListener('abort', hangUp)
    client.close()
  }
}

async function lookedFor(client: ImapFlow, messageId: string): Promise<FoundMessage | undefined> {
  for (const folder of inOrder(await client.list())) {
    // read only: nothing is marked as seen
    const opened = await client.mailboxOpen(folder.path, { readOnly: true }).catch(refusedAs(undefined))
    if (opened === undefined) continue
    const [uid] = (await client.search({ header: { 'message-id': messageId } }, { uid: true })) || []
    if (uid === undefined) continue
    const use = useOf(folder)
    const tab = use === 'inbox' && isGmail(client) ? await categoryOf(client, uid, messageId) : undefined
    const message = await client.fetchOne(String(uid), { uid: true, internalDate: true }, { uid: true })
    const at = new Date((message ? message.internalDate : undefined) ?? Date.now())
    return { folder: folder.path.slice(0, 200), use, ...(tab === undefined ? {} : { tab }), at }
  }
  return undefined
}

/** The inbox first, then spam, then the rest; last what holds everything, since a message lies there, too. */
function inOrder(folders: readonly ListResponse[]): readonly ListResponse[] {
  const rank = (folder: ListResponse) =>
    folder.specialUse === '\\All' ? 3 : { inbox: 0, spam: 1, other: 2 }[useOf(folder)]
  return folders
    .filter(({ flags }) => !flags.has('\\Noselect') && !flags.has('\\NonExistent'))
    .toSorted((a, b) => rank(a) - rank(b))
    .slice(0, MOST_FOLDERS)
}

function useOf({ path, name, specialUse }: ListResponse): FoundMessage['use'] {
  if (path.toUpperCase() === 'INBOX') return 'inbox'
  return specialUse === '\\Junk' || SPAM_NAMES.test(name) ? 'spam' : 'other'
}

function isGmail(client: ImapFlow): boolean {
  return client.capabilities.has('X-GM-EXT-1')
}

/** The tab of a message in Gmail's inbox: by its labels where they have the category, else by Gmail's own search. */
async function categoryOf(client: ImapFlow, uid: number, messageId: string): Promise<string> {
  const message = await client.fetchOne(String(uid), { uid: true, labels: true }, { uid: true })
  const labels = message ? [...(message.labels ?? [])].map((label) => label.toLowerCase()) : []
  const labelled = CATEGORIES.find((name) =>
    labels.some((label) => /categor|smartlabel/.test(label) && label.includes(name.slice(0, 5))),
  )
  if (labelled !== undefined) return labelled
  for (const name of CATEGORIES) {
    const gmraw = `category:${name} rfc822msgid:${messageId.replace(/^<|>$/g, '')}`
    const found = await client.search({ gmraw }, { uid: true }).catch(refusedAs(false as const))
    if ((found || []).includes(uid)) return name
  }
  return 'primary'
}

/** A refused command is answered with this; a broken connection is thrown. */
function refusedAs<Answer>(answer: Answer) {
  return (error: unknown): Answer => {
    if (error instanceof Error && 'responseStatus' in error) return answer
    throw error
  }
}

async function optionsOf({ host, port, security, user, password, publicOr }: MailboxLogin) {
  const address = await allowedAddress(host, publicOr)
  return {
    host: address,
    port,
    secure: security === 'tls',
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(security === 'starttls' ? { doSTARTTLS: true } : {}),
    auth: { user, pass: password },
    logger: false as const,
    disableAutoIdle: true,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: COMMAND_MS,
    clientInfo: { name: 'Mailwright' },
    // bounds the memory for one answer; compressed, it could grow to anything
    maxLiteralSize: MOST_BYTES,
    maxResponseSize: MOST_BYTES,
    maxLineLength: MOST_BYTES,
    disableCompression: true,
  }
}

/** The address that is connected to, judged itself, so that a name cannot lead elsewhere meanwhile. */
async function allowedAddress(host: string, publicOr: readonly string[]): Promise<string> {
  const found = isIP(host) === 0 ? (await lookup(host, { all: true })).map(({ address }) => address) : [host]
  const networks = networksOf(publicOr)
  const range = found.map((address) => forbiddenRange(address, networks)).find((each) => each !== undefined)
  if (range !== undefined)
    throw new Error(`it is at an address that may not be reached (${range}); egress.allow in the configuration decides`)
  const [first] = found
  if (first === undefined) throw new Error('its name has no address')
  return first
}

/** The library says only "Command failed", so this adds what the server said. */
function readable(cause: unknown, signal: AbortSignal): Error {
  if (signal.aborted) return new Error('it did not answer in time', { cause })
  if (!(cause instanceof Error)) return new Error(String(cause))
  const said =
    'responseText' in cause && typeof cause.responseText === 'string' ? `: ${cause.responseText.slice(0, 300)}` : ''
  const isLogin = 'authenticationFailed' in cause && cause.authenticationFailed === true
  if (isLogin) return new Error(`the server refuses the login${said}`, { cause })
  return new Error(said === '' ? cause.message : `the server refuses${said}`, { cause })
}
