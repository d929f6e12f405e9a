import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readBenchCommand } from '../../bench/command-line.ts'
import { measureRounds } from '../../bench/rounds.ts'
import { freshFolder } from '../support/fresh-folder.ts'

const KNOWN = ['campaign', 'campaign-dkim', 'ledger-size']

describe('the command line of the bench', () => {
  it('refuses measures that it does not know before it runs any', () => {
    const { kind, ...said } = readBenchCommand(['--only', 'campaign,campain-dkim,zzz'], KNOWN)
    expect(kind).toBe('answer')
    expect(said).toMatchObject({ code: 2, text: expect.stringContaining('--only: there is no campain-dkim, zzz.') })
    expect(said).toMatchObject({ text: expect.stringContaining('Did you mean campaign-dkim?') })
    expect(said).toMatchObject({ text: expect.stringContaining('Names: campaign, campaign-dkim, ledger-size') })
  })

  it.each([
    [['--onli', 'campaign'], '--onli'],
    [['--only', ' , '], '--only names no measure.'],
    [['--measure', 'campaing'], '--measure: there is no campaing. Did you mean campaign?'],
    [['--rounds', '0'], '--rounds is a whole number from 1 on, not "0".'],
    [['--recipients', '1e5'], '--recipients is a whole number from 1 on, not "1e5".'],
  ])('refuses %j', (args, problem) => {
    expect(readBenchCommand(args, KNOWN)).toMatchObject({ code: 2, text: expect.stringContaining(problem) })
  })

  it('answers --help, and runs each named measure once', () => {
    expect(readBenchCommand(['-h'], KNOWN)).toMatchObject({ code: 0, text: expect.stringContaining('ledger-size') })
    const amounts = { mails: 20_000, contacts: 1_000_000, recipients: 500, events: 200_000, ledger: 1_000_000 }
    expect(readBenchCommand(['--only', 'ledger-size, campaign,campaign', '--recipients', '500'], KNOWN)).toEqual({
      ...{ kind: 'run', names: ['ledger-size', 'campaign'], rounds: 3, amounts },
    })
  })

  it('has written what was measured when a measure ends the process, and goes on after one that fails', async () => {
    const file = join(freshFolder(), 'figures.json')
    const stored = () => JSON.parse(readFileSync(file, 'utf8'))
    const lines: string[] = []
    let turn = 0
    const { figures, failed } = await measureRounds(['one', 'bad', 'two'], 2, {
      ...{ file, about: { machine: 'mine' } },
      say: (line) => lines.push(line),
      measure: (name) => {
        turn++
        if (name === 'bad') {
          expect(stored()).toMatchObject({ machine: 'mine', figures: [{ what: 'speed of one', value: 1 }] })
          return Promise.reject(new Error('no sink'))
        }
        return Promise.resolve([{ what: `speed of ${name}`, value: turn, unit: 'mails/s' }])
      },
    })
    // the one that failed is not run in the second round
    expect(turn).toBe(5)
    expect([...failed]).toEqual([['bad', 'no sink']])
    expect(figures.map(({ what, value }) => [what, value])).toEqual([
      ['speed of one', 4],
      ['speed of two', 5],
    ])
    expect(lines.slice(0, 4)).toEqual([
      'round 1 of 2: one',
      '  speed of one: 1 mails/s',
      'round 1 of 2: bad',
      'bad failed: no sink',
    ])
    expect(stored()).toMatchObject({ figures, failed: { bad: 'no sink' } })
  })
})
