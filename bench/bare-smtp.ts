import { SMTPServer } from 'smtp-server'

/* A process that receives mail with the same library as `inbound-smtp` and discards it, on the given port. */

const server = new SMTPServer({
  ...{ logger: false, disableReverseLookup: true, authOptional: true, disabledCommands: ['AUTH', 'STARTTLS'] },
  ...{ size: 25 * 1024 * 1024, socketTimeout: 60_000 },
  onData(stream, _session, answer) {
    stream.on('end', () => answer(null)).resume()
  },
})
server.on('error', () => {})
server.listen(Number(process.argv[2]), '127.0.0.1')
