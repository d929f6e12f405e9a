import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, release } from 'node:os'
import { parseArgs } from 'node:util'
import { measureAccepts } from './accept.ts'
import { measureColdStart } from './cold-start.ts'
import { measureDrain } from './drain.ts'
import type { Figure } from './figure.ts'
import { measureNodemailer, measureSmtpSource } from './references.ts'
import { printTable } from './table.ts'

/** `npm run bench`: every figure the README states, measured on this machine. `--only accept,drain,start` picks some. */
const { values } = parseArgs({ options: { only: { type: 'string' }, mails: { type: 'string', default: '20000' } } })
const wanted = values.only?.split(',')
const mails = Number(values.mails)

const measures: Record<string, () => Promise<readonly Figure[]>> = {
  start: measureColdStart,
  accept: () => measureAccepts(),
  drain: async () => [
    ...(await measureNodemailer(Math.min(mails, 6_000))),
    ...(await measureSmtpSource(mails)),
    ...(await measureDrain(mails)),
  ],
}

const figures: Figure[] = []
for (const [name, measure] of Object.entries(measures)) {
  if (wanted && !wanted.includes(name)) continue
  process.stderr.write(`measuring ${name} …\n`)
  figures.push(...(await measure()))
}

const machine = { node: process.version, cpus: cpus().length, model: cpus()[0]?.model.trim() ?? '', kernel: release() }
printTable(figures)
mkdirSync('bench/results', { recursive: true })
const file = `bench/results/${new Date().toISOString().replaceAll(':', '-').slice(0, 19)}.json`
writeFileSync(file, `${JSON.stringify({ machine, at: new Date(), figures }, null, 2)}\n`)
console.log(`\nwritten to ${file}`)
