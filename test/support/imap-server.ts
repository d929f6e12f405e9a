import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import { fileURLToPath } from 'node:url'

/** A message on the server. */
export interface StoredMessage {
  readonly uid: number
  readonly flags: Set<string>
  readonly date: Date
  readonly raw: Buffer
  /** The size it reports, when that is wrong. */
  readonly size?: number
  /** True when it cannot be fetched. */
  readonly isBroken?: boolean
  /** Gmail's labels of it, and the tab that its search finds it in. */
  readonly labels?: readonly string[]
  readonly category?: string
}

export interface StoredMailbox {
  uidValidity: number
  uidNext: number
  readOnly: boolean
  /** Its special use (RFC 6154), such as `\\Junk`. */
  use?: string
  messages: StoredMessage[]
}

export interface ImapServerOptions {
  /** `always` from the first octet, `starttls` on request; otherwise no TLS. */
  readonly tls?: 'always' | 'starttls'
  /** Its capabilities besides IMAP4rev1. */
  readonly capabilities?: readonly string[]
}

const file = (name: string) => readFileSync(fileURLToPath(new URL(`localhost-${name}.pem`, import.meta.url)))

/** A small IMAP4rev1 server (RFC 3501, with IDLE, UIDPLUS and MOVE) for one user, `box` with the password `open sesame`. */
export class ImapServer {
  readonly mailboxes = new Map<string, StoredMailbox>()
  /** Every command it received, without its tag. */
  readonly commands: string[] = []
  /** Called before each command is run. Answers a text to refuse it, or `cut` to hang up. */
  before: (command: string) => string | undefined = () => undefined
  readonly options: ImapServerOptions
  readonly #sessions = new Set<Session>()
  readonly #server: Server

