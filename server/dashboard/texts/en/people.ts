export const people = {
  title: 'People',
  hint: 'Everyone who has an account on this server, whatever projects they belong to.',
  open: 'All accounts',
  openHint: 'Let a person in again who has forgotten the password or lost the phone with the second factor.',
  search: 'Search address or name',
  confirmed: 'Confirmed',
  unconfirmed: 'Address not confirmed',
  on: 'On',
  off: 'Off',
  since: 'Account since',
  newPassword: 'New password',
  removeFactor: 'Turn off second factor',
  ownPassword: 'Your own password',
  makeLink: 'Make the link',
  linkHint: (email: string) =>
    `You get a link by which ${email} sets a new password. Hand it over by a way that others do not read: a person who opens it owns the account, and the address counts as confirmed. It works once, for an hour. A second factor stays.`,
  linkMade: 'The link is shown only here',
  linkUntil: (until: string) => `Pass it on to the person. It works until ${until}.`,
  copyLink: 'Copy the link',
  factorHint: (email: string) =>
    `${email} then logs in with the password alone, and can set up a second factor again. All sessions of this person end. Be sure that it is this person who asks you.`,
  factorRemoved: (email: string) => `${email} logs in without a second factor.`,
}
