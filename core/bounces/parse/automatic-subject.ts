import { decodeWords, unmangled } from '../../values/decoded-words.ts'

/** How machines that answer for people begin their subjects, in the languages of the pages and a few more. */
const SUBJECTS: readonly string[] = [
  // as Exchange names it in the languages of its mailboxes
  'resposta automàtica|automaatne vastus|automaattivastaus|automātisk[aā] atbilde|automatinis atsakymas|samodejni odgovor|automatski odgovor|automatick[áa] odpove[ďd]|(?:автоматичен|аутоматски) (?:отговор|одговор)|ответ автоматический|автоматична відповідь|trả lời tự động|ตอบกลับอัตโนมัติ|balasan (?:otomatis|automatik)|jawapan automatik|תשובה אוטומטית|स्वचालित उत्तर',
  'i.?(?: a)?m (?:currently |now )?out of (?:the )?office|ich bin (?:derzeit|aktuell|momentan|zurzeit|zur zeit) nicht (?:im (?:büro|haus|dienst)|erreichbar|am arbeitsplatz)',
  // English
  'auto(?:matic|mated|matically)?[ :_-]{0,2}(?:generated )?(?:repl(?:y|ies)|respon[sd]\\w*|answer|acknowledge?ment|confirmation of receipt)|out of (?:the )?office|away from (?:my )?(?:mail|e-?mail|desk|office)|(?:vacation|holiday|absence) (?:reply|message|notice|response|responder)|autoreply|autoresponder',
  // German
  'auto(?:matische?|mat\\.)?[ :-]{0,2}antwort|automatisch(?:e[rs]?)? (?:rück|eingangs)?\\w*(?:antwort|bestätigung)|abwesenheits\\w*|außer haus|ausser haus|nicht im (?:büro|haus)|urlaubs(?:notiz|meldung|benachrichtigung|vertretung)',
  // French
  'réponse automatique|reponse automatique|réponse d.absence|absence(?: du bureau)?\\s*:|absent(?:e)? du bureau|message d.absence|je suis absente?|accusé de réception automatique',
  // Spanish
  'respuesta automática|respuesta automatica|contestación automática|auto-?respuesta|fuera de (?:la )?oficina|ausente de la oficina|ausencia (?:de|temporal)|mensaje de ausencia',
  // Portuguese
  'resposta automática|resposta automatica|fora do escrit[oó]rio|ausência (?:do|temporária)|ausente do escrit[oó]rio|mensagem de ausência',
  // Italian
  'risposta automatica|fuori (?:sede|ufficio)|assenza (?:dall.ufficio|temporanea)|assente dall.ufficio|messaggio di assenza',
  // Dutch
  'automatisch(?:e)? (?:antwoord|beantwoord\\w*|bericht)|afwezigheids\\w*|niet op kantoor|buiten kantoor',
  // Polish
  'automatyczna odpowied[źz]|odpowied[źz] automatyczna|autoodpowied[źz]|poza biurem|nieobecno[śs][ćc]|jestem nieobecn\\w',
  // Japanese, Chinese, Korean
  '自動(?:応答|返信|回答)|不在(?:通知|応答|連絡|のお知らせ)|【自動(?:返信|配信|応答)】|\\[自動(?:返信|応答)\\]',
  '自动(?:回复|答复|回覆)|自動(?:回覆|回復|答覆)|不在办公室|外出(?:回复|自动)',
  '자동 ?(?:회신|응답|답장)|부재 ?중',
  // Russian, Ukrainian, Czech, Turkish, Hungarian, Finnish, Swedish, Danish, Norwegian
  'автоответ|автоматический ответ|автоматична відповідь|вне офиса|отсутствие на рабочем',
  'automatická odpověď|mimo kancelář|nepřítomnost|otomatik yanıt|ofis dışında|automatikus válasz|házon kívül|automaattinen vastaus|poissaolo\\w*|autosvar(?![a-zåäöæø])|automatiskt? svar|frånvaro\\w*|fraværs?\\w*|ikke til stede|ikke på kontoret|inte på kontoret|răspuns automat|αυτόματη απάντηση|رد تلقائي|תגובה אוטומטית',
]

/** Words that a person is away: they count where the subject ends, or the answered one or a time follows. */
const AWAY: readonly string[] = [
  'i.?(?: a)?m (?:currently |now )?(?:away|on (?:vacation|holiday|(?:annual |parental |maternity )?leave))',
  'ich bin (?:im urlaub|in elternzeit|abwesend)|je suis en (?:congés?|vacances)|estoy de vacaciones|estou de férias|sono in ferie|ik ben (?:op|met) (?:vakantie|verlof)|jestem na urlopie|я в отпуске|я у відпустці',
  'annual leave|(?:maternity|paternity|parental|sick) leave|on (?:vacation|holiday|leave|annual leave)',
  '(?:antwort bei )?abwesenheit|abwesend|afwezigheid|im urlaub|in elternzeit|en congés?|en vacances|absente?(?: jusqu.au)?',
  'de vacaciones|de férias|in ferie|op vakantie|met verlof|afwezig|na urlopie|på (?:semester|ferie)|lomalla|poissa|szabadságon',
]
/** Words that travellers write as well: they count where the answered subject or a time follows. */
const HOLIDAY =
  'vacation|holiday|leave|auto|urlaub|elternzeit|mutterschutz|congés?|vacances|absence|vacaciones|férias|ferie|vakantie|verlof|urlop|semester|dovolená'
const FOLLOWS =
  ':?\\s{0,3}(?:(?:re|aw|tr|rv|sv|antw|odp|fwd?)\\s{0,3}:|(?:until|till|bis|jusqu|hasta|até|fino|tot|til)\\b)'

/** A gateway's mark may stand before it. Behind `Re:` it is the subject of a mail that a person answers. */
const MARK = '(?:\\s|\\[[^\\]\\n]{1,30}\\]|(?:external|extern|ext|caution)\\s*:)*'
const AUTOMATIC = new RegExp(
  `^${MARK}(?:${SUBJECTS.join('|')}|(?:${AWAY.join('|')})(?=\\s{0,3}(?:$|[:(\\d]|(?:from|vom|von|ab|du|od|fra)\\b|${FOLLOWS}))|(?:${HOLIDAY})(?=\\s{0,3}${FOLLOWS}))`,
  'i',
)
/** Longer subjects are not looked at to their end. */
const MAX_LENGTH = 500

/** Whether a machine writes such a subject when it answers for a person. Encoded-words are read. */
export function isAutomaticSubject(subject: string): boolean {
  return AUTOMATIC.test(decodeWords(unmangled(subject.slice(0, 2 * MAX_LENGTH))).slice(0, MAX_LENGTH))
}
