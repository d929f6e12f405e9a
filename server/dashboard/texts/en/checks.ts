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
  },
  sampleLeft: (sample: string) => `The mail still has the sample “${sample}”. Put your own words or link there.`,
  figures: (kb: string, links: string, images: string) => `HTML: ${kb} KB · Links: ${links} · Pictures: ${images}`,
  errorsLeft: (n: number) =>
    n === 1 ? 'The check found one error in the mail.' : `The check found ${n} errors in the mail.`,
  scheduleTitle: 'Schedule it anyway?',
}