  constructor(options: ImapServerOptions) {
    this.options = options
    this.#server = createServer({ noDelay: true }, (socket) => {
      const session = new Session(this, socket)
      this.#sessions.add(session)
      socket.on('close', () => this.#sessions.delete(session)).on('error', () => socket.destroy())
    })
    this.mailbox('INBOX')
  }

  get port(): number {
    const address = this.#server.address()
    return typeof address === 'object' && address ? address.port : 0
  }

  get connections(): number {
    return this.#sessions.size
  }

  async listen(port = 0): Promise<this> {
    this.#server.listen(port, '127.0.0.1')
    await once(this.#server, 'listening')
    return this
  }

  /** Ends every connection without a word. */
  cut(): void {
    for (const session of this.#sessions) session.hangUp()
  }

  async close(): Promise<void> {
    this.#server.close()
    this.cut()
    await once(this.#server, 'close')
  }

  mailbox(name: string): StoredMailbox {
    const known = this.mailboxes.get(name)
    if (known) return known
    const made = { uidValidity: 1000 + this.mailboxes.size, uidNext: 1, readOnly: false, messages: [] }
    this.mailboxes.set(name, made)
    return made
  }

  /** Puts a message into a mailbox, and tells clients that wait for one. */
  append(raw: string | Buffer, more: Partial<StoredMessage> = {}, name = 'INBOX'): StoredMessage {
    const box = this.mailbox(name)
    const stored = { uid: box.uidNext++, flags: new Set<string>(), date: new Date(), raw: Buffer.from(raw), ...more }
    box.messages.push(stored)
    for (const session of this.#sessions) session.announce(box)
    return stored
  }

  /** The flags of each message by its UID: `1: \Seen`. */
  flags(name = 'INBOX'): string[] {
    return this.mailbox(name).messages.map(({ uid, flags }) => `${uid}: ${[...flags].sort().join(' ')}`.trim())
  }
}

export async function startImapServer(options: ImapServerOptions = {}): Promise<ImapServer> {
  return new ImapServer(options).listen()
}

class Session {
  readonly #server: ImapServer
  #socket: Socket
  #input = Buffer.alloc(0)
  #box: StoredMailbox | undefined
  #isReadOnly = false
  #isIn = false
  #isSecure = false
  /** The tag of the IDLE or login that is under way. */
  #idle: string | undefined
  #login: string | undefined

  constructor(server: ImapServer, socket: Socket) {
    this.#server = server
    this.#socket = socket
    if (server.options.tls === 'always') this.#secure()
    else this.#listen()
    this.#write(`* OK [CAPABILITY ${this.#capabilities()}] ready`)
  }

  hangUp(): void {
    this.#socket.destroy()
  }

  /** Tells the client that a message came into this mailbox. */
  announce(box: StoredMailbox): void {
    if (this.#box === box && this.#idle !== undefined) this.#write(`* ${box.messages.length} EXISTS`)
  }

  #secure(): void {
    const secureContext = createSecureContext({ key: file('key'), cert: file('cert') })
    this.#socket.removeAllListeners('data')
    this.#socket = new TLSSocket(this.#socket, { isServer: true, secureContext }).on('error', () => this.hangUp())
    this.#isSecure = true
    this.#listen()
  }

  #listen(): void {
    this.#socket.on('data', (bytes: Buffer) => {
      this.#input = Buffer.concat([this.#input, bytes])
      for (let line = this.#line(); line !== undefined; line = this.#line()) this.#take(line)
    })
  }

  /** The next whole line. Literals in it (RFC 7888) are kept as they are, in quotes. */
  #line(): string | undefined {
    let line = ''
    for (let at = 0; ; ) {
      const end = this.#input.indexOf('\r\n', at)
      if (end < 0) return undefined
      const text = this.#input.toString('latin1', at, end)
      const [marker, size, plus] = /\{(\d+)(\+?)\}$/.exec(text) ?? []
      if (marker === undefined) {
        this.#input = this.#input.subarray(end + 2)
        return line + text
      }
      const start = end + 2
      if (this.#input.length < start + Number(size)) {
        if (!plus) this.#write('+ go on')
        return undefined
      }
      line += `${text.slice(0, -marker.length)}"${this.#input.toString('latin1', start, start + Number(size))}"`
      at = start + Number(size)
    }
  }

  #write(line: string | Buffer): void {
    if (this.#socket.writable) this.#socket.write(Buffer.concat([Buffer.from(line), Buffer.from('\r\n')]))
  }

  #capabilities(): string {
    const { tls, capabilities = ['IDLE', 'UIDPLUS', 'MOVE', 'LITERAL+'] } = this.#server.options
    const offer = tls === 'starttls' && !this.#isSecure ? ['STARTTLS', 'LOGINDISABLED'] : ['AUTH=PLAIN']
    return ['IMAP4rev1', ...capabilities, ...offer].join(' ')
  }

  #take(line: string): void {
    if (this.#idle !== undefined) {
      this.#write(`${this.#idle} OK done`)
      this.#idle = undefined
      return
    }
    if (this.#login !== undefined) {
      this.#write(`${this.#login} ${this.#logIn(Buffer.from(line, 'base64').toString().split('\0').slice(1))}`)
      this.#login = undefined
      return
    }
    const [, tag = '*', command = '', rest = ''] = /^(\S+) ((?:UID )?\S+) ?(.*)$/is.exec(line) ?? []
    const verb = command.toUpperCase()
    this.#server.commands.push(/^(?:LOGIN|AUTHENTICATE)/.test(verb) ? verb : `${verb} ${rest}`.trim())
    const verdict = this.#server.before(`${verb} ${rest}`.trim())
    if (verdict === 'cut') {
      this.hangUp()
      return
    }
    const answer = verdict === undefined ? this.#do(verb, rest, tag) : `NO ${verdict}`
    if (answer !== '') this.#write(`${tag} ${answer}`)
    if (verb === 'STARTTLS') this.#secure()
    if (verb === 'LOGOUT') this.#socket.end()
  }

  /** Runs a command. Answers the text after the tag, or nothing while it waits for more. */
  #do(verb: string, rest: string, tag: string): string {
    switch (verb) {
      case 'CAPABILITY':
        this.#write(`* CAPABILITY ${this.#capabilities()}`)
        return 'OK done'
      case 'STARTTLS':
        return this.#server.options.tls === 'starttls' ? 'OK begin' : 'BAD no'
      case 'LOGIN':
        return this.#logIn(words(rest))
      case 'AUTHENTICATE':
        this.#login = tag
        this.#write('+ ')
        return ''
      case 'LOGOUT':
        this.#write('* BYE')
        return 'OK done'
      case 'NOOP':
        if (this.#box) this.#write(`* ${this.#box.messages.length} EXISTS`)
        return 'OK done'
      case 'NAMESPACE':
        this.#write('* NAMESPACE (("" "/")) NIL NIL')
        return 'OK done'
    }
    if (!this.#isIn) return 'BAD log in first'
    return this.#inside(verb, rest, tag)
  }

  #logIn([user, pass]: readonly string[]): string {
    if (this.#server.options.tls === 'starttls' && !this.#isSecure) return 'NO [PRIVACYREQUIRED] not in the clear'
    this.#isIn = user === 'box' && pass === 'open sesame'
    return this.#isIn ? `OK [CAPABILITY ${this.#capabilities()}] welcome` : 'NO [AUTHENTICATIONFAILED] wrong password'
  }

  #inside(verb: string, rest: string, tag: string): string {
    const { mailboxes } = this.#server
    const [name = ''] = words(rest)
    switch (verb) {
      case 'LIST':
      case 'LSUB':
        return this.#list(verb, words(rest)[1] ?? '')
      case 'CREATE':
        if (mailboxes.has(name)) return 'NO [ALREADYEXISTS] it is there'
        this.#server.mailbox(name)
        return 'OK made'
      case 'SUBSCRIBE':
        return 'OK done'
      case 'SELECT':
      case 'EXAMINE':
        return this.#select(mailboxes.get(name), verb)
      case 'IDLE':
        this.#idle = tag
        this.#write('+ idling')
        return ''
    }
    const box = this.#box
    if (box === undefined) return `BAD ${verb} is not known`
    return this.#selected(box, verb, rest)
  }

  #list(verb: string, wanted: string): string {
    if (wanted === '') this.#write(`* ${verb} (\\Noselect) "/" ""`)
    for (const [name, { use = '' }] of this.#server.mailboxes)
      if (name === wanted || wanted === '*') this.#write(`* ${verb} (${use}) "/" "${name}"`)
    return 'OK done'
  }

  #select(box: StoredMailbox | undefined, verb: string): string {
    this.#box = box
    if (box === undefined) return 'NO [NONEXISTENT] no such mailbox'
    this.#isReadOnly = box.readOnly || verb === 'EXAMINE'
    this.#write('* FLAGS (\\Seen \\Deleted)')
    this.#write(`* ${box.messages.length} EXISTS`)
    this.#write('* 0 RECENT')
    this.#write(`* OK [PERMANENTFLAGS (\\Seen \\Deleted)] these`)
    this.#write(`* OK [UIDVALIDITY ${box.uidValidity}] valid`)
    this.#write(`* OK [UIDNEXT ${box.uidNext}] next`)
    return `OK [READ-${this.#isReadOnly ? 'ONLY' : 'WRITE'}] selected`
  }

  #selected(box: StoredMailbox, verb: string, rest: string): string {
    const [set = ''] = rest.split(' ', 1)
    const chosen = box.messages.filter(({ uid }) => isIn(set, uid))
    switch (verb) {
      case 'UID SEARCH': {
        const [, messageId] = /HEADER "?MESSAGE-ID"? "?([^"\s]+)"?/i.exec(rest) ?? []
        const [, category] = /X-GM-RAW "?category:(\w+)/.exec(rest) ?? []
        const found = box.messages.filter(
          ({ flags, raw, ...message }) =>
            !(/UNSEEN/.test(rest) && flags.has('\\Seen')) &&
            !(/UNDELETED/.test(rest) && flags.has('\\Deleted')) &&
            (messageId === undefined || raw.includes(`Message-ID: ${messageId}`)) &&
            (category === undefined || message.category === category),
        )
        this.#write(`* SEARCH ${found.map(({ uid }) => uid).join(' ')}`.trim())
        return 'OK found'
      }
      case 'UID FETCH':
        for (const message of chosen) {
          if (message.isBroken && rest.includes('BODY')) return 'NO [SERVERBUG] cannot read it'
          this.#fetch(box, message, rest)
        }
        return 'OK fetched'
      case 'UID STORE':
        if (this.#isReadOnly) return 'NO read-only'
        for (const { flags } of chosen) for (const [flag] of rest.matchAll(/\\\w+/g)) flags.add(flag)
        return 'OK stored'
      case 'UID EXPUNGE':
      case 'EXPUNGE':
        this.#remove(box, verb === 'EXPUNGE' ? box.messages : chosen, ({ flags }) => flags.has('\\Deleted'))
        return 'OK expunged'
      case 'UID MOVE': {
        const target = this.#server.mailboxes.get(words(rest)[1] ?? '')
        if (target === undefined) return 'NO [TRYCREATE] no such mailbox'
        for (const message of chosen) target.messages.push({ ...message, uid: target.uidNext++ })
        this.#remove(box, chosen, () => true)
        return 'OK moved'
      }
    }
    return `BAD ${verb} is not known`
  }

  #fetch(box: StoredMailbox, message: StoredMessage, items: string): void {
    const [, start = '0', length = String(message.raw.length)] = /BODY\.PEEK\[\](?:<(\d+)\.(\d+)>)?/.exec(items) ?? []
    const part = message.raw.subarray(Number(start), Number(start) + Number(length))
    const says = [`UID ${message.uid}`]
    if (items.includes('FLAGS')) says.push(`FLAGS (${[...message.flags].join(' ')})`)
    if (items.includes('RFC822.SIZE')) says.push(`RFC822.SIZE ${message.size ?? message.raw.length}`)
    if (items.includes('X-GM-LABELS'))
      says.push(`X-GM-LABELS (${(message.labels ?? []).map((label) => `"${label}"`).join(' ')})`)
    if (items.includes('INTERNALDATE')) says.push(`INTERNALDATE "${imapDate(message.date)}"`)
    const head = `* ${box.messages.indexOf(message) + 1} FETCH (${says.join(' ')}`
    const place = items.includes('<') ? `<${start}>` : ''
    const text = Buffer.concat([Buffer.from(`${head} BODY[]${place} {${part.length}}\r\n`), part, Buffer.from(')')])
    this.#write(items.includes('BODY') ? text : `${head})`)
  }

  #remove(box: StoredMailbox, messages: readonly StoredMessage[], which: (message: StoredMessage) => boolean): void {
    for (const message of messages.filter(which)) {
      const place = box.messages.indexOf(message)
      box.messages.splice(place, 1)
      this.#write(`* ${place + 1} EXPUNGE`)
    }
  }
}

function words(text: string): string[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(([, quoted, plain]) => {
    return quoted === undefined ? (plain ?? '') : quoted.replace(/\\(.)/g, '$1')
  })
}

function isIn(set: string, uid: number): boolean {
  return set.split(',').some((range) => {
    const [first = '', last = first] = range.split(':')
    return uid >= Number(first) && (last === '*' || uid <= Number(last))
  })
}

function imapDate(date: Date): string {
  const [, day, month, year, time] = date.toUTCString().split(' ')
  return `${day}-${month}-${year} ${time} +0000`
}
