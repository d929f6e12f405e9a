export const starters = {
  title: 'Starter templates',
  letter: 'Plain letter',
  newsletter: 'Newsletter',
  announcement: 'Announcement',
  receipt: 'Receipt',
  reset: 'Password reset',
  welcome: 'Welcome',
}
