import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { hasPostfixTool, postfixTool } from './smtp-sink.ts'

/** The load: how many messages of how many bytes, on how many kept connections. */
export interface SmtpLoad {
  readonly port: number
  readonly to: string
  readonly messages: number
  readonly bytes: number
  readonly connections: number
}

/**
 * Sends with Postfix's `smtp-source` if installed, or else with a client of a few lines. Answers messages per second.
 */
export async function sendBySmtp(load: SmtpLoad): Promise<number> {
  const begun = performance.now()
  if (hasPostfixTool('smtp-source')) await withSmtpSource(load)
  else await withOwnClient(load)
  return load.messages / ((performance.now() - begun) / 1000)
}

async function withSmtpSource({ port, to, messages, bytes, connections }: SmtpLoad): Promise<void> {
  const amounts = ['-s', String(connections), '-m', String(messages), '-l', String(bytes)]
  const names = ['-M', 'client.example', '-f', 'ada@friend.example', '-t', to]
  const child = spawn(postfixTool('smtp-source'), ['-d', ...amounts, ...names, `127.0.0.1:${port}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`smtp-source ended with ${code}`)
}

async function withOwnClient({ port, to, messages, bytes, connections }: SmtpLoad): Promise<void> {
  const line = `${'x'.repeat(70)}\r\n`
  const body = `From: ada@friend.example\r\nSubject: bench\r\n\r\n${line.repeat(Math.ceil(bytes / line.length))}.\r\n`
  const commands = ['MAIL FROM:<ada@friend.example>\r\n', `RCPT TO:<${to}>\r\n`, 'DATA\r\n', body]
  let left = messages
  const visit = async () => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const say = async (text: string) => {
      if (text !== '') socket.write(text)
      const [reply] = await once(socket, 'data')
      if (!/^[23]/.test(String(reply))) throw new Error(`the server says ${reply}`)
    }
    await say('')
    await say('EHLO client.example\r\n')
    while (left-- > 0) for (const command of commands) await say(command)
    socket.end('QUIT\r\n')
  }
  await Promise.all(Array.from({ length: connections }, visit))
}
