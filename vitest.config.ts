import { globSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { ByTurns } from './test/support/by-turns.ts'
import { memoryFolder } from './test/support/memory-folder.ts'

/** Tests that end, stop or cut off processes, or install the package: most of their time they wait for one. */
const FAULTS = ['crash', 'faults', 'numbers', 'embedding'].map((folder) => `test/${folder}/**/*.test.ts`)

/** Tests of what people start and see: commands, servers in processes of their own, pages in Chromium. */
const PROGRAMS = ['programs', 'browser'].map((folder) => `test/${folder}/**/*.test.ts`)

/**
 * Tests of what others made, such as other runtimes, frameworks and test runners, of what few have, and of what few changes
 * touch and takes long: not for every change.
 */
const NIGHTLY = [
  'test/nightly/**/*.test.ts',
  ...['mounting', 'frameworks', 'plugin-new', 'installing'].map((name) => `test/packed/${name}.test.ts`),
  ...['new-field', 'wrong-plugins', 'demo', 'bring-files'].map((name) => `test/programs/${name}.test.ts`),
  ...['poison', 'worker-dies', 'worker-cut-off'].map((name) => `test/faults/${name}.test.ts`),
  ...['numbers/numbers', 'crash/newsletter', 'redis/fleet'].map((name) => `test/${name}.test.ts`),
]

/** Tests of every change that try more versions of what others made at night. */
const OF_MORE_VERSIONS = ['test/packed/hosts.test.ts']

/**
 * The environment of most tests. Temporary files are kept in memory: nothing of them is for a disk, which several tests at
 * once wait for. Node keeps what it compiles of packages and of threads, which load the sources on their own; not where
 * functions are counted, since the compiled ones lack what V8 counts by.
 */
const ENV = {
  TMPDIR: memoryFolder() ?? tmpdir(),
  NODE_COMPILE_CACHE: `${import.meta.dirname}/node_modules/.cache/node-compile-cache`,
}

/** Projects that start what is compiled say at once when it is not. */
const COMPILED = { setupFiles: ['test/support/needs-compiled.ts'] }

/** Tests that try each value of a long list. `npm test` tries a few of each list, `npm run test:all` all of them. */
const THOROUGH = ['http/wrong-types', 'http/workflow-wrong-types', 'rooms/csv'].map((name) => `test/${name}.test.ts`)

/** Tests of the store named so, which `npm test` runs on SQLite alone: see `test/support/matrix.ts`. */
const onOneStore = (name: RegExp) =>
  globSync('test/**/*.test.ts', { cwd: import.meta.dirname }).filter((file) =>
    name.test(readFileSync(`${import.meta.dirname}/${file}`, 'utf8')),
  )
const [STRICT, QUICK] = [onOneStore(/\bSTRICT\b/), onOneStore(/\bQUICK\b/)]

export default defineConfig({
  // the examples name the package; its own name would lead to the compiled files
  resolve: {
    alias: [
      { find: /^mailwright$/, replacement: fileURLToPath(new URL('config/library.ts', import.meta.url)) },
      {
        find: /^mailwright\/contracts$/,
        replacement: fileURLToPath(new URL('test/contracts/index.ts', import.meta.url)),
      },
      { find: /^mailwright\/client$/, replacement: fileURLToPath(new URL('server/client/index.ts', import.meta.url)) },
    ],
  },
  test: {
    // `npm test` and `npm run test:programs`, `test:faults`, `test:packed` and `test:redis`, a project each. The project `rest`
    // has the files of the last four in one, whose workers then go on from file to file; `test:rest` is that one and `swapped`,
    // and `test:all` is all
    projects: [
      {
        extends: true,
        test: {
          name: 'main',
          include: ['test/**/*.test.ts'],
          exclude: [...PROGRAMS, ...FAULTS, ...NIGHTLY, 'test/packed/**', 'test/redis/**'],
          env: ENV,
        },
      },
      { extends: true, test: { name: 'programs', include: PROGRAMS, exclude: NIGHTLY, ...COMPILED } },
      { extends: true, test: { name: 'faults', include: FAULTS, exclude: NIGHTLY, ...COMPILED } },
      {
        extends: true,
        test: {
          name: 'packed',
          include: ['test/packed/**/*.test.ts'],
          exclude: NIGHTLY,
          globalSetup: ['test/packed/pack-once.ts'],
          ...COMPILED,
        },
      },
      {
        extends: true,
        test: {
          name: 'nightly',
          include: [...NIGHTLY, ...OF_MORE_VERSIONS],
          env: { ALL_VERSIONS: '1' },
          globalSetup: ['test/packed/pack-once.ts'],
          ...COMPILED,
        },
      },
      { extends: true, test: { name: 'redis', include: ['test/redis/**/*.test.ts'], exclude: NIGHTLY, ...COMPILED } },
      {
        extends: true,
        test: {
          name: 'rest',
          include: [...PROGRAMS, ...FAULTS, 'test/{packed,redis}/**/*.test.ts'],
          exclude: NIGHTLY,
          globalSetup: ['test/packed/pack-once.ts'],
          ...COMPILED,
        },
      },
      { extends: true, test: { name: 'thorough', include: THOROUGH, env: { ...ENV, THOROUGH: '1' } } },
      {
        extends: true,
        test: { name: 'swapped', include: STRICT, exclude: NIGHTLY, env: { ...ENV, SWAP_STORES: 'STRICT' } },
      },
      {
        extends: true,
        test: {
          name: 'swapped-quick',
          include: [...QUICK, ...STRICT.filter((file) => file.startsWith('test/nightly/'))],
          env: { ...ENV, SWAP_STORES: 'QUICK' },
        },
      },
    ],
    globalSetup: ['test/support/databases-for-all.ts'],
    setupFiles: ['test/support/each-file.ts'],
    // only what hangs takes so long, also on a machine that is three times slower
    testTimeout: 120_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    // a worker loads the modules once for all files it runs, which takes longer than most files
    isolate: false,
    // most objects of a test die young: fewer rounds of the collector, and fewer pages asked from the kernel
    execArgv: ['--max-semi-space-size=64'],
    // much of the time is spent waiting for servers and clocks
    maxWorkers: 6,
    sequence: { sequencer: ByTurns },
    // CI may share its machine: what fails there once is tried again and reported as such, what fails twice is red
    retry: process.env.CI ? 1 : 0,
    dangerouslyIgnoreUnhandledErrors: false,
  },
})
