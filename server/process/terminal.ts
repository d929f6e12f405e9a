import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'

/** How much of an answer is shown while it is typed. */
type Shown = 'all' | 'no-passwords' | 'nothing'

/** Where answers come from, and where questions go. */
interface Streams {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  readonly stderr: Writable & { readonly columns?: number }
}

/**
 * Asks questions, on a terminal and of lines that are piped in. Passwords are not shown: what follows the user's name in a URL
 * is shown as stars.
 */
export class Questions {
  readonly #lines: Interface
  readonly #answers: AsyncIterator<string>
  #shown: Shown = 'all'
  #isOver = false

  /** Whether a person answers, who can be asked again. */
  readonly isTerminal: boolean
  readonly #said: Writable

  constructor({ stdin, stdout, stderr }: Streams = process) {
    this.isTerminal = stdin.isTTY === true
    // what is piped on gets no questions
    const said = this.isTerminal && stdout.isTTY ? stdout : stderr
    this.#said = said
    const output = new Writable({
      decodeStrings: false,
      write: (chunk: string, _encoding, done) => {
        said.write(this.#masked(String(chunk)))
        done()
      },
    })
    // as wide as what it writes to, so that long answers wrap
    Object.defineProperty(output, 'columns', { get: () => said.columns })
    // without a history, which would show a password again
    this.#lines = createInterface({ input: stdin, output, terminal: this.isTerminal, historySize: 0 })
    this.#lines.on('SIGINT', () => {
      this.close()
      said.write('\n')
      process.exit(INTERRUPTED)
    })
    this.#answers = this.#lines[Symbol.asyncIterator]()
  }

  /** The answer, or undefined when there is none to come. */
  async ask(text: string, shown: Shown = 'all'): Promise<string | undefined> {
    if (this.#isOver) return undefined
    // what is piped in may have ended long before it is asked for
    if (!this.isTerminal) this.#said.write(text)
    else {
      this.#lines.setPrompt(text)
      this.#lines.prompt()
    }
    this.#shown = shown
    const { value, done } = await this.#answers.next()
    this.#shown = 'all'
    // what is piped in is not seen, nor the end of its line
    if (done || !this.isTerminal) this.say('')
    if (done) this.#isOver = true
    return done ? undefined : value
  }

  say(text: string): void {
    this.#said.write(`${text}\n`)
  }

  close(): void {
    this.#lines.close()
  }

  /** A chunk is what was typed last, or the prompt and the line anew. */
  #masked(chunk: string): string {
    const { line } = this.#lines
    if (this.#shown === 'all' || line === '') return chunk
    const stars = this.#shown === 'nothing' ? '' : withoutPassword(line)
    if (chunk.includes(line)) return chunk.replace(line, () => stars)
    return line.endsWith(chunk) ? stars.slice(-chunk.length) : chunk
  }
}

/** The exit code a shell expects after SIGINT. */
const INTERRUPTED = 130

/** A URL with stars for what follows the user: while it is typed, it is unknown which `@` ends the password. */
function withoutPassword(url: string): string {
  const [, user = '', rest = ''] = /^(\s*[a-z][\w+.-]*:\/\/[^:@/\s]*:)(.*)$/i.exec(url) ?? []
  if (user === '') return url
  return `${user}${'*'.repeat(rest.length)}`
}
