import { useTranslation } from 'react-i18next'
import { locale } from '../../lib/i18n.ts'
import { usePreview } from '../../lib/preview-state.ts'
import { WarningIcon } from './icons.tsx'
import css from './notices.module.css'

/** Says that the console is shown as somebody else would see it, and leads back. */
export function PreviewBar() {
  const { t } = useTranslation('shell')
  const role = usePreview(s => s.role)
  if (!role) return null
  const leave = async () => (await import('../../lib/preview.ts')).endPreview()
  return (
    <div className={css.strip} role="status" data-testid="preview-bar">
      <WarningIcon />
      <span>{t('preview.text', { role: locale() === 'en' && role.ename ? role.ename : role.name })}</span>
      <button type="button" className={css.stripAction} onClick={() => void leave()}>
        {t('preview.leave')}
      </button>
    </div>
  )
}
