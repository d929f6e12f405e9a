import { setTimeout as pause } from 'node:timers/promises'
import { programName } from '../../core/values/program-name.ts'
import type { components, MailwrightClient } from '../client/index.ts'
import { interruptible } from '../process/interrupt.ts'
import { ProgressLine } from '../process/progress.ts'
import { answered, patiently } from './with-server.ts'

type Campaign = components['schemas']['Campaign']

/** A campaign that goes out. */
export interface StartedCampaign {
  readonly campaign: Campaign
  /** How many would get it, as counted when it was started. */
  readonly expected: number
}

/**
 * Starts a campaign, or lets a paused one go on; one that is being sent already is left as it is. Throws RemoteProblem, for
 * one that has ended too.
 */
export async function startCampaign(client: MailwrightClient, id: string): Promise<StartedCampaign> {
  const params = { path: { id } }
  const before = await answered(client.GET('/campaigns/{id}', { params }))
  let expected = before.totalRecipients
  if (before.status !== 'SENDING') {
    if (before.status !== 'PAUSED') {
      ;({ totalRecipients: expected } = await answered(client.POST('/campaigns/{id}/preview', { params })))
    }
    await answered(client.POST('/campaigns/{id}/send', { params, body: { scheduledFor: null } }))
  }
  return { campaign: await answered(client.GET('/campaigns/{id}', { params })), expected }
}

/**
 * Shows the progress of a campaign until it has ended, and answers the exit code: 1 when it was not sent to its end. A
 * signal ends the watching, and not the campaign.
 */
export function followCampaign(
  client: MailwrightClient,
  { campaign: first, expected }: StartedCampaign,
  json: boolean,
): Promise<number> {
  const params = { path: { id: first.id } }
  return interruptible(async (signal, exitCode) => {
    const line = new ProgressLine(process.stderr, 'mails')
    let campaign = first
    try {
      while (campaign.status === 'SENDING' && !signal.aborted) {
        const { name, totalRecipients, queued } = campaign
        const total = Math.max(totalRecipients, expected)
        // while it begins, nothing is known to be done
        if (!json && total > 0) line.show({ what: name, done: totalRecipients - queued, total })
        await pause(POLL_MS, undefined, { signal }).catch(() => {})
        campaign = (await patiently(() => client.GET('/campaigns/{id}', { params }), signal)) ?? campaign
      }
    } finally {
      line.end()
    }
    process.stdout.write(json ? `${JSON.stringify(campaign)}\n` : textOf(campaign))
    if (campaign.status === 'SENDING') {
      process.stderr.write(
        `It goes on without this command, and \`${programName()} queue pause ${campaign.id}\` holds it.\n`,
      )
      return exitCode()
    }
    return Number(campaign.status !== 'SENT')
  })
}

const POLL_MS = 500

function textOf(campaign: Campaign): string {
  const { id, name, status, statusReason, totalRecipients, sent, toFolder, bounced, failed, queued } = campaign
  const counts = [
    toFolder > 0 && toFolder === sent
      ? `${sent} of ${totalRecipients} written to a folder, since no mail server is set`
      : `${sent} of ${totalRecipients} sent`,
    ...(toFolder > 0 && toFolder < sent ? [`${toFolder} of these only written to a folder`] : []),
    ...(bounced > 0 ? [`${bounced} bounced`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(queued > 0 ? [`${queued} wait`] : []),
  ]
  const why = statusReason === undefined ? '' : `: ${statusReason}`
  const again = failed > 0 ? `\`${programName()} queue retry ${id}\` sends again what failed.\n` : ''
  return `"${name}" is ${status}${why}\n${counts.join(', ')}\n${again}`
}
