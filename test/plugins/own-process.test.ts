import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hasEnded, ownProcess } from '../../plugins/store-postgres/own-process.ts'

const FILE = fileURLToPath(new URL('../../plugins/store-postgres/own-process.ts', import.meta.url))
/** Prints its name, and stays. */
const SCRIPT = `import(${JSON.stringify(FILE)}).then(({ ownProcess }) => {
  console.log(ownProcess())
  setInterval(() => {}, 1000)
})`

async function started(command: string, ...args: string[]): Promise<{ child: ChildProcess; name: string }> {
  const child = spawn(command, [...args, process.execPath, '--input-type=module', '-e', SCRIPT], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [printed] = await once(child.stdout!, 'data')
  return { child, name: String(printed).trim() }
}

/** Without the right to make namespaces the test is left out; CI has it. */
const HAS_NAMESPACES = spawnSync('unshare', ['--pid', '--fork', 'true']).status === 0

describe.runIf(process.platform === 'linux')('a process, by its name', () => {
  it('has ended when it was killed, not while it runs or stands still, and not when another has its id', async () => {
    const { child, name } = await started('env')
    expect(name).toMatch(new RegExp(`^[0-9a-f]{20}-${child.pid}-\\d+$`))
    expect(hasEnded(name)).toBe(false)
    child.kill('SIGSTOP')
    expect(hasEnded(name)).toBe(false)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(hasEnded(name)).toBe(true)
    const [place, id, start] = ownProcess()!.split('-')
    expect(hasEnded(`${place}-${id}-${start}`)).toBe(false)
    expect(hasEnded(`${place}-${id}-${Number(start) - 1}`)).toBe(true)
  })

  it('is not known to have ended elsewhere, or when the name is none', async () => {
    const { child, name } = await started('env')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const rest = name.slice(20)
    for (const other of [`${'0'.repeat(20)}${rest}`, '', 'x', rest, `${name}0`.repeat(9), `${name.slice(0, 20)}-0-1`])
      expect([other, hasEnded(other)]).toEqual([other, false])
  })

  it.runIf(HAS_NAMESPACES)('is another place in a container, whatever it says of process ids', async () => {
    const { name } = await started('unshare', '--pid', '--fork', '--mount-proc', '--kill-child')
    expect(name.split('-')[1]).toBe('1')
    expect(name.split('-')[0]).not.toBe(ownProcess()!.split('-')[0])
    // its parent's /proc tells of other ids
    const hidden = await started('unshare', '--pid', '--fork', '--kill-child')
    expect(hidden.name).toBe('undefined')
  })
})
