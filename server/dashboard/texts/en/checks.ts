/** The check of a mail before it is sent. What is found is in the API's words, or those of `advice`. */
export const checks = {
  button: 'Check',
  title: 'Check of the mail',
  again: 'Check again',
  asking: 'Checking whether the links can be opened …',
  allWell: 'Everything looks good.',
  error: 'Fix this before you send',
  warning: 'Better mend this',
  hint: 'Good to know',
  fix: {
    subject: 'Change the subject',
    preheader: 'Change the preview line',
    body: 'Change the mail',
    project: 'To the settings',
    server: 'To the server',
    domain: 'To the domains',
    audience: 'To the audience',
  },
  samplesLeft: (samples: readonly string[]) =>
    samples.length === 1
      ? `The mail still has the sample “${samples[0]}”. Put your own words or link there.`
      : `The mail still has samples: ${samples.map((sample) => `“${sample}”`).join(', ')}. Put your own words and links there.`,
  figures: (kb: string, links: string, images: string) => `HTML: ${kb} KB · Links: ${links} · Pictures: ${images}`,
  inMail: (name: string, message: string) => `“${name}”: ${message}`,
  before: 'Look at this first:',
  andMore: (n: number) => (n === 1 ? 'And one more finding.' : `And ${n} more findings.`),
  sendAllTheSame: 'Send all the same',
  scheduleAllTheSame: 'Schedule all the same',
  turnOnAllTheSame: 'Turn on all the same',
  scheduleTitle: 'Schedule it anyway?',
}
