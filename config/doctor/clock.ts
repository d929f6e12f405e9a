import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import type { Found } from './finding.ts'

/** The default time server: a public pool run by volunteers. */
export const TIME_SERVER = 'pool.ntp.org'
/** How long the answer may take, in milliseconds. */
const PATIENCE_MS = 4_000
/** From so many seconds on the clock should be set; one-time codes and some signatures fail at the larger figure. */
const OFF = { warning: 5, problem: 30 }
/** Between the years from which NTP and JavaScript count. */
const SECONDS_1900_TO_1970 = 2_208_988_800

/** Compares the clock with a time server's (SNTP, RFC 4330). `server` is a host, with `:port` unless that is 123. */
export async function atClock(server: string, patienceMs = PATIENCE_MS): Promise<Found> {
  const asked = await secondsAhead(server, patienceMs).catch((error: Error) => error)
  const help = 'let the system set it: timedatectl set-ntp true'
  if (asked instanceof Error) {
    return { state: 'unknown', says: `${asked.message}. Name another time server with --time-server, or "none"` }
  }
  const off = Math.abs(asked)
  const says = `${off.toFixed(1)} s ${asked > 0 ? 'ahead of' : 'behind'} ${server}`
  if (off < OFF.warning) return { state: 'ok', says }
  const why = 'signatures, one-time codes and times of sending go by it'
  return { state: off < OFF.problem ? 'warning' : 'problem', says: `${says}; ${why}: ${help}` }
}

/** By how many seconds this machine's clock is ahead. */
async function secondsAhead(server: string, patienceMs: number): Promise<number> {
  const [, host = server, port = '123'] = /^(.*?)(?::(\d+))?$/.exec(server) ?? []
  const socket = createSocket('udp4')
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<number>((resolve, reject) => {
      timer = setTimeout(
        () => reject(new Error(`no answer from ${server} within ${patienceMs / 1000} s (UDP to port ${port})`)),
        patienceMs,
      )
      // version 3, from a client; the server repeats the value in the place of our time, so no one else can forge a reply
      const request = Buffer.alloc(48)
      request[0] = 0x1b
      randomBytes(8).copy(request, 40)
      let sent = 0
      socket.on('error', (error) => reject(new Error(`cannot ask ${server}: ${error.message}`)))
      socket.on('message', (answer) => {
        const isOurs = answer.length >= 48 && answer.subarray(24, 32).equals(request.subarray(40))
        // not synchronised itself, or asks not to be asked
        if (!isOurs || answer[1] === 0 || (answer[1] ?? 16) > 15) return
        const now = Date.now()
        resolve((sent - millisecondsAt(answer, 32) + (now - millisecondsAt(answer, 40))) / 2_000)
      })
      socket.send(request, Number(port), host, (error) => {
        if (error) reject(new Error(`cannot ask ${server}: ${error.message}`))
        sent = Date.now()
      })
    })
  } finally {
    clearTimeout(timer)
    socket.close()
  }
}

/** The time at this place of an answer, in milliseconds since 1970. */
function millisecondsAt(answer: Buffer, place: number): number {
  const seconds = answer.readUInt32BE(place) - SECONDS_1900_TO_1970
  return (seconds + answer.readUInt32BE(place + 4) / 2 ** 32) * 1000
}
