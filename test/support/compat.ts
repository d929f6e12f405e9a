import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { GivenSettings } from '../../config/library.ts'
import { toNodeHandler } from '../../server/index.ts'
import { type TestApp, testApp } from './app.ts'
import { toSink } from './engine.ts'
import type { StoreCase } from './matrix.ts'
import { type SmtpSink, startSmtpSink } from './smtp-sink.ts'

/** A server for the clients of other services, whose mail goes to a real SMTP server. */
export interface CompatServer {
  readonly test: TestApp
  readonly sink: SmtpSink
  /** `http://127.0.0.1:…`. */
  readonly url: string
  close(): Promise<void>
}

/** Recipients that the SMTP server refuses, so that mail to them bounces. */
const REFUSED = { 'gone@example.org': { code: 550, message: '5.1.1 No such user' } }

/** Starts one; call `close` at the end. */
export async function compatServer(store: StoreCase, settings: GivenSettings = {}): Promise<CompatServer> {
  const sink = await startSmtpSink({ recipients: REFUSED })
  const test = await testApp(store, {}, { transports: [toSink(sink)], ...settings })
  await test.engine.start()
  const server = createServer(toNodeHandler(test.app))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    test,
    sink,
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await test.engine.stop()
      await sink.close()
    },
  }
}
