import { createEngine, type Engine, type Project } from '../config/library.ts'
import type { BenchDatabase } from './databases.ts'
import { oldLedger, SEEDS } from './old-data.ts'

/** The projects of an old installation: a large one, and a small one. */
export const PROJECTS = [
  { name: 'Bench', secretKey: `sk_${'b'.repeat(48)}`, trustedDomains: ['example.com'] },
  { name: 'Other', trustedDomains: ['example.com'] },
]

/** Makes the projects, and everything that so many mails leave behind. */
export async function fillOld(database: BenchDatabase, mails: number): Promise<void> {
  const engine = await createEngine({ ...database.plugins, projects: PROJECTS })
  let campaignId = ''
  const all = await engine.projects.list()
  const [project, other] = PROJECTS.map(({ name }) => all.find((each) => each.name === name))
  try {
    if (!(project && other)) throw new Error('the projects were not made')
    for (const one of [project, other]) await seed(engine, one)
    const { campaign } = await engine.campaigns.create(project, {
      ...{ name: 'Sale', subject: 'Sale', body: '<p>Sale</p>', from: 'shop@example.com', audienceType: 'ALL' },
    })
    campaignId = campaign.id
  } finally {
    await engine.stop()
  }
  const began = performance.now()
  const of = { mails, projectId: project.id, otherId: other.id, campaignId, now: Date.now() }
  await database.run(oldLedger(database, of))
  await database.settle()
  process.stderr.write(`  ${mails} mails written in ${Math.round((performance.now() - began) / 1000)} s\n`)
}

async function seed(engine: Engine, project: Project): Promise<void> {
  for (let i = 0; i < SEEDS; i++) {
    await engine.sending.send(project, {
      ...{ to: `seed${i}@example.org`, from: `shop${i % 7}@example.com`, subject: `Letter ${i}` },
      ...{ body: '<p>Dear {{ name }}</p>', data: { name: 'Ada' } },
    })
  }
}
