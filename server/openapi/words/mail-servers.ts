import { prefixed, type Words } from './words.ts'

const PRESET = 'A well-known provider, one of `presets`. What it says may be left out.'

const GIVEN = {
  name: 'What logs and the records of mails call it: at most 60 characters. By default the provider or the host.',
  preset: PRESET,
  host: 'The server: a host name or an IP address.',
  port: 'Its port. By default that of the provider, else 587, or 465 with `tls`.',
  security:
    '`starttls` (the default) and `tls` (from the first byte) send nothing unencrypted; `none` uses STARTTLS where it is offered.',
  user: 'The user name there. null and an empty text: none.',
  password: 'The password, or the key that takes its place. It is stored encrypted, and no answer has it.',
}

/** Servers of the installation may also do without a provider. */
const GIVEN_ANYWHERE = {
  preset: `${PRESET} Or \`direct\` for none: this machine hands mail to the servers of its recipients itself, and needs an open port 25.`,
  host: 'The server: a host name or an IP address. With `direct` the full name of this machine, such as `mail.example.com`, to which its address and the reverse record lead.',
  port: 'Its port. By default that of the provider, else 587, or 465 with `tls`. With `direct` it is 25.',
  security:
    '`starttls` (the default) and `tls` (from the first byte) send nothing unencrypted; `none` uses STARTTLS where it is offered, and is the default with `direct`.',
  user: 'The user name there. null and an empty text: none. With `direct` there is none.',
  password:
    'The password, or the key that takes its place. It is stored encrypted, and no answer has it. With `direct` there is none.',
}

const CHANGED = {
  password:
    'The password. Left out, the stored one stays; for another host it must be given anew, since it is sent to no other than the one it was given for.',
  enabled: 'Whether mail goes through it.',
  position: 'Its place, from 0: mail goes through the first that takes it.',
}

const TRIED = {
  id: 'A stored mail server: what is left out is as there, the password too.',
  to: 'Who gets a test mail. Without it the server is only connected to.',
  from: 'Who sends it: an address that this mail server may send from. By default the user name, when that is an address.',
  language: 'The language of the test mail.',
}

/** Mail servers, and the public address. */
export const mailServerWords: Words = {
  schemas: {
    MailServer: 'A mail server that was added, without its password.',
    MailServers: 'The mail servers, in the order of their use.',
    ProjectMailServers: "The project's own mail servers, in the order of their use.",
    MailServerTrial: 'What became of the test of a mail server.',
    PublicAddress: 'Where this server is reached from outside.',
  },
  fields: {
    ...prefixed('addMailServer', { ...GIVEN, ...GIVEN_ANYWHERE }),
    ...prefixed('changeMailServer', {
      ...GIVEN,
      ...GIVEN_ANYWHERE,
      preset: `${GIVEN_ANYWHERE.preset} From a provider to \`direct\` or back, nothing of the login stays.`,
    }),
    ...prefixed('testMailServer', { ...GIVEN, ...GIVEN_ANYWHERE }),
    ...prefixed('addProjectMailServer', GIVEN),
    ...prefixed('changeProjectMailServer', { ...GIVEN, ...CHANGED }),
    ...prefixed('testProjectMailServer', { ...GIVEN, ...TRIED }),
    ...prefixed('changeMailServer', CHANGED),
    ...prefixed('testMailServer', TRIED),
    'lookUpMyBlocklists.addresses':
      'The addresses that mail leaves from, 1 to 16. Left out, those of `domains.sendingAddresses`.',
    'changePublicAddress.url':
      'The address, such as `https://mail.example.com`. null: that of the configuration, or where the server listens.',
    'MailServer.id': 'The id of the mail server.',
    'MailServer.name': 'What logs and the records of mails call it.',
    'MailServer.preset': 'The provider, or `direct` for none. Absent for any other server.',
    'MailServer.host': 'Where it is. With `direct` the name of this machine.',
    'MailServer.port': 'Its port.',
    'MailServer.security': 'How the connection is encrypted.',
    'MailServer.user': 'The user name there. Absent without a login.',
    'MailServer.hasPassword': 'Whether a password is stored.',
    'MailServer.enabled': 'Whether mail goes through it.',
    'MailServers.servers': 'Those that were added. Mail goes through the first that takes it.',
    'MailServers.setBy':
      'Where the transports are set, such as `SMTP_URL`: then none of these is used. Absent when they are.',
    'MailServers.presets': 'The providers that need no host.',
    'MailServers.hasSecret':
      'Whether passwords are encrypted with the `secret` of the configuration. Otherwise the secret is kept in the database beside them.',
    'ProjectMailServers.servers': 'Those that were added. Mail goes through the first that takes it.',
    'ProjectMailServers.setBy':
      'Where the operator forbids servers of projects: then none of these is used. Absent when they are.',
    'ProjectMailServers.presets': 'The providers that need no host.',
    'ProjectMailServers.hasSecret':
      'Whether passwords are encrypted with the `secret` of the configuration. Otherwise the secret is kept in the database beside them.',
    'ProjectMailServers.way':
      "Which way the project's mail goes: through its `own` servers; through those of the `installation`; into a `folder` of this server, as no mail server is set; or `nowhere`, since it waits for a server.",
    'presets.name': 'Its name in requests.',
    'presets.provider': 'What people call it.',
    'presets.host': 'Where its mail server is.',
    'presets.port': 'The port it listens at.',
    'presets.security': 'How the connection is encrypted.',
    'presets.user': 'The user name of all customers; `password`: the same text as the password.',
    'presets.needsLogin': 'Whether a password is required.',
    'presets.keyPage': "The provider's page where the password for SMTP is made.",
    'MailServerTrial.ok': 'Whether the server can be reached and takes the login, and the test mail if there was one.',
    'MailServerTrial.at': 'How far it got when it failed: the `connection`, or the `mail`.',
    'MailServerTrial.trouble': 'What is wrong with the connection, in a word for programs. Absent where no word fits.',
    'MailServerTrial.reason': 'What is wrong, in a sentence, with what the server said.',
    'MailServerTrial.warnings':
      'Why mail may not arrive although this machine can send it. Only with `direct`, and absent where nothing was found.',
    'warnings.warning':
      '`leads-elsewhere`: the name of this machine leads to another address than the one that receivers see. `no-reverse`: the reverse record of that address does not name this machine.',
    'warnings.reason': 'The same in a sentence, with names and addresses.',
    'MailServerTrial.response': 'What the server answered when it took the test mail.',
    'PublicAddress.url': 'The address that links have now. Absent: mails have no links of this server.',
    'PublicAddress.given': 'The address by the configuration, or where the server listens.',
    'PublicAddress.set': 'What was set by `PUT`.',
    'PublicAddress.setBy': 'Where it is set instead, such as `PUBLIC_URL`, so that `set` does not count.',
    'PublicAddress.problem': 'Why links to it do not work for recipients.',
  },
}
