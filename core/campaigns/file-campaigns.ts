import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Campaign, CampaignFolder } from '../ports/store/campaigns.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import { requireEnabled } from '../projects/project.ts'
import { isId } from '../values/id.ts'
import type { UntrustedInput } from '../values/input.ts'
import { parse } from '../values/parse.ts'
import { nextVersion } from '../values/record-version.ts'
import type { CountedCampaign } from './campaign-numbers.ts'
import {
  ChosenCampaigns,
  type ChosenCampaignsInput,
  FileCampaign,
  type FileCampaignInput,
  ShelveCampaigns,
  type ShelveCampaignsInput,
} from './campaign-request.ts'
import { missingCampaign, requireStatus } from './campaign-status.ts'

/** The result of a change of many campaigns. */
export interface ManyDone {
  /** How many it was done to. */
  readonly done: number
  /** The others, and why not. */
  readonly left: readonly CampaignLeft[]
}

/** A campaign that something was not done to. */
export interface CampaignLeft {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** The code of the error, such as CONFLICT. */
  readonly code: string
  /** Why it was left, for people. */
  readonly reason: string
}

/** The methods of the room of campaigns that this class calls. */
export interface FilingNeeds {
  counted(campaign: Campaign): Promise<CountedCampaign>
  remove(project: Project, id: string): Promise<void>
}

/** Order among the campaigns: folders, notes, and what was put away. */
export class FileCampaigns {
  constructor(
    private readonly store: Store,
    private readonly kit: Pick<Kit, 'now'>,
    private readonly needs: FilingNeeds,
  ) {}

  /** The folders that campaigns are in, by name, with how many are listed there. */
  folders(project: Project): Promise<readonly CampaignFolder[]> {
    return this.store.campaigns.folders(project.id)
  }

  /**
   * Changes the folder and the note of a campaign, and puts it away or brings it back, in whatever status it is. Throws
   * EngineError `VALIDATION_ERROR`, `CAMPAIGN_NOT_FOUND`; `CONFLICT` when it is under way and cannot be put away.
   */
  async file(project: Project, id: string, input: FileCampaignInput | UntrustedInput): Promise<CountedCampaign> {
    requireEnabled(project)
    const filing = parse(FileCampaign, input)
    return this.needs.counted(await this.#file(project, id, filing))
  }

  /** Puts campaigns away, brings them back or moves them into a folder. Answers which were left and why. Throws EngineError `VALIDATION_ERROR`. */
  async fileAll(project: Project, input: ShelveCampaignsInput | UntrustedInput): Promise<ManyDone> {
    requireEnabled(project)
    const { ids, shelved, folder } = parse(ShelveCampaigns, input)
    const filing = { ...(shelved == null ? {} : { shelved }), ...(folder === undefined ? {} : { folder }) }
    return eachOf(ids, (id) => this.#file(project, id, filing))
  }

  /** Deletes campaigns, as far as that is allowed. Answers which were left and why. Throws EngineError `VALIDATION_ERROR`. */
  async removeAll(project: Project, input: ChosenCampaignsInput | UntrustedInput): Promise<ManyDone> {
    requireEnabled(project)
    const { ids } = parse(ChosenCampaigns, input)
    return eachOf(ids, (id) => this.needs.remove(project, id))
  }

  #file(project: Project, id: string, { folder, note, shelved }: FileCampaign): Promise<Campaign> {
    return this.store.transaction(async (tx) => {
      const held = (isId(id) ? await tx.campaigns.lock(project.id, id) : undefined) ?? missingCampaign(id)
      if (shelved) requireStatus(held, 'be put away')
      const { folder: oldFolder, note: oldNote, shelvedAt, ...others } = held
      const now = this.kit.now()
      const kept = {
        folder: folder === undefined ? oldFolder : folder,
        note: note === undefined ? oldNote : note,
        shelvedAt: shelved == null ? shelvedAt : shelved ? (shelvedAt ?? now) : undefined,
      }
      const campaign: Campaign = {
        ...others,
        version: nextVersion('campaign', held, undefined),
        ...(kept.folder ? { folder: kept.folder } : {}),
        ...(kept.note ? { note: kept.note } : {}),
        ...(kept.shelvedAt ? { shelvedAt: kept.shelvedAt } : {}),
        updatedAt: now,
      }
      await tx.campaigns.update(campaign)
      return campaign
    })
  }
}

/** Does it to each, one after the other, and collects the refusals. */
async function eachOf(ids: readonly string[], act: (id: string) => Promise<unknown>): Promise<ManyDone> {
  const left: CampaignLeft[] = []
  const all = [...new Set(ids)]
  for (const id of all) {
    try {
      await act(id)
    } catch (error) {
      if (!EngineError.is(error)) throw error
      left.push({ id, code: error.code, reason: error.message })
    }
  }
  return { done: all.length - left.length, left }
}
