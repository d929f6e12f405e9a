import type { Kit } from '../../kit.ts'
import type { Campaign, TestProgress, VariantName } from '../../ports/store/campaigns.ts'
import type { Project } from '../../ports/store/projects.ts'
import type { Store } from '../../ports/store/store.ts'
import { requireEnabled } from '../../projects/project.ts'
import { isId } from '../../values/id.ts'
import type { UntrustedInput } from '../../values/input.ts'
import { parse } from '../../values/parse.ts'
import { type Doorbell, TOPICS } from '../../work/doorbell.ts'
import type { BrakeCampaigns } from '../brake-campaigns.ts'
import { missingCampaign } from '../campaign-status.ts'
import { endOfTest, withWinner } from './test-progress.ts'
import { contestantsOf, eventOf, type TestResults, testResults } from './test-results.ts'
import { ChooseWinner, type ChooseWinnerInput } from './variant-request.ts'
import { verdictOf } from './verdict.ts'

/** The variants of campaigns: how they compare, and which of them wins. */
export class CampaignVariants {
  readonly #store: Store
  readonly #doorbell: Doorbell
  readonly #brake: BrakeCampaigns
  readonly #kit: Kit

  constructor(store: Store, doorbell: Doorbell, brake: BrakeCampaigns, kit: Kit) {
    this.#store = store
    this.#doorbell = doorbell
    this.#brake = brake
    this.#kit = kit
  }

  /**
   * The results of each variant, and the verdict of the figures. Before the campaign begins all figures are 0. Throws
   * EngineError `CAMPAIGN_NOT_FOUND`.
   */
  async results(project: Project, id: string): Promise<TestResults> {
    const campaign = (isId(id) && (await this.#store.campaigns.find(project.id, id))) || missingCampaign(id)
    return testResults(campaign, await this.#counters(campaign))
  }

  /**
   * Sends this variant to everybody who is not in the test, also before the time of the test is over; of a paused campaign
   * once it is resumed. Throws EngineError `VALIDATION_ERROR`, `BAD_REQUEST` for a variant it does not have, `CONFLICT`
   * unless it waits for a winner, `CAMPAIGN_NOT_FOUND`.
   */
  async choose(project: Project, id: string, input: ChooseWinnerInput | UntrustedInput): Promise<void> {
    requireEnabled(project)
    const { variant } = parse(ChooseWinner, input)
    if (!isId(id)) return missingCampaign(id)
    await this.#store.transaction(async (tx) => {
      const campaign = (await tx.campaigns.lock(project.id, id)) ?? missingCampaign(id)
      await tx.campaigns.update(this.#won(campaign, variant, 'person'))
    })
    this.#ring()
  }

  /**
   * Every second while a campaign that is SENDING waits for its winner: once the time is over, and the figures are to
   * choose, they are judged, once. Looking again and again until they happen to differ would find a winner by chance.
   */
  async look(campaign: Campaign): Promise<void> {
    const { projectId, id, test, fanOut } = campaign
    const end = endOfTest(campaign)
    if (test?.winner !== 'automatic' || fanOut?.test?.unclear || !end || end > this.#kit.now()) return
    const { best, isClear } = verdictOf(contestantsOf(campaign, await this.#counters(campaign)))
    const winner = isClear || test.whenUnclear === 'best' ? best : undefined
    const isDone = await this.#store.transaction(async (tx) => {
      const held = await tx.campaigns.lock(projectId, id)
      // a person chose, paused it or resumed it meanwhile
      if (held?.status !== 'SENDING' || held.fanOut?.phase !== 'waiting' || !held.fanOut.test) return false
      if (held.fanOut.test.since !== fanOut?.test?.since) return false
      const unclear = { ...held, fanOut: { ...held.fanOut, test: { ...held.fanOut.test, unclear: true as const } } }
      return tx.campaigns.update(winner ? this.#won(held, winner, isClear ? 'figures' : 'best-so-far') : unclear)
    })
    if (!isDone) return
    const about = { campaign: id, project: projectId }
    if (winner === undefined)
      this.#kit.log.warn('the test of a campaign is inconclusive: a person has to choose', about)
    else {
      this.#kit.log.info('the test of a campaign has a winner', { ...about, winner, isClear })
      this.#ring()
    }
  }

  /** The rest is watched as any first mails, unless a watch is under way. */
  #won(campaign: Campaign, winner: VariantName, chosenBy: NonNullable<TestProgress['chosenBy']>): Campaign {
    return { ...this.#brake.begun, ...withWinner(campaign, winner, chosenBy, this.#kit.now()) }
  }

  async #counters(campaign: Campaign) {
    const { projectId, id } = campaign
    return this.#store.campaignMails.testCounters(projectId, id, eventOf(campaign))
  }

  #ring(): void {
    this.#doorbell.ring(TOPICS.fanOut, { lane: 'campaign' })
  }
}
