export const preview = {
  title: 'Preview',
  as: 'Preview for',
  width: 'Width',
  phone: 'Phone',
  tablet: 'Tablet',
  desk: 'Desktop',
  dark: 'Dark mode',
  html: 'Mail',
  text: 'Text only',
  subject: 'Subject',
  findContact: 'Find a contact',
  filledFor: 'Filled in for',
}
