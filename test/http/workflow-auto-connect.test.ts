import { beforeAll, describe, expect, it } from 'vitest'
import { expectEnvelope, type TestApp, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'

const DELAY = { type: 'DELAY', config: { amount: 1, unit: 'days' } }
const CONDITION = { type: 'CONDITION', config: { field: 'data.plan', operator: 'equals', value: 'pro' } }
const WAIT = { type: 'WAIT_FOR_EVENT', config: { eventName: 'paid', timeout: 60 } }
const EXIT = { type: 'EXIT' }

for (const store of [QUICK]) {
  describe(`steps that connect by themselves on ${store.name}`, () => {
    let test: TestApp
    beforeAll(async () => {
      test = await testApp(store)
    })

    /** A new workflow, its steps numbered as they are added; the trigger is 0. */
    const draw = async () => {
      const { body } = await test.ask('POST', '/workflows', { json: { name: 'W', eventName: 'seen' } })
      const path = `/workflows/${body.id}`
      const ids: string[] = [body.steps[0].id]
      return {
        path,
        add: async (json: object) => {
          const answer = await test.ask('POST', `${path}/steps`, { json })
          if (answer.status === 201) ids.push(answer.body.id)
          return answer
        },
        id: (step: number) => ids[step] ?? '',
        link: (from: number, to: number, more: object = {}) =>
          test.ask('POST', `${path}/transitions`, { json: { fromStepId: ids[from], toStepId: ids[to], ...more } }),
        /** The transitions as `from>to` or `from>to branch`. */
        links: async () => {
          const { transitions } = (await test.ask('GET', path)).body
          const written = transitions.map(
            ({ fromStepId, toStepId, branch }: Record<'fromStepId' | 'toStepId' | 'branch', string>) =>
              `${ids.indexOf(fromStepId)}>${ids.indexOf(toStepId)}${branch ? ` ${branch}` : ''}`,
          )
          return written.toSorted()
        },
      }
    }

    it('follow the one open end, and the workflow runs', async () => {
      const { add, links, path } = await draw()
      await add(DELAY)
      await add(WAIT)
      await add(EXIT)
      expect(await links()).toEqual(['0>1', '1>2', '2>3'])
      await add(DELAY)
      expect(await links()).toHaveLength(3)
      expect((await test.ask('PATCH', path, { json: { enabled: true } })).status).toBe(200)
    })

    it('do not guess: not with several open ends, not with autoConnect false', async () => {
      const { add, links } = await draw()
      await add({ ...DELAY, autoConnect: false })
      expect(await links()).toEqual([])
      await add(DELAY)
      expect(await links()).toEqual([])
      const other = await draw()
      await other.add(CONDITION)
      await other.add(EXIT)
      expect(await other.links()).toEqual(['0>1'])
      await other.add({ ...EXIT, branch: 'yes' })
      expect(await other.links()).toEqual(['0>1', '1>3 yes'])
      expectEnvelope(await other.add({ ...EXIT, branch: 'yes' }), 422, 'VALIDATION_ERROR', { afterStepId: 'required' })
      // a branch that leads nowhere beside one that does may be meant so
      await other.add(EXIT)
      expect(await other.links()).toEqual(['0>1', '1>3 yes'])
      await other.add({ ...EXIT, branch: 'no' })
      expect(await other.links()).toEqual(['0>1', '1>3 yes', '1>5 no'])
    })

    // catches that who draws all transitions is told that a step has one already, or that there is a circle
    it('give way to what somebody draws', async () => {
      const { add, link, links, id } = await draw()
      for (const step of [DELAY, DELAY, EXIT]) await add(step)
      expect(await links()).toEqual(['0>1', '1>2', '2>3'])
      expect((await link(0, 1)).status).toBe(201)
      expect(await links()).toEqual(['0>1', '1>2', '2>3'])
      expectEnvelope(await link(0, 2), 422, 'VALIDATION_ERROR', { fromStepId: 'custom' })
      expect((await link(2, 1)).status).toBe(201)
      expect(await links()).toEqual(['0>1', '2>1'])
      expect((await link(1, 3)).status).toBe(201)
      await add({ ...DELAY, afterStepId: id(0) }).then(({ status }) => expect(status).toBe(422))
      const other = await draw()
      await other.add(DELAY)
      await other.add({ ...DELAY, afterStepId: other.id(0) })
      expect(await other.links()).toEqual(['0>2'])
    })

    it('keep doing so in a copy', async () => {
      const { add, path } = await draw()
      await add(DELAY)
      const { body } = await test.ask('POST', `${path}/duplicate`)
      const [trigger, delay] = body.steps.map((step: { id: string }) => step.id)
      const exit = await test.ask('POST', `/workflows/${body.id}/steps`, { json: { ...EXIT, autoConnect: false } })
      const json = { fromStepId: trigger, toStepId: exit.body.id }
      expect((await test.ask('POST', `/workflows/${body.id}/transitions`, { json })).status).toBe(201)
      expect((await test.ask('GET', `/workflows/${body.id}`)).body.transitions).toHaveLength(1)
      expect(delay).not.toBe(trigger)
    })
  })
}
