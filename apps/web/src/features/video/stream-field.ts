import type { TFunction } from 'i18next'
import type { StringField } from '../../ui/schema-form/field.ts'

/** Whether an address is one of the kinds that browsers play here: the same question is asked at the server. */
function isStream(text: string): boolean {
  try {
    const { protocol, pathname } = new URL(text)
    return /^https?:$/.test(protocol) && /\.(m3u8|flv)$/i.test(pathname)
  } catch {
    return false
  }
}

export const streamField = (t: TFunction<'video'>): StringField => ({
  key: 'streamUrl',
  kind: 'string',
  label: t('streamUrl'),
  required: true,
  mono: true,
  maxLength: 400,
  placeholder: 'https://media.example.com/live/gate.m3u8',
  help: t('streamUrlHelp'),
  check: value => (isStream(String(value)) ? null : t('streamUrlRule')),
})
