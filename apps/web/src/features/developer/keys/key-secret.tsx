import type { ApiKeyWithSecret } from '@thingwright/contracts/developer.contract'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../../lib/format.ts'
import { ShownOnce } from '../../../ui/device-access/shown-once.tsx'
import { CodeBox } from '../components/code-box.tsx'
import css from '../developer.module.css'
import own from './keys.module.css'

/** The text of a new or rotated key, shown this once, and how it is used. */
export function KeySecret({
  apiKey,
  rotated,
  onClose,
}: {
  apiKey: ApiKeyWithSecret
  rotated: boolean
  onClose: () => void
}) {
  const { t } = useTranslation('developer')
  return (
    <ShownOnce
      title={t(rotated ? 'keys.rotatedTitle' : 'keys.madeTitle', { name: apiKey.name })}
      secrets={[{ label: t('keys.key'), value: apiKey.key }]}
      onClose={onClose}
    >
      <div className={own.once}>
        {apiKey.previous && (
          <p className={css.text}>
            {t('keys.overlapUntil', {
              prefix: apiKey.previous.prefix,
              until: formatDateTime(apiKey.previous.validUntil),
            })}
          </p>
        )}
        <CodeBox
          label={t('keys.use')}
          head={<span className={css.quiet}>{t('keys.use')}</span>}
          text={`curl '${location.origin}/api/v1/api-keys/current' \\\n  -H "Authorization: Bearer $API_KEY"`}
        />
      </div>
    </ShownOnce>
  )
}
