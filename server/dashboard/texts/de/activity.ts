import type { activity as english } from '../en/activity.ts'
import type { Widened } from '../types.ts'

export const activity: Widened<typeof english> = {
  title: 'Aktivität',
  hint: 'Was passiert ist, das Neueste zuerst. Neue Einträge erscheinen von selbst.',
  empty: 'Noch nichts passiert',
  emptyHint: 'Hier erscheinen gesendete Mails, Öffnungen, Klicks, Ereignisse sowie An- und Abmeldungen.',
  what: 'Was',
  anything: 'Alles',
  who: 'Kontakt',
  when: 'Wann',
  about: 'Betrifft',
  upcoming: 'Demnächst',
  entered: (segment) => `In das Segment ${segment} gekommen`,
  left: (segment) => `Segment ${segment} verlassen`,
  /** Further events of the service. */
  events: {
    'contact.created': 'Kontakt dazugekommen',
    'contact.tracking': 'Zustimmung zum Tracking geändert',
    'form.submitted': 'Formular abgeschickt',
  },
  types: {
    'event.triggered': 'Ereignis',
    'email.sent': 'Mail gesendet',
    'email.delivery': 'Mail zugestellt',
    'email.open': 'Mail geöffnet',
    'email.click': 'Link angeklickt',
    'email.bounce': 'Mail unzustellbar',
    'email.complaint': 'Spam-Beschwerde',
    'email.received': 'Mail empfangen',
    'email.replied': 'Mail beantwortet',
    'contact.subscribed': 'Angemeldet',
    'contact.unsubscribed': 'Abgemeldet',
    'contact.merged': 'Kontakt zusammengeführt',
    'campaign.sent': 'Kampagne gesendet',
    'workflow.started': 'Workflow gestartet',
    'workflow.completed': 'Workflow abgeschlossen',
  },
}
