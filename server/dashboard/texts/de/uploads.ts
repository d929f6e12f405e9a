import type { uploads as english } from '../en/uploads.ts'
import type { Widened } from '../types.ts'

export const uploads: Widened<typeof english> = {
  title: 'Uploads',
  hint: 'Bilder für Ihre Mails. Jedes hat eine öffentliche Adresse, die Sie in Vorlagen verwenden können.',
  drop: 'Bilder hier ablegen oder auswählen. PNG, JPEG, GIF und WebP.',
  choose: 'Bilder auswählen',
  uploaded: (name) => `${name} ist hochgeladen. Kopieren Sie die Adresse in Ihre Vorlage.`,
  unnamed: 'Bild ohne Namen',
  size: (width, height, bytes) => `${width} × ${height} Pixel, ${bytes}`,
  copyAddress: (name) => `Adresse von ${name} kopieren`,
  openPicture: (name) => `${name} öffnen`,
  deleteTitle: (name) => `${name} löschen?`,
  deleteHint: 'Mails, die dieses Bild zeigen, haben an seiner Stelle eine Lücke, auch bereits verschickte.',
  deleted: (name) => `${name} ist gelöscht.`,
  empty: 'Noch keine Bilder',
  emptyHint: 'Laden Sie ein Logo oder ein Foto hoch und verwenden Sie seine Adresse in Ihren Vorlagen.',
}
