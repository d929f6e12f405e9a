import type { Kit } from '../kit.ts'
import { namesRendered } from '../mail/render/render-tag.ts'
import { writtenBody } from '../mail/render/written-body.ts'
import type { Campaign } from '../ports/store/campaigns.ts'
import type { Project } from '../ports/store/projects.ts'
import type { BodyHolder } from '../ports/store/snippets.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { Rename } from '../references/renamed.ts'
import { renamedContent, renamedVariants } from '../references/renamed-content.ts'
import type { Renaming } from '../references/renaming.ts'
import { ENDED } from '../references/uses.ts'
import { Pace } from '../values/pace.ts'
import { nextVersion } from '../values/record-version.ts'
import { usersOf } from './content-uses.ts'
import { ENGINE, keepChange } from './versions.ts'

/**
 * Finds the templates, campaigns, snippets and layouts that render a snippet which is about to get another name, inside
 * the transaction that changes it. Campaigns that are over are changed, too, since they may be copied; but they need nothing.
 */
export async function renamingBodies(
  tx: Repositories,
  project: Project,
  rename: Rename,
  kit: Kit,
): Promise<Pick<Renaming, 'holders' | 'write'>> {
  const users = usersOf(rename.from, await tx.snippets.mayRender(project.id, rename.from))
  return {
    holders: users.filter(({ status = '' }) => !ENDED.includes(status)).map(({ kind, name }) => ({ kind, name })),
    async write() {
      const pace = new Pace()
      for (const { kind, id } of users) {
        await pace.rest()
        await WRITE[kind](tx, { project, id, rename, kit })
      }
    },
  }
}

interface Place {
  readonly project: Project
  readonly id: string
  readonly rename: Rename
  readonly kit: Kit
}

/** How each kind of holder is written with the new name, from what it is once it is locked. */
const WRITE: Readonly<Record<BodyHolder['kind'], (tx: Repositories, place: Place) => Promise<void>>> = {
  template: writeTemplate,
  campaign: writeCampaign,
  snippet: writeSnippet,
  layout: writeLayout,
}

/** A draft goes on from the new version: it has been renamed as well. */
async function writeTemplate(tx: Repositories, { project, id, rename, kit }: Place): Promise<void> {
  const before = await tx.templates.lock(project.id, id)
  const other = before && renamedContent(before, rename)
  if (!other) return
  const after = { ...other, updatedAt: kit.now() }
  const template = await keepChange(tx, kit, { before, after, by: ENGINE })
  await tx.templates.update(template)
  const draft = await tx.templateDrafts.find(project.id, id)
  if (draft?.version === before.version) await tx.templateDrafts.put({ ...draft, version: template.version })
}

async function writeCampaign(tx: Repositories, { project, id, rename, kit }: Place): Promise<void> {
  const before = await tx.campaigns.lock(project.id, id)
  const other = before && renamedCampaign(before, rename)
  if (!other) return
  const version = nextVersion('campaign', before, undefined)
  await tx.campaigns.update({ ...other, version, updatedAt: kit.now() })
}

function renamedCampaign(campaign: Campaign, rename: Rename): Campaign | undefined {
  const content = renamedContent(campaign, rename)
  const variants = renamedVariants(campaign.variants ?? [], rename)
  return variants ? { ...(content ?? campaign), variants } : content
}

async function writeSnippet(tx: Repositories, { project, id, rename, kit }: Place): Promise<void> {
  const before = await tx.snippets.lock(project.id, id)
  const other = before && renamedContent(before, rename)
  if (!other) return
  const renders = namesRendered(writtenBody(other.body))
  const version = nextVersion('snippet', before, undefined)
  await tx.snippets.update({ ...other, renders, version, updatedAt: kit.now() })
}

async function writeLayout(tx: Repositories, { project, id, rename, kit }: Place): Promise<void> {
  const before = await tx.layouts.lock(project.id, id)
  const other = before && renamedContent(before, rename)
  if (!other) return
  const version = nextVersion('layout', before, undefined)
  await tx.layouts.update({ ...other, version, updatedAt: kit.now() })
}
