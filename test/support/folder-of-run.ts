import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A folder for everything temporary of one test run, in `parent`. It goes with `remove`, or else as soon as this process
 * has ended, however that ends: a shell waits for the end of a pipe, and outlives Ctrl-C, which the whole group gets.
 */
export function folderOfRun(parent: string): { readonly folder: string; readonly remove: () => Promise<void> } {
  const folder = mkdtempSync(join(parent, 'mailwright-run-'))
  // PostgreSQL runs as another user than root, and enters it
  chmodSync(folder, 0o711)
  const watch = spawn('sh', ['-c', WATCH, folder], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  watch.unref()
  return {
    folder,
    remove: async () => {
      if (watch.exitCode !== null) return
      watch.ref()
      watch.stdin.end()
      await once(watch, 'exit')
    },
  }
}

/** Processes of the run may write a moment longer than it lasts. */
const WATCH = `read -r nothing
tries=0
until rm -rf "$0" || [ $tries -ge 30 ]; do tries=$((tries + 1)); sleep 1; done`
