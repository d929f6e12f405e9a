export const pieces = {
  snippets: {
    title: 'Snippets',
    hint: 'Pieces used in many mails: an address, a signature, a button. Change one here, and every mail sent from then on has it.',
    new: 'New snippet',
    make: 'Create snippet',
    find: 'Find a snippet',
    empty: 'No snippet yet',
    emptyHint: 'Write a part of many mails, such as the footer, only once, and insert it into each by name.',
    nameHint:
      'Lower-case letters, digits and hyphens, such as legal-footer. Where it is used, it can be changed along with it.',
    first: '<p></p>\n',
    sample: '',
    saved: 'Snippet saved. Mails sent from now on have it.',
    deleteTitle: (name: string) => `Delete the snippet “${name}”?`,
    usedHint:
      'It can be deleted once nothing that may still be sent uses it. Another name can be written into what uses it.',
  },
  layouts: {
    title: 'Layouts',
    hint: 'Frames around mails: header, footer and colors, the same for many templates and campaigns.',
    new: 'New layout',
    make: 'Create layout',
    find: 'Find a layout',
    empty: 'No layout yet',
    emptyHint: 'A layout is HTML with one place for the mail itself. Templates and campaigns choose it.',
    nameHint: 'Only you and your team see it.',
    first:
      '<html>\n<body style="margin:0;font-family:Helvetica,Arial,sans-serif">\n{{ content }}\n<p class="quiet" style="margin:0;padding:0 24px 24px;font-size:13px;color:#5b6472;text-align:center">Your company, your address</p>\n</body>\n</html>\n',
    sample: '<h1>The mail itself</h1><p>The text of a template or a campaign goes here.</p>',
    saved: 'Layout saved. Mails sent from now on have it.',
    deleteTitle: (name: string) => `Delete the layout “${name}”?`,
    usedHint: 'It can be deleted once nothing that may still be sent uses it.',
  },
  howTo: 'In a mail, write',
  layout: 'Layout',
  layoutHint: 'The frame around the mail. The preview shows both.',
  noLayout: 'None',
}
