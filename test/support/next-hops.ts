import type { FaultAnswer, FaultScript } from './fault-smtp.ts'

/**
 * How mail servers of the wild limit what they take, as their sources and their defaults have it. Each makes the script
 * of a `startFaultSmtp`.
 */

const TAKEN = '250 2.0.0 Ok: queued as N3XT\r\n'

/** Counts the senders accepted on each connection, and answers MAIL by `verdict` once it is called with that count. */
function bySender(verdict: (taken: number, connection: number) => FaultAnswer | undefined): FaultScript {
  const taken = new Map<number, number>()
  const without = new Set<number>()
  return {
    answer: (command, connection) => {
      if (command.startsWith('MAIL')) {
        const count = taken.get(connection) ?? 0
        const refusal = verdict(count, connection)
        if (refusal === undefined) taken.set(connection, count + 1)
        if (refusal === undefined) without.delete(connection)
        else without.add(connection)
        return refusal
      }
      if (/^(?:RCPT|DATA)/.test(command) && without.has(connection)) return '503 5.5.1 Need MAIL before\r\n'
      return command === 'END' ? TAKEN : undefined
    },
  }
}

/** OpenSMTPD (`smtp limit max-mails`): answers MAIL with 452 and keeps the connection open, for whatever comes then. */
export function openSmtpd(limit: number): FaultScript {
  return bySender((taken) => (taken < limit ? undefined : '452 4.5.3 Too many recipients: Too many messages sent\r\n'))
}

/** Exim (`smtp_accept_max_per_connection`): says 421 to MAIL and closes. */
export function exim(limit: number): FaultScript {
  return bySender((taken) =>
    taken < limit ? undefined : { say: '421 too many messages in this connection\r\n', next: 'end' },
  )
}

/** Closes without a word, as load balancers do. */
export function closing(limit: number): FaultScript {
  return bySender((taken) => (taken < limit ? undefined : { say: '', next: 'end' }))
}

/** Closes when it has begun with the mail: after it took the sender, before the content. */
export function closingLater(limit: number): FaultScript {
  const script = bySender(() => undefined)
  const mails = new Map<number, number>()
  return {
    answer: (command, connection) => {
      if (command.startsWith('RCPT')) {
        const count = (mails.get(connection) ?? 0) + 1
        mails.set(connection, count)
        if (count > limit) return { say: '', next: 'end' }
      }
      return script.answer?.(command, connection)
    },
  }
}

/** Postfix (`smtpd_client_message_rate_limit`): so many mails in a time, whatever the connection. */
export function postfixRate(limit: number, windowMs: number): FaultScript {
  let began = 0
  let count = 0
  return bySender(() => {
    const now = performance.now()
    if (now - began >= windowMs) {
      began = now
      count = 0
    }
    return ++count <= limit ? undefined : '450 4.7.1 Error: too much mail from 127.0.0.1\r\n'
  })
}

/** Postfix (`smtpd_client_connection_count_limit`) in front of another limit: so few connections at a time. */
export function fewConnections(most: number, script: FaultScript): FaultScript {
  const open = new Set<number>()
  return {
    ...script,
    closed: (connection) => open.delete(connection),
    answer: (command, connection) => {
      if (command === 'GREETING') {
        if (open.size >= most) return { say: '421 4.7.0 Error: too many connections from 127.0.0.1\r\n', next: 'end' }
        open.add(connection)
      }
      return script.answer?.(command, connection)
    },
  }
}
