import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEngine } from '../../config/library.ts'
import { isSimulated, simulatorHosts } from '../../core/mail/simulator-address.ts'
import { behaviourOf } from '../../core/simulator/behaviours.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { engineWithSink, toSink } from '../support/engine.ts'
import { kitOf } from '../support/kit.ts'
import { until } from '../support/until.ts'

const settingsOf = (settings: object) => kitOf(() => new Date(), settings).settings

describe('an address of the simulator', () => {
  it('is at simulator.localhost, and below the host of the public address, unless the settings say otherwise', () => {
    const hosts = (settings: object) => simulatorHosts(settingsOf(settings)).slice(1)
    expect(simulatorHosts(settingsOf({}))).toEqual(['simulator.localhost'])
    expect(hosts({ publicUrl: 'https://mail.example.com:8443/path' })).toEqual(['simulator.mail.example.com'])
    expect(hosts({ publicUrl: 'https://mail.münchen.example' })).toEqual(['simulator.mail.münchen.example'])
    for (const publicUrl of ['http://127.0.0.1:3000', 'http://[::1]:3000', 'http://localhost:3000'])
      expect(hosts({ publicUrl })).toEqual([])
    const delivery = { simulatorHost: 'Simulator.Test.example' }
    expect(hosts({ publicUrl: 'https://mail.example.com', delivery })).toEqual(['simulator.test.example'])
    expect(hosts({ publicUrl: 'https://mail.example.com', delivery: { simulatorHost: null } })).toEqual([])
    expect(() => settingsOf({ delivery: { simulatorHost: 'gmail.com' } })).toThrow(/must begin with "simulator\."/)
  })

  it('is no address that only looks like one', () => {
    const settings = settingsOf({ publicUrl: 'https://mail.example.com' })
    const is = (address: string) => isSimulated(address, settings)
    expect(['bounce@simulator.localhost', 'x+y@simulator.mail.example.com'].every(is)).toBe(true)
    const real = ['bounce@mail.example.com', 'bounce@simulator.example.com', 'a@x.simulator.localhost']
    const alike = [
      'a@simulator.localhost.example',
      'simulator.localhost@example.com',
      'a@xsimulator.localhost',
      'a@localhost',
    ]
    expect([...real, ...alike].filter(is)).toEqual([])
  })

  it('does what its name before the plus says, and is an unknown user with any other', () => {
    const unknown = behaviourOf('unknown@simulator.localhost')
    expect(unknown.refusal).toMatchObject({ permanent: true, code: 550, enhancedCode: '5.1.1' })
    const strange = [
      '+bounce',
      'bounce.x',
      'bouncer',
      'constructor',
      '__proto__',
      'tostring',
      '{bounce}',
      "o'bounce",
      '*',
    ]
    for (const local of strange) expect([local, behaviourOf(`${local}@simulator.localhost`)]).toEqual([local, unknown])
    for (const local of ['bounce+', 'bounce+full', 'bounce++x', 'bounce+a.b'])
      expect(behaviourOf(`${local}@simulator.localhost`)).toBe(behaviourOf('bounce@simulator.localhost'))
  })
})

describe('the simulator in an engine without a server', () => {
  it('answers at addresses of the project alone, and not for ever', async () => {
    const { engine, project, sink } = await engineWithSink()
    await engine.start()
    const mail = { from: 'hello@example.com', subject: 'Hi', body: '<p>Hi</p>' }
    const received = async () => (await engine.mails.list(project, { status: 'RECEIVED', limit: 100 })).items.length
    const elsewhere = await engine.sending.send(project, {
      ...{ ...mail, to: 'reply@simulator.localhost', reply: 'ada@elsewhere.example' },
    })
    const messages = Array.from({ length: 51 }, () => ({ ...mail, to: 'reply+loop@simulator.localhost' }))
    await engine.sending.sendBatch(project, { messages })
    await engine.sending.send(project, { ...mail, to: 'reply+other@simulator.localhost' })
    await until('all answers came', async () => (await received()) === 51)
    await until('the first was delivered', async () => {
      const { email = '' } = elsewhere.answer.emails[0] ?? {}
      return (await engine.mails.get(project, email)).email.status === 'DELIVERED'
    })
    await engine.idle()
    expect(await received()).toBe(51)
    expect(sink.messages).toEqual([])
  })

  it('fails a mail to both worlds that was taken before its host was one of the simulator', async () => {
    const { engine, project, sink, folder } = await engineWithSink()
    const mail = {
      from: 'hello@example.com',
      subject: 'Hi',
      body: '<p>Hi</p>',
      cc: 'bounce@simulator.mail.example.net',
    }
    const { answer } = await engine.sending.send(project, { ...mail, to: 'ada@example.org' })
    await engine.stop()
    const moved = await createEngine({
      store: sqlite({ file: join(folder, 'test.db') }),
      transports: [toSink(sink)],
      publicUrl: 'https://mail.example.net',
      delivery: { threads: 0 },
    })
    onTestFinished(() => moved.stop())
    await moved.start()
    const email = await until('it ends', async () => {
      const { email: found } = await moved.mails.get(project, answer.emails[0]?.email ?? '')
      return found.status === 'QUEUED' || found.status === 'SENDING' ? undefined : found
    })
    expect(email).toMatchObject({ status: 'FAILED', error: expect.stringContaining('one mail to each') })
    expect(sink.messages).toEqual([])
  })
})
