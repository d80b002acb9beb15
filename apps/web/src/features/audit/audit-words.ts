import { useTranslation } from 'react-i18next'

/** `device.rotate_secret` as people say it: the object, then what was done; unknown parts as they are. */
export function useAuditWords() {
  const { t, i18n } = useTranslation('audit')
  const known = (key: string, otherwise: string) => (i18n.exists(`audit:${key}`) ? t(key as never) : otherwise)
  const objectType = (type: string) => known(`noun.${type}`, type)
  return {
    objectType,
    /** @param result what came of it: what was refused or failed is never told as if it had been done */
    action(action: string, result: 'ok' | 'refused' | 'failed' | 'half' = 'ok'): string {
      const [noun = '', verb = ''] = action.split('.')
      const whole = known(`whole.${noun}_${verb}`, '')
      const done = whole || t('did', { noun: objectType(noun), verb: known(`verb.${verb}`, verb) })
      if (result === 'ok') return done
      return known(`tried.${noun}_${verb}`, '') || t('notDone', { what: done })
    },
    /** The way of a sign-in, or an action. */
    way: (action: string) => (action.includes('.') ? null : known(`method.${action}`, action)),
  }
}
