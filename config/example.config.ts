/**
 * An example of every section. Copy it to `mailwright.config.ts`, keep what you need, and start with `npm start` (or
 * `npm start -- --config path/to/file.ts`). Every key is explained in docs/configuration.md. `${NAME}` is read from the
 * environment when the config is loaded.
 */
import { defineConfig } from 'mailwright/config'

export default defineConfig({
  server: {
    host: '127.0.0.1',
    port: 3000,
    // Used in the links of mails. Default the address the server listens on.
    publicUrl: 'https://mail.example.com',
    // Only behind a proxy that sets X-Forwarded-For itself.
    trustProxy: true,
    corsOrigins: ['https://app.example.com'],
  },

  store: { use: 'sqlite', options: { file: './data/mailwright.db' } },

  // Tried in this order: the second takes over what the first puts off.
  transports: [
    {
      name: 'main',
      use: 'smtp',
      options: {
        host: 'smtp.example.com',
        port: 587,
        requireTls: true,
        auth: { user: 'mailwright', pass: '${SMTP_PASS}' },
        maxConnections: 20,
      },
    },
    // A module beside this file, a package, or a plugin value works just the same:
    // { name: 'acme', use: './acme-transport.ts', options: { apiKey: '${ACME_KEY}' } },
    { name: 'spare', use: 'smtp', options: { host: 'smtp2.example.com' } },
  ],

  queue: 'in-process',
  scheduler: 'node-cron',
  blobs: { use: 'disk', options: { directory: './data/uploads' } },
  dns: { servers: ['9.9.9.9', '1.1.1.1'] },

  // Made or updated at start. Without any, the first start makes one and prints its keys.
  projects: [
    {
      id: '0190a6d0-7b7e-7c3a-9f1e-2b8f6f0c5a11',
      name: 'Acme',
      secretKey: '${ACME_SECRET_KEY}',
      publicKey: '${ACME_PUBLIC_KEY}',
      tracking: 'ENABLED',
      trustedDomains: ['acme.example'],
    },
  ],

  limits: { requestsPerMinute: 1000, trackPerMinutePerIp: 60 },

  // Times in seconds.
  delivery: {
    retryDelays: [60, 120, 240, 480, 960, 1920, 3840, 7680],
    sendTimeout: 120,
    // Per process.
    throttle: {
      project: { perSecond: 100 },
      transports: { main: { perSecond: 100 } },
      domains: { 'gmail.com': { perSecond: 20, connections: 5 }, '*': { perSecond: 50 } },
    },
  },

  // Drafts answers in inboxes that allow it, and changes texts: any endpoint of chat completions, also a local one.
  assistant: { use: 'openai', options: { url: 'http://127.0.0.1:11434/v1', model: 'qwen3:8b' } },

  log: { level: 'info', format: 'json' },
})
