import type { components, MailwrightClient } from '../client/index.ts'
import { RemoteProblem } from './problem.ts'
import { answered } from './with-server.ts'

type Listed = components['schemas']['ListedCampaign']

/**
 * Pauses or resumes a campaign, with a decision about its bounces where one is needed, or without one all of the project, reports each, and returns the exit code: that of the
 * last refusal, if any.
 */
export async function holdCampaigns(
  client: MailwrightClient,
  { action, bounces }: { readonly action: 'pause' | 'resume'; readonly bounces?: 'accept' | 'retry' | undefined },
  campaign: string | undefined,
  json: boolean,
): Promise<number> {
  const ids = campaign === undefined ? await idsOf(client, action === 'pause' ? 'SENDING' : 'PAUSED') : [campaign]
  const changed: Listed[] = []
  let exitCode = 0
  for (const id of ids) {
    try {
      const params = { path: { id } }
      const done = await answered(
        action === 'pause'
          ? client.POST('/campaigns/{id}/pause', { params })
          : client.POST('/campaigns/{id}/resume', { params, body: bounces ? { bounces } : {} }),
      )
      changed.push(done)
      if (!json) process.stdout.write(`${done.id}  "${done.name}" is ${done.status}; ${done.queued} mails wait\n`)
    } catch (error) {
      if (!(error instanceof RemoteProblem)) throw error
      // the others may be fit
      process.stderr.write(`${error.message}\n`)
      exitCode = error.exitCode
    }
  }
  if (json) process.stdout.write(`${JSON.stringify(changed)}\n`)
  else if (ids.length === 0) process.stdout.write(`No campaign is ${action === 'pause' ? 'being sent' : 'paused'}.\n`)
  return exitCode
}

/** All that have this status now, looked up before any of them gets another. */
async function idsOf(client: MailwrightClient, status: 'SENDING' | 'PAUSED'): Promise<readonly string[]> {
  return (await campaignsOf(client, status)).map(({ id }) => id)
}

/** All campaigns of a status. */
export async function campaignsOf(client: MailwrightClient, status: Listed['status']): Promise<readonly Listed[]> {
  const found: Listed[] = []
  for (let page = 1; ; page++) {
    const query = { status, page, pageSize: PAGE }
    const { data, totalPages } = await answered(client.GET('/campaigns', { params: { query } }))
    found.push(...data)
    if (page >= totalPages) return found
  }
}

const PAGE = 100
